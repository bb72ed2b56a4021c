package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The walks and the reads, as most checks of what is listed and read judge them, or look at them.
var (
	ResourceWalk = recording.Names{recording.WalkResources}
	BothWalks    = recording.Names{recording.WalkResources, recording.WalkTemplates}
	Reads        = recording.Names{recording.Reads}
	PlainReads   = recording.Names{recording.Reads, recording.KnownReads}
	Every        = recording.Names{recording.Every}
)

// Item is one entry of a list or one item of contents, with the frames that it
// came in and a name for it in sentences.
type Item struct {
	wire.Object
	Name   string
	Frames []int
}

// Evidence is the frames of the item.
func (i Item) Evidence() []int { return i.Frames }

// NewItem is an item that few look into; see [wire.LookedUp] for the others.
func NewItem(r gjson.Result, name string, frames []int) Item {
	return Item{wire.Object{Result: r}, name, frames}
}

// PagesOf lists the pages of a walk that hold a result; for the others it says
// why not.
func PagesOf(v *Verdict) []*recording.Exchange {
	var pages []*recording.Exchange
	for _, x := range v.Steps(recording.StepPage) {
		switch {
		case !v.Answered(x):
		case !x.Succeeded():
			v.NeedsSubject("the list was refused: %v", x)
		default:
			pages = append(pages, x)
		}
	}
	return pages
}

// ListedItems lists the entries of all pages of a walk.
func ListedItems(v *Verdict) []Item {
	var all []Item
	pages := PagesOf(v)
	for _, x := range pages {
		all = append(all, Entries(x)...)
	}
	if len(pages) > 0 && len(all) == 0 {
		v.NeedsSubject("nothing is listed")
	}
	return all
}

// Entries lists the entries of one page.
func Entries(x *recording.Exchange) []Item {
	type key struct{}
	all, _ := x.Note(key{}, func() any { return slices.Clip(entriesOf(x)) }).([]Item)
	return all
}

func entriesOf(x *recording.Exchange) []Item {
	list := x.Value(MemberOf(x))
	if !list.IsArray() {
		return nil
	}
	kind, id, frames := "resource", "uri", slices.Clip(x.Evidence())
	if MemberOf(x) == "resourceTemplates" {
		kind, id = "template", "uriTemplate"
	}
	var all []Item
	place, unnamed := 0, 0
	judge.Each(list, func(e gjson.Result) {
		u := e.Get(id)
		name := "the " + kind + " "
		place++
		if judge.IsString(u) {
			name += judge.Brief(u)
		} else if unnamed++; unnamed <= mostUnnamed {
			name = fmt.Sprintf("%s %d of its page", kind, place)
		} else {
			return
		}
		all = append(all, Item{wire.LookedUp(e), name, frames})
	})
	return all
}

// mostUnnamed is how many entries of a page are looked at that have no identifier. One such entry
// is a violation, and half a million take two bytes each in the message and hundreds here.
const mostUnnamed = 100

// resultOf is the result of an exchange, its members looked up.
func resultOf(x *recording.Exchange) wire.Object {
	type key struct{}
	o, _ := x.Note(key{}, func() any { return wire.LookedUp(x.Result()) }).(wire.Object)
	return o
}

// Typed judges an item by a named type of the message schemas: it notes a violation for each
// of some members, written as in [schema.Violation], of which a value, the first, is not of its type, or not
// there although it has to be in the object that it belongs to. What is inside of a member is judged
// where it is named, too. Members that the revision does not know can be anything.
func (v *Verdict) Typed(i Item, of string, members ...string) {
	v.Holds()
	for _, path := range members {
		m := schema.For(v.Revision()).Member(of, path)
		if !m.Known {
			continue
		}
		place, value := misfit(i.Object, path, func(value gjson.Result) bool {
			return value.Exists() && m.Fits(value) || !value.Exists() && !m.Required
		})
		if place == "" {
			continue
		}
		expected := path + " as " + m.Want
		if !m.Required && !m.Each {
			expected += ", or absent"
		}
		actual := place + " of " + i.Name + " is " + judge.TypeName(value)
		if value.Type != gjson.Null && value.Type != gjson.JSON {
			actual += " (" + judge.Brief(value) + ")"
		}
		null := value.Type == gjson.Null && value.Exists() && !m.Required && !m.Each
		v.Fail(i, expected, "%s", actual).Hint(map[bool]string{true: OmitNull}[null])
	}
}

