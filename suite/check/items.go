package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// The walks, as most checks of what is listed judge them.
var (
	resourceWalk = []recording.Name{recording.WalkResources}
	bothWalks    = []recording.Name{recording.WalkResources, recording.WalkTemplates}
)

// listMember is the member that holds the entries of a walk's pages.
func listMember(r *recording.Recording) string {
	if r.Scenario == recording.WalkTemplates {
		return "resourceTemplates"
	}
	return "resources"
}

// item is one entry of a list or one item of contents, with the frames that it
// came in and a name for it in sentences.
type item struct {
	object
	name   string
	frames []int
}

// newItem is an item that few look into; see [lookedUp] for the others.
func newItem(r gjson.Result, name string, frames []int) item {
	return item{object{Result: r}, name, frames}
}

// pagesOf lists the pages of a walk that hold a result; for the others it says
// why not.
func pagesOf(r *recording.Recording, v *Verdict) []*recording.Exchange {
	var pages []*recording.Exchange
	for _, x := range r.Steps("page") {
		switch {
		case !v.Answered(x):
		case !x.Succeeded():
			v.Skip(recording.CodeNeedsSubject, "the list was refused: "+Describe(x))
		default:
			pages = append(pages, x)
		}
	}
	return pages
}

// listedItems lists the entries of all pages of a walk.
func listedItems(r *recording.Recording, v *Verdict) []item {
	var all []item
	pages := pagesOf(r, v)
	for _, x := range pages {
		all = append(all, entries(x, listMember(r))...)
	}
	if len(pages) > 0 && len(all) == 0 {
		v.Skip(recording.CodeNeedsSubject, "nothing is listed")
	}
	return all
}

// entries lists the entries of one page.
func entries(x *recording.Exchange, member string) []item {
	type key struct{ member string }
	all, _ := x.Note(key{member}, func() any { return slices.Clip(entriesOf(x, member)) }).([]item)
	return all
}

func entriesOf(x *recording.Exchange, member string) []item {
	list := x.Result().Get(member)
	if !list.IsArray() {
		return nil
	}
	kind, id, frames := "resource", "uri", slices.Clip(x.Evidence())
	if member == "resourceTemplates" {
		kind, id = "template", "uriTemplate"
	}
	var all []item
	for i, e := range list.Array() {
		name := fmt.Sprintf("%s %d of its page", kind, i+1)
		if u := e.Get(id); judge.IsString(u) {
			name = "the " + kind + " " + Brief(u)
		}
		all = append(all, item{lookedUp(e), name, frames})
	}
	return all
}

// reading is a read that yielded contents.
type reading struct {
	*recording.Exchange
	contents []item
}

// readings lists the reads of some steps that have a result, other than those that
// ask for input; for the rest it says why not.
func readings(r *recording.Recording, v *Verdict, steps ...string) []reading {
	var all []reading
	for _, x := range r.Steps(steps...) {
		switch {
		case !v.Answered(x):
		case !x.Succeeded():
			v.Skip(recording.CodeNeedsSubject, "no resource could be read: "+Describe(x))
		case asksForInput(x):
			v.Skip(recording.CodeNeedsSubject, "the target asks for input before it lets a resource be read")
		default:
			all = append(all, reading{x, contentsOf(x)})
		}
	}
	return all
}

// asksForInput tells a request for input from a final result (2026-07-28).
func asksForInput(x *recording.Exchange) bool {
	return resultOf(x).Get("resultType").Str == "input_required"
}

// resultOf is the result of an exchange, its members looked up.
func resultOf(x *recording.Exchange) object {
	type key struct{}
	o, _ := x.Note(key{}, func() any { return lookedUp(x.Result()) }).(object)
	return o
}

// contentsOf lists the items of contents that a read yielded.
func contentsOf(x *recording.Exchange) []item {
	type key struct{}
	all, _ := x.Note(key{}, func() any { return slices.Clip(contentItems(x)) }).([]item)
	return all
}

func contentItems(x *recording.Exchange) []item {
	list := resultOf(x).Get("contents")
	if !list.IsArray() {
		return nil
	}
	var all []item
	for i, c := range list.Array() {
		all = append(all, item{lookedUp(c), fmt.Sprintf("content %d of %s", i+1, Brief(x.Param("uri"))), slices.Clip(x.Evidence())})
	}
	return all
}

// noContents says why a check of contents saw none.
func noContents(v *Verdict) {
	v.Skip(recording.CodeNeedsSubject, "no read yielded contents of the kind that is judged")
}

// typed notes a violation if a member is there and not of the wanted type. It
// returns whether the member is there and right.
func typed(v *Verdict, i item, member string, is func(gjson.Result) bool, wanted string) bool {
	m := i.Get(member)
	if !m.Exists() {
		return false
	}
	ok := v.That(is(m), member+" as "+wanted+", or absent", member+" of "+i.name+" is "+judge.TypeName(m)+" ("+Brief(m)+")", i.frames...)
	if m.Type == gjson.Null {
		v.Hint("leave the member out instead of sending null")
	}
	return ok
}

// few joins the first of many names for a sentence.
func few(names []string) string {
	const shown = 3
	text := ""
	for i, n := range names[:min(len(names), shown)] {
		if i > 0 {
			text += ", "
		}
		text += n
	}
	if len(names) > shown {
		text += fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return text
}

// sightings collects what an observation is made of: it is told once, with the
// first examples, however often it was seen.
type sightings struct {
	names  []string
	frames []int
}

func (s *sightings) add(name string, frames ...int) {
	if s.names = append(s.names, name); len(s.names) <= 3 {
		s.frames = append(s.frames, frames...)
	}
}

// observe notes the observation if anything was seen. The detail has one %d, for
// the number, and one %s, for examples.
func (s *sightings) observe(v *Verdict, id, detail string) {
	if len(s.names) > 0 {
		v.Observe(id, fmt.Sprintf(detail, len(s.names), few(s.names)), s.frames...)
	}
}

// The members that have a meaning, in lists and in contents.
var (
	resourceMembers = []string{"uri", "name", "title", "description", "mimeType", "size", "annotations", "icons", "lastModified", "_meta"}
	templateMembers = []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations", "icons", "lastModified", "_meta"}
	contentMembers  = []string{"uri", "mimeType", "text", "blob", "_meta"}
)

// addMisspelt adds the members of an item that look like one with a meaning, but are
// written in other letters, with other signs between the words, or with others before.
func (s *sightings) addMisspelt(i item, members []string) {
	if !i.IsObject() {
		return
	}
	i.ForEach(func(name, _ gjson.Result) bool {
		if slices.Contains(members, name.Str) {
			return true
		}
		for _, m := range members {
			if m != "_meta" && squeezed(name.Str) == squeezed(m) {
				s.add(name.Str+" for "+m+" in "+i.name, i.frames...)
			}
		}
		return true
	})
}

// squeezed is a name without what distinguishes the ways of writing it.
func squeezed(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

func (s *sightings) observeMisspelt(v *Verdict) {
	s.observe(v, "misspelt-member", "%d written unlike the member of the specification, so that clients ignore it: %s")
}
