// Package requirement holds the types of the catalogue, and reads it: every statement
// of the Model Context Protocol that mcpcheck holds a server to, with its level, its
// grade, the revisions and transports it applies to, and the section it comes from.
//
// The rows stand in one file per area (see [ReadArea]); what a revision is and inherits
// in package internal/revision, the sections of the specification in sections.yaml. Ids are
// permanent: they are never renumbered and never reused.
package requirement

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
)

// Level is the keyword of the specification (RFC 2119): how binding the
// statement is. MUST NOT and schema rules count as MUST, SHOULD NOT as SHOULD.
type Level = string

// The levels, as reports have them.
const (
	Must   = reports.LevelMust
	Should = reports.LevelShould
	May    = reports.LevelMay
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

// Gravity says what a violation means to the users of a target, whatever its grade.
type Gravity = reports.Gravity

// The gravities of rows; most have none, and their violations are as grave as their verdict.
const (
	Basic    = reports.GravityBasic    // without it clients get nothing; only of failures
	Security = reports.GravitySecurity // somebody can do harm
	Codes    = reports.GravityCodes    // no more than the code of an error is another one
)

// Terms is how binding a requirement is, what a violation is worth, and what both
// rest on.
type Terms struct {
	Level Level `yaml:"level"`
	Grade Grade `yaml:"grade"`
	Basis Basis `yaml:"basis"`
}

// over takes what is left open from other terms. If these leave the grade open too, it
// follows from level and basis. The grade of a MUST makes no SHOULD fail.
func (t Terms) over(other Terms) Terms {
	made := Terms{cmp.Or(t.Level, other.Level), t.Grade, cmp.Or(t.Basis, other.Basis)}
	switch {
	case made.Grade != "":
	case made.Level == Should && other.Grade == Fail:
		made.Grade = Warn
	case other.Grade != "":
		made.Grade = other.Grade
	case made.Level == May:
		made.Grade = Control
	case made.Level == Must && (made.Basis == Normative || made.Basis == Schema):
		made.Grade = Fail
	default:
		made.Grade = Warn
	}
	return made
}

// downgraded lowers a failure to a warning.
func (t Terms) downgraded() Terms {
	if t.Grade == Fail {
		t.Grade = Warn
	}
	return t
}

// Requirement is one row of the catalogue.
type Requirement struct {
	// ID is permanent: an area, a hyphen and a number, such as "PAGE-02".
	ID string
	// Title is the requirement in a few words; Text in a full sentence of
	// our own.
	Title string `yaml:"title"`
	Text  string `yaml:"text"`
	// Change says what to do where the requirement is broken and a check has nothing more
	// particular to say.
	Change string `yaml:"change"`
	// Profile is the profile that it counts towards.
	Profile string `yaml:"profile"`
	// Terms hold where a revision has none of its own.
	Terms `yaml:",inline"`
	// Gravity is empty where nothing more than the grade is to be said.
	Gravity Gravity `yaml:"gravity"`
	// Observed is the id of the observation that a violation is where the grade is info;
	// empty means "not-as-expected".
	Observed string `yaml:"observed"`
	// Under are the ids of deeper requirements, the deepest first: a violation that stands where
	// one of theirs does is the same defect, and people read of it there.
	Under []string `yaml:"under"`
	// Revisions and Transports say where the requirement applies.
	Revisions  []Revision
	Transports []Transport `yaml:"transports"`
	// Sections lists the sources, the most telling one first.
	Sections []Section
	// Implied says what the demand follows from where no keyword and no rule of the schema makes it.
	Implied string `yaml:"implied"`
	// Tolerated says what the check lets pass, and why.
	Tolerated string `yaml:"tolerated"`
	// Needs says what the user must add to the target file before the
	// requirement can be judged; empty if nothing.
	Needs string `yaml:"needs"`
	// Config names what of the target file that is, such as "subjects.missing"; empty where it
	// is something else.
	Config []string `yaml:"config"`
	// Untestable says why no black-box check can exist; empty if one can.
	Untestable string `yaml:"untestable"`
	// Since is the release of mcpcheck that brought the row.
	Since string
	// Provisional rows warn at most: they are new in this minor release.
	Provisional bool `yaml:"provisional"`
	// in holds the terms in each of the revisions.
	in map[Revision]Terms
	// gridOnly rows do not apply in combinations that the specification does
	// not define.
	gridOnly bool
}

// Area is the first part of the id, such as "PAGE".
func (r *Requirement) Area() string {
	area, _, _ := strings.Cut(r.ID, "-")
	return area
}

// LevelIn is the level in a revision.
func (r *Requirement) LevelIn(rev Revision) Level { return r.termsIn(rev).Level }

// GradeIn is the grade in a revision.
func (r *Requirement) GradeIn(rev Revision) Grade { return r.termsIn(rev).Grade }

// BasisIn is the basis in a revision.
func (r *Requirement) BasisIn(rev Revision) Basis { return r.termsIn(rev).Basis }

func (r *Requirement) termsIn(rev Revision) Terms {
	if t, ok := r.in[rev]; ok {
		return t
	}
	return r.Terms
}

// Demand says who has to do what in a combination, by which keyword, and where the specification says so;
// if it does not say so, what implies it.
func (r *Requirement) Demand(c Combination) string {
	who, at := "servers", "the specification"
	if r.Area() == "CL" {
		who = "clients"
	}
	if s, ok := r.SectionOn(c); ok {
		at = s.Heading()
	}
	text := fmt.Sprintf("A %s for %s: %s See %s.", r.LevelIn(c.Revision), who, r.Text, at)
	switch r.BasisIn(c.Revision) {
	case SchemaDoc:
		text += " No sentence with a keyword says so, but a comment in the published schema."
	case Implied, External:
		text += " No sentence with a keyword says so; it is implied by " + r.Implied + "."
	}
	return text
}

// SectionIn is the best source for a revision: the first section that the
// revision holds, else the first outside document.
func (r *Requirement) SectionIn(rev Revision) (Section, bool) {
	return r.SectionOn(Combination{Revision: rev})
}

// SectionOn is the best source for a combination.
func (r *Requirement) SectionOn(c Combination) (Section, bool) {
	for _, outside := range []bool{false, true} {
		for _, s := range r.Sections {
			if s.Outside == outside && s.stands(c) {
				return s, true
			}
		}
	}
	return Section{}, false
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
	if r.gridOnly {
		return false
	}
	return !slices.ContainsFunc(c.Revision.Transports(), func(t Transport) bool {
		return !slices.Contains(r.Transports, t)
	})
}