// OmitNull says what to do about a null that stands for what is not there.
const OmitNull = "leave the member out instead of sending null"

// misfit finds the first value at a path of members that is not as it should be, and where it stands;
// "" if there is none. Where an object lacks the last of them, what does not exist is looked at.
func misfit(owner wire.Object, path string, fits func(gjson.Result) bool) (place string, at gjson.Result) {
	step, rest, more := strings.Cut(path, ".")
	name, items := strings.CutSuffix(step, "[]")
	// look says where in a value the first is, behind the value's own name; only then that is made.
	look := func(value gjson.Result, own func() string) {
		switch {
		case place != "":
		case !more:
			if !fits(value) {
				place, at = own(), value
			}
		case value.IsObject():
			if inner, v := misfit(wire.Object{Result: value}, rest, fits); inner != "" {
				place, at = own()+"."+inner, v
			}
		}
	}
	switch {
	case name == "*":
		for _, key := range judge.Names(owner.Result) {
			look(judge.Member(owner.Result, key), func() string { return Quoted(key) })
		}
	case items:
		n := 0
		judge.Each(owner.Get(name), func(item gjson.Result) {
			look(item, func() string { return fmt.Sprintf("%s[%d]", name, n) })
			n++
		})
	default:
		look(owner.Get(name), func() string { return name })
	}
	return place, at
}

// TypedResult judges members of a result by its type: see [Typed].
func TypedResult(of string, members ...string) func(*recording.Exchange, *Verdict) {
	return func(x *recording.Exchange, v *Verdict) {
		v.Typed(NewItem(x.Result(), "the answer to "+x.Method, x.Evidence()), of, members...)
	}
}

// few joins the first of many names for a sentence.
func few(names []string) string {
	const shown = 3
	text := strings.Join(names[:min(len(names), shown)], ", ")
	if len(names) > shown {
		text += fmt.Sprintf(" and %d more", len(names)-shown)
	}
	return text
}

// Sightings collects what an observation is made of: it is told once, with the
// first examples, however often it was seen.
type Sightings struct {
	Names  []string // each once
	times  map[string]int
	frames Frames
}

// Add adds one sighting, with the frames that show it. What was seen is a format: see [Verdict.That].
func (s *Sightings) Add(on Cited, format string, args ...any) {
	if s.times == nil {
		s.times = map[string]int{}
	}
	name := say(format, args...)
	if s.times[name]++; s.times[name] > 1 {
		return
	}
	if s.Names = append(s.Names, name); len(s.Names) <= 3 {
		s.frames = append(s.frames, Several{on}.Evidence()...)
	}
}

// Observe notes the observation if anything was seen. The detail has one %d, for
// the number, words that follow it as {one|many}, and one %s, for examples, each with how often it was seen.
func (s *Sightings) Observe(v *Verdict, id, detail string) {
	if len(s.Names) == 0 {
		return
	}
	total, examples := 0, make([]string, len(s.Names))
	for i, name := range s.Names {
		total += s.times[name]
		if examples[i] = name; s.times[name] > 1 {
			examples[i] += fmt.Sprintf(" (%d times)", s.times[name])
		}
	}
	v.Observe(s.frames, id, plural.Of(total, detail), total, few(examples))
}

