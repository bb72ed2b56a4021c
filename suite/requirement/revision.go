package requirement

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/revision"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// Revision is a protocol version: the date by which the specification names it.
type Revision string

// Revisions by name, those that something began with or ended with. All stand in package
// internal/revision, with what they inherit.
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// Revisions lists all revisions, oldest first.
func Revisions() []Revision {
	var all []Revision
	for _, name := range revision.Known().Names() {
		all = append(all, Revision(name))
	}
	return all
}

// Legacy lists the revisions that open with a handshake, oldest first.
func Legacy() []Revision { return slices.DeleteFunc(Revisions(), Revision.Modern) }

// entry is what the table says of a revision; an unknown one goes by its date.
func (r Revision) entry() revision.Entry { return revision.Known().Of(string(r)) }

// Modern reports whether the revision carries its metadata in every request
// instead of opening with a handshake.
func (r Revision) Modern() bool { return r.entry().Era == revision.Modern }

// Known reports whether the table holds the revision.
func (r Revision) Known() bool { return revision.Known().Has(string(r)) }

// Since reports whether the revision is another one or inherits from it. Of
// unknown revisions the date decides.
func (r Revision) Since(other Revision) bool {
	if r.Known() && other.Known() {
		return slices.Contains(r.entry().Line, string(other))
	}
	return r >= other
}

// Before reports whether the revision is neither another one nor inherits from it.
func (r Revision) Before(other Revision) bool { return !r.Since(other) }

// Transports lists the transports that the revision defines.
func (r Revision) Transports() []Transport {
	var all []Transport
	for _, name := range r.entry().Transports {
		all = append(all, Transport(name))
	}
	return all
}

// Span is the revisions from one on and until another, both included. An empty
// member sets no bound, so that revisions to come belong to it.
type Span struct {
	Since Revision `yaml:"since"`
	Until Revision `yaml:"until"`
}

// Holds reports whether a revision is in the span.
func (s Span) Holds(r Revision) bool {
	return (s.Since == "" || r.Since(s.Since)) && (s.Until == "" || r == s.Until || r.Before(s.Until))
}

// within narrows a span to another: what s leaves open, outer bounds.
func (s Span) within(outer Span) Span {
	s.Since = cmp.Or(s.Since, outer.Since)
	s.Until = cmp.Or(s.Until, outer.Until)
	return s
}

// revisions lists what is in the span, oldest first.
func (s Span) revisions() []Revision {
	return slices.DeleteFunc(Revisions(), func(r Revision) bool { return !s.Holds(r) })
}

// Transport is a way to carry messages.
type Transport string

// The transports: standard streams, Streamable HTTP (2025-03-26 on) and
// HTTP+SSE (2024-11-05).
const (
	Stdio Transport = revision.Stdio
	HTTP  Transport = revision.HTTP
	SSE   Transport = revision.SSE
)

// Transports lists all transports.
func Transports() []Transport { return []Transport{Stdio, HTTP, SSE} }

// Combination is a revision on a transport: what one set of verdicts is about.
type Combination struct {
	Revision  Revision  `json:"revision"`
	Transport Transport `json:"transport"`
}

// String is the combination in writing: "2025-11-25 on http".
func (c Combination) String() string {
	return string(c.Revision) + " on " + string(c.Transport)
}

// Defined reports whether the specification defines the combination. Real
// servers also negotiate others.
func (c Combination) Defined() bool {
	return slices.Contains(c.Revision.entry().Transports, string(c.Transport))
}

// Grid lists the combinations that the specification defines, by revision and
// then transport.
func Grid() []Combination {
	var grid []Combination
	for _, r := range Revisions() {
		for _, t := range r.Transports() {
			grid = append(grid, Combination{Revision: r, Transport: t})
		}
	}
	return grid
}

// Section is one place in the specification, or in a document outside it.
type Section struct {
	// Span is the revisions that hold the section.
	Span
	// Page is the page below /specification/REVISION/, such as
	// "server/resources", or "schema", or the name of an outside document,
	// such as "JSON-RPC 2.0".
	Page string
	// Anchor is the heading's slug without "#", or the type in the schema.
	Anchor string
	// Transport is the one that the section is cited for; empty means all.
	Transport Transport
	// Outside marks a document outside the specification, such as an RFC.
	Outside bool
}

// Ref is the section's place in writing: page#anchor.
func (s Section) Ref() string {
	if s.Anchor == "" {
		return s.Page
	}
	return s.Page + "#" + s.Anchor
}

