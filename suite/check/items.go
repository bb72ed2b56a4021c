package check

import (
	"fmt"

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
	gjson.Result
	name   string
	frames []int
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
	list := x.Result().Get(member)
	if !list.IsArray() {
		return nil
	}
	kind, id, frames := "resource", "uri", x.Evidence()
	if member == "resourceTemplates" {
		kind, id = "template", "uriTemplate"
	}
	var all []item
	for i, e := range list.Array() {
		name := fmt.Sprintf("%s %d of its page", kind, i+1)
		if u := e.Get(id); judge.IsString(u) {
			name = "the " + kind + " " + Brief(u)
		}
		all = append(all, item{e, name, frames})
	}
	return all
}

// reading is a read that yielded contents.
type reading struct {
	*recording.Exchange
	contents []item
}

// readings lists the reads of a step that have a result, other than those that
// ask for input; for the rest it says why not.
func readings(r *recording.Recording, v *Verdict, step string) []reading {
	var all []reading
	for _, x := range r.Steps(step) {
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
	return x.Result().Get("resultType").Str == "input_required"
}

func contentsOf(x *recording.Exchange) []item {
	list := x.Result().Get("contents")
	if !list.IsArray() {
		return nil
	}
	var all []item
	for i, c := range list.Array() {
		all = append(all, item{c, fmt.Sprintf("content %d of %s", i+1, Brief(x.Param("uri"))), x.Evidence()})
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