// AddMisspelt adds the members of an item that look like one with a meaning, but are
// written in other letters, with other signs between the words, or with others before.
func (s *Sightings) AddMisspelt(i Item, members []string) {
	if !i.IsObject() {
		return
	}
	i.ForEach(func(name, _ gjson.Result) bool {
		if slices.Contains(members, name.Str) {
			return true
		}
		plain := squeezed(name.Str)
		for _, m := range members {
			if m != "_meta" && plain == squeezed(m) {
				s.Add(i, "%s for %s in %s", name.Str, m, i.Name)
			}
		}
		return true
	})
}

// squeezed is a name without what distinguishes the ways of writing it.
func squeezed(name string) string { return strings.ToLower(signs.Replace(name)) }

var signs = strings.NewReplacer("_", "", "-", "")

// ObserveMisspelt notes the observation about members that [Sightings.AddMisspelt] found.
func (s *Sightings) ObserveMisspelt(v *Verdict) {
	s.Observe(v, "misspelt-member",
		"%d written unlike the member of the specification, so that clients ignore it: %s")
}

// ListedURIs lists the URIs of a walk through the resources; those that are no
// strings are judged elsewhere.
func ListedURIs(v *Verdict) []Item { return v.listedTexts("uri") }

// TemplateTexts lists the URI templates of a walk; those that are no strings are
// judged by TMPL-02.
func TemplateTexts(v *Verdict) []Item {
	return v.listedTexts("uriTemplate")
}

func (v *Verdict) listedTexts(member string) []Item {
	items := ListedItems(v)
	all := make([]Item, 0, len(items))
	for _, i := range items {
		if u := i.Get(member); judge.IsString(u) {
			all = append(all, NewItem(u, i.Name, i.Frames))
		}
	}
	return all
}

// ListedIn lists the frames of the page of a walk on which a URI or a template stands. The check has to name
// the walk among its inputs.
func (v *Verdict) ListedIn(walk recording.Name, id string) []int {
	r := v.Input(walk)
	if r == nil {
		return nil
	}
	for _, x := range r.Steps(recording.StepPage) {
		for _, i := range Entries(x) {
			if i.Get("uri").Str == id || i.Get("uriTemplate").Str == id {
				return i.Frames
			}
		}
	}
	return nil
}

// Remarks notes what an author of resources or templates would want to know about
// the list.
func (v *Verdict) Remarks(items []Item, members []string) {
	var bare, unnamed, misspelt Sightings
	for _, i := range items {
		if description := i.Get("description"); i.IsObject() &&
			(!description.Exists() || description.Str == "" && description.Type == gjson.String) {
			bare.Add(i, "%s", i.Name)
		}
		if name := i.Get("name"); judge.IsString(name) && strings.TrimSpace(name.Str) == "" {
			unnamed.Add(i, "%s", i.Name)
		}
		misspelt.AddMisspelt(i, members)
	}
	unnamed.Observe(v, "empty-name",
		"%d listed under a name without a letter, by which programs tell them apart: %s")
	bare.Observe(v, "no-description", "%d listed without a description, by which users and models choose: %s")
	misspelt.ObserveMisspelt(v)
}

// Walked lists the pages of a walk that got beyond its first page; otherwise it
// says why nothing about paging can be judged and returns nil.
func (v *Verdict) Walked() []*recording.Exchange {
	pages := v.Steps(recording.StepPage)
	switch {
	case len(pages) == 0 || !v.Answered(pages[0]):
	case !pages[0].Succeeded():
		v.NeedsSubject("the list was refused: %v", pages[0])
	case len(pages) == 1:
		v.NeedsSubject("all of %s fits on one page", pages[0].Method)
	default:
		return pages
	}
	return nil
}

