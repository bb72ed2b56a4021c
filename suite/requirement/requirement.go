// Package requirement is the catalogue: every statement of the Model Context
// Protocol that mcpcheck holds a server to, with its level, its grade, the
// revisions and transports it applies to, and the section it comes from.
//
// It is data and types, without I/O. The rows stand in one file per area, in
// the order of the specification; [Catalogue] joins them. Ids are permanent:
// they are never renumbered and never reused.
package requirement

import (
	"fmt"
	"slices"
	"strings"
)

// Level is the keyword of the specification (RFC 2119): how binding the
// statement is. MUST NOT and schema rules count as MUST, SHOULD NOT as SHOULD.
type Level string

// The levels.
const (
	Must   Level = "MUST"
	Should Level = "SHOULD"
	May    Level = "MAY"
)

// Grade is what a violation is worth.
type Grade string

// The grades. A control row is a permission: a server that uses it must not be
// flagged by any check; an info row is only ever an observation.
const (
	Fail    Grade = "fail"
	Warn    Grade = "warn"
	Info    Grade = "info"
	Control Grade = "control"
)

// Basis says what a requirement rests on.
type Basis string

// The bases. Only Normative (a keyword sentence) and Schema (a type rule of the
// published schema) can fail a server by themselves; the others fail only where
// the server contradicts its own declaration or data.
const (
	Normative Basis = "normative"
	Schema    Basis = "schema"
	SchemaDoc Basis = "schema-doc"
	External  Basis = "external"
	Implied   Basis = "implied"
)

// Section is one place in the specification.
type Section struct {
	// From and To are the first and the last revision that hold the
	// section. Both empty: a document outside the specification (an RFC).
	From, To Revision
	// Page is the page below /specification/REVISION/, such as
	// "server/resources", or "schema", or the name of an outside document,
	// such as "JSON-RPC 2.0".
	Page string
	// Anchor is the heading's slug without "#", or the type in the schema.
	Anchor string
}

// Ref is the section's place in writing: page#anchor.
func (s Section) Ref() string {
	if s.Anchor == "" {
		return s.Page
	}
	return s.Page + "#" + s.Anchor
}

// URL is where the section can be read in a revision; empty for a document outside
// the specification. Revisions before 2025-06-18 publish their schema as a file,
// without a page.
func (s Section) URL(rev Revision) string {
	if s.From == "" {
		return ""
	}
	if s.Page == "schema" {
		if rev < R20250618 {
			return "https://github.com/modelcontextprotocol/modelcontextprotocol/blob/main/schema/" + string(rev) + "/schema.ts"
		}
		s.Anchor = strings.ToLower(s.Anchor)
	}
	s.Page = strings.TrimSuffix(s.Page, "/index")
	return "https://modelcontextprotocol.io/specification/" + string(rev) + "/" + s.Ref()
}

// Exception changes a requirement in one revision. Empty members keep the
// requirement's own value.
type Exception struct {
	Level Level
	Grade Grade
	Basis Basis
}

// Requirement is one row of the catalogue.
type Requirement struct {
	// ID is permanent: an area, a hyphen and a number, such as "PAGE-02".
	ID string
	// Title is the requirement in a few words; Text in a full sentence of
	// our own.
	Title, Text string
	Level       Level
	Grade       Grade
	Basis       Basis
	// In lists the revisions in which level, grade or basis differ.
	In map[Revision]Exception
	// Revisions and Transports say where the requirement applies.
	Revisions  []Revision
	Transports []Transport
	// Sections lists the sources, the most telling one first.
	Sections []Section
	// Tolerated says what the check lets pass, and why.
	Tolerated string
	// Needs says what the user must add to the target file before the
	// requirement can be judged; empty if nothing.
	Needs string
	// Untestable says why no black-box check can exist; empty if one can.
	Untestable string
	// Since is the release of mcpcheck that brought the row.
	Since string
	// Provisional rows warn at most: they are new in this minor release.
	Provisional bool
}

// Area is the first part of the id, such as "PAGE".
func (r *Requirement) Area() string {
	area, _, _ := strings.Cut(r.ID, "-")
	return area
}

// LevelIn is the level in a revision.
func (r *Requirement) LevelIn(rev Revision) Level {
	if x := r.In[rev].Level; x != "" {
		return x
	}
	return r.Level
}

// GradeIn is the grade in a revision. A SHOULD never fails, and a provisional
// row warns at most.
func (r *Requirement) GradeIn(rev Revision) Grade {
	grade := r.Grade
	if x := r.In[rev].Grade; x != "" {
		grade = x
	} else if grade == Fail && r.In[rev].Level == Should {
		grade = Warn
	}
	if grade == Fail && r.Provisional {
		grade = Warn
	}
	return grade
}

// BasisIn is the basis in a revision.
func (r *Requirement) BasisIn(rev Revision) Basis {
	if x := r.In[rev].Basis; x != "" {
		return x
	}
	return r.Basis
}

// SectionIn is the best source for a revision: the first section that the
// revision holds, else the first outside document.
func (r *Requirement) SectionIn(rev Revision) (Section, bool) {
	for _, s := range r.Sections {
		if s.From != "" && s.From <= rev && rev <= s.To {
			return s, true
		}
	}
	for _, s := range r.Sections {
		if s.From == "" {
			return s, true
		}
	}
	return Section{}, false
}

// Citation is the source in a revision in one line, such as
// "2025-11-25 server/resources#error-handling".
func (r *Requirement) Citation(rev Revision) string {
	s, ok := r.SectionIn(rev)
	if !ok {
		return string(rev)
	}
	if s.From == "" {
		return s.Ref()
	}
	return fmt.Sprintf("%s %s", rev, s.Ref())
}

// Names reports whether the requirement applies to a combination. Real servers
// also negotiate combinations that the specification does not define (say
// 2025-11-25 over HTTP+SSE): there every requirement applies that holds on all
// transports of its revision, and none that is about one transport.
func (r *Requirement) Names(c Combination) bool {
	if !slices.Contains(r.Revisions, c.Revision) {
		return false
	}
	if c.Defined() {
		return slices.Contains(r.Transports, c.Transport)
	}
	if r.Area() == "BATCH" {
		return false // what a transport takes as one message is a matter of the transport
	}
	for _, t := range c.Revision.Transports() {
		if !slices.Contains(r.Transports, t) {
			return false
		}
	}
	return true
}