// Heading names the section as a reader of the page finds it: "Response Format" in "Pagination".
func (s Section) Heading() string {
	switch h := sections().Headings; {
	case s.Outside:
		return s.Ref()
	case s.Page == schemaPage:
		return "the type " + s.Anchor + " in the published schema"
	case s.Anchor == "":
		return fmt.Sprintf("the page %q", h[s.Page])
	default:
		return fmt.Sprintf("%q in %q", h[s.Anchor], h[s.Page])
	}
}

// stands reports whether the section is a source in a combination; one without a
// transport stands for any.
func (s Section) stands(c Combination) bool {
	return s.Holds(c.Revision) && (s.Transport == "" || c.Transport == "" || s.Transport == c.Transport)
}

// URL is where the section can be read in a revision; empty for a document outside
// the specification. Revisions before 2025-06-18 publish their schema as a file,
// without a page.
func (s Section) URL(rev Revision) string {
	if s.Outside {
		return ""
	}
	if s.Page == schemaPage {
		if rev.Before(R20250618) {
			return "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/" +
				string(rev) + "/schema.ts"
		}
		s.Anchor = strings.ToLower(s.Anchor)
	}
	s.Page = strings.TrimSuffix(s.Page, "/index")
	return "https://modelcontextprotocol.io/specification/" + string(rev) + "/" + s.Ref()
}

// schemaPage is the page whose anchors are the types of the published schema.
const schemaPage = "schema"

// pageEntry is what the table says of a page of the specification.
type pageEntry struct {
	Span    `yaml:",inline"`
	Anchors map[string]Span `yaml:"anchors"`
}

// sectionTable is the table of sections: pages of the specification, and the
// anchors of documents outside it.
type sectionTable struct {
	Pages     map[string]pageEntry `yaml:"pages"`
	Documents map[string][]string  `yaml:"documents"`
	// Headings has the titles of pages, and the headings of anchors.
	Headings map[string]string `yaml:"headings"`
}

//go:embed sections.yaml
var sectionsText string

// sections is the table. It panics on a table that cannot be read: that is an
// error of this package, which every use of it shows.
var sections = sync.OnceValue(func() *sectionTable {
	t, err := readSections("suite/requirement/sections.yaml", sectionsText)
	if err != nil {
		panic(err)
	}
	return t
})

// readSections reads a table of sections. The error is a [*yamlfile.Error].
func readSections(file, text string) (*sectionTable, error) {
	t := &sectionTable{}
	x, err := yamlfile.Decode(file, []byte(text), t)
	if err != nil {
		return nil, err
	}
	r := &reader{x}
	for _, name := range slices.Sorted(maps.Keys(t.Pages)) {
		p := t.Pages[name]
		r.span("pages."+name, p.Span)
		for _, anchor := range slices.Sorted(maps.Keys(p.Anchors)) {
			path, span := "pages."+name+".anchors."+anchor, p.Anchors[anchor]
			r.span(path, span)
			r.inside(path, span, p.Span, name)
		}
	}
	return t, r.Err()
}

// find is the section that a reference such as "server/resources#capabilities"
// names; documents are those that a file brings beside the ones of the table.
func (t *sectionTable) find(ref string, documents map[string][]string) (Section, bool) {
	name, anchor, _ := strings.Cut(ref, "#")
	s := Section{Page: name, Anchor: anchor}
	p, ok := t.Pages[name]
	if !ok {
		anchors := slices.Concat(t.Documents[name], documents[name])
		s.Outside = true
		return s, slices.Contains(anchors, anchor) || anchor == "" && len(anchors) > 0
	}
	span, ok := p.Anchors[anchor]
	s.Span = span.within(p.Span)
	return s, ok || anchor == ""
}

// hint ends the message that a reference names nothing.
func (t *sectionTable) hint(ref string, documents map[string][]string) string {
	name, anchor, _ := strings.Cut(ref, "#")
	if anchors := slices.Concat(slices.Collect(maps.Keys(t.Pages[name].Anchors)), t.Documents[name],
		documents[name]); len(anchors) > 0 {
		return didYouMean(anchor, anchors)
	}
	return didYouMean(name, slices.Concat(slices.Collect(maps.Keys(t.Pages)),
		slices.Collect(maps.Keys(t.Documents)), slices.Collect(maps.Keys(documents))))
}