// IDsOf lists the URIs (or URI templates) of a page, "" for an entry without one.
func IDsOf(x *recording.Exchange) []string {
	var all []string
	unnamed := 0
	judge.Each(x.Value(MemberOf(x)), func(item gjson.Result) {
		u := item.Get("uri")
		if !u.Exists() {
			u = item.Get("uriTemplate")
		}
		if !u.Exists() {
			unnamed++
		}
		if u.Exists() || unnamed <= mostUnnamed {
			all = append(all, u.Raw)
		}
	})
	return all
}

// MemberOf is the member that holds the entries of a page.
func MemberOf(x *recording.Exchange) string {
	if x.Method == "resources/templates/list" {
		return "resourceTemplates"
	}
	return "resources"
}

// ListEntries lists the entries of a list result in an order that does not depend on
// the target.
func ListEntries(x *recording.Exchange) []string {
	var all []string
	for _, member := range []string{"resources", "resourceTemplates"} {
		judge.Each(x.Value(member), func(e gjson.Result) { all = append(all, e.Raw) })
	}
	slices.Sort(all)
	return all
}

// LeadsOn reports whether an answer is a page that is not the last one.
func LeadsOn(x *recording.Exchange) bool { return x.Value("nextCursor").Exists() }

// SameSet reports whether two pages list the same URIs, in any order.
func SameSet(a, b *recording.Exchange) bool {
	return slices.Equal(URISet(a), URISet(b))
}

// SamePage reports whether two answers are the same page of a list that may change
// meanwhile, and whose pages may be of any length: they share at least half of what the shorter one has. Two
// places in a list share nothing.
func SamePage(x, y *recording.Exchange) bool {
	if SameSet(x, y) {
		return true
	}
	a, b := IDsOf(x), IDsOf(y)
	shared := 0
	for _, id := range b {
		if slices.Contains(a, id) {
			shared++
		}
	}
	return shared > 0 && 2*shared >= min(len(a), len(b))
}

// URISet is the sorted set of the URIs on pages.
func URISet(pages ...*recording.Exchange) []string {
	var all []string
	for _, x := range pages {
		all = append(all, IDsOf(x)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Difference says in a few words how two sets of URIs differ.
func Difference(a, b []string) string {
	only := func(a, b []string) []string {
		var rest []string
		for _, x := range a {
			if _, in := slices.BinarySearch(b, x); !in {
				rest = append(rest, judge.Brief(gjson.Parse(x)))
			}
		}
		return rest
	}
	text := fmt.Sprintf("%d resources and %d", len(a), len(b))
	if gone := only(a, b); len(gone) > 0 {
		text += ", the second without " + few(gone)
	}
	if fresh := only(b, a); len(fresh) > 0 {
		text += ", the second also with " + few(fresh)
	}
	return text
}

// Quoted is a name in a sentence, cut to a length that fits there.
func Quoted(name string) string {
	return judge.Brief(gjson.Result{Type: gjson.String, Raw: `"` + strings.ToValidUTF8(name, "\uFFFD") + `"`})
}

// ParamsOf is the params of a request for a sentence.
func ParamsOf(x *recording.Exchange) string {
	return judge.Brief(matcher.WithoutMeta(gjson.ParseBytes(x.Params)))
}

// Texts lists the strings of an array.
func Texts(list gjson.Result) []string {
	var all []string
	if list.IsArray() {
		for _, s := range list.Array() {
			if s.Type == gjson.String {
				all = append(all, s.Str)
			}
		}
	}
	return all
}

// CoreType reports whether a result type is one of the core protocol.
func CoreType(t string) bool { return t == "complete" || t == "input_required" }

// Tag is a tag of an exchange that may be missing.
func Tag(x *recording.Exchange, name recording.Tag) string {
	if x == nil {
		return ""
	}
	return x.Tags[name]
}

// The keys of the protocol in _meta.
const (
	MetaServerInfo        = "io.modelcontextprotocol/serverInfo"
	KeyClientCapabilities = "io.modelcontextprotocol/clientCapabilities"
	KeyProtocolVersion    = "io.modelcontextprotocol/protocolVersion"
)
