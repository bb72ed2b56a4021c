package requirement

import (
	_ "embed"
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// Revision is a protocol version: the date by which the specification names it.
type Revision string

// The revisions by name. What they are and what they inherit stands in
// revisions.yaml.
const (
	R20241105 Revision = "2024-11-05"
	R20250326 Revision = "2025-03-26"
	R20250618 Revision = "2025-06-18"
	R20251125 Revision = "2025-11-25"
	R20260728 Revision = "2026-07-28"
)

// The eras of [Revision.Modern].
const (
	eraLegacy = "legacy"
	eraModern = "modern"
)

// revisionEntry is what the table says of a revision. Once it is read, era and
// transports are filled in, and line lists the revision and all it inherits from.
type revisionEntry struct {
	Inherits   Revision    `yaml:"inherits"`
	Era        string      `yaml:"era"`
	Transports []Transport `yaml:"transports"`
	line       []Revision
}

// revisionTable is the table of revisions, order its dates, oldest first.
type revisionTable struct {
	entries map[Revision]revisionEntry
	order   []Revision
}

//go:embed revisions.yaml
var revisionsText string

// revisions is the table. It panics on a table that cannot be read: that is an
// error of this package, which every use of it shows.
var revisions = sync.OnceValue(func() *revisionTable {
	t, err := readRevisions("suite/requirement/revisions.yaml", revisionsText)
	if err != nil {
		panic(err)
	}
	return t
})

// readRevisions reads a table of revisions. The error is a [*yamlfile.Error].
func readRevisions(file, text string) (*revisionTable, error) {
	var f struct {
		Revisions map[Revision]revisionEntry `yaml:"revisions"`
	}
	x, err := yamlfile.Decode(file, []byte(text), &f)
	if err != nil {
		return nil, err
	}
	r := &reader{index: x}
	t := &revisionTable{entries: f.Revisions, order: slices.Sorted(maps.Keys(f.Revisions))}
	if len(t.order) == 0 {
		r.fail("", "no revisions")
	}
	for i, date := range t.order {
		path, e := "revisions."+string(date), t.entries[date]
		if e.Inherits != "" {
			from, known := t.entries[e.Inherits]
			if !known || e.Inherits >= date {
				r.fail(path+".inherits", "%s: no earlier revision %q to inherit from", date, e.Inherits)
				continue
			}
			if e.Era == "" {
				e.Era = from.Era
			}
			if e.Transports == nil {
				e.Transports = from.Transports
			}
			e.line = slices.Clone(from.line)
		} else if i > 0 {
			r.fail(path, "%s: only the first revision inherits from none", date)
		}
		oneOf(r, path+".era", e.Era, eraLegacy, eraModern)
		if len(e.Transports) == 0 {
			r.fail(path, "%s: no transports", date)
		}
		for _, transport := range e.Transports {
			oneOf(r, path+".transports", transport, Transports()...)
		}
		e.line = append(e.line, date)
		t.entries[date] = e
	}
	return t, r.err()
}

// Revisions lists all revisions, oldest first.
func Revisions() []Revision { return slices.Clone(revisions().order) }

// Legacy lists the revisions that open with a handshake, oldest first.
func Legacy() []Revision { return slices.DeleteFunc(Revisions(), Revision.Modern) }

// entry is what the table says of a revision; of an unknown one what it says of
// the latest that is not younger, or else of the first.
func (r Revision) entry() revisionEntry {
	t := revisions()
	if e, ok := t.entries[r]; ok {
		return e
	}
	i, _ := slices.BinarySearch(t.order, r)
	return t.entries[t.order[max(i-1, 0)]]
}

// Modern reports whether the revision carries its metadata in every request
// instead of opening with a handshake.
func (r Revision) Modern() bool { return r.entry().Era == eraModern }

// Known reports whether the table holds the revision.
func (r Revision) Known() bool {
	_, ok := revisions().entries[r]
	return ok
}

// Since reports whether the revision is another one or inherits from it. Of
// unknown revisions the date decides.
func (r Revision) Since(other Revision) bool {
	if e, ok := revisions().entries[r]; ok && other.Known() {
		return slices.Contains(e.line, other)
	}
	return r >= other
}

// Before reports whether the revision is neither another one nor inherits from it.
func (r Revision) Before(other Revision) bool { return !r.Since(other) }

// Transports lists the transports that the revision defines.
func (r Revision) Transports() []Transport { return slices.Clone(r.entry().Transports) }

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
	if s.Since == "" {
		s.Since = outer.Since
	}
	if s.Until == "" {
		s.Until = outer.Until
	}
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
	Stdio Transport = "stdio"
	HTTP  Transport = "http"
	SSE   Transport = "sse"
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
	return slices.Contains(c.Revision.entry().Transports, c.Transport)
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
