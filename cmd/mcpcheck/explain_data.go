package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// explanation is a requirement as "mcpcheck explain --json" shows it: a contract.
type explanation struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	// Demands say who has to do what by which keyword, the newest revision first, then where it changes.
	Demands     []demand                `json:"demands"`
	Change      string                  `json:"change,omitempty"`
	Observed    string                  `json:"observed,omitempty"`
	Area        string                  `json:"area"`
	Profile     string                  `json:"profile"`
	Level       requirement.Level       `json:"level"`
	Grade       requirement.Grade       `json:"grade"`
	Basis       requirement.Basis       `json:"basis"`
	Since       string                  `json:"since"`
	Provisional bool                    `json:"provisional,omitempty"`
	Transports  []requirement.Transport `json:"transports"`
	Revisions   []inRevision            `json:"revisions"`
	// Check says whether there is one; How, in sentences, how it judges.
	Check     bool           `json:"check"`
	How       []string       `json:"how"`
	Scenarios []conversation `json:"scenarios"`
	// Unless lists the conditions under which the check does not apply.
	Unless    []string    `json:"unless"`
	Needs     string      `json:"needs,omitempty"`
	Tolerated string      `json:"tolerated,omitempty"`
	Quirks    []behaviour `json:"quirks"`
	Faults    []behaviour `json:"faults"`
	// Seen lists released servers that broke it, at most five: what is known of the newest revision first.
	Seen []sighting `json:"seen"`
	related
	Examples *examples `json:"examples,omitempty"`

	Row       *requirement.Requirement `json:"-"`
	OfClients bool                     `json:"-"` // it is no requirement on servers
}

// demand is what a requirement demands up to a revision.
type demand struct {
	Until requirement.Revision `json:"until"`
	Text  string               `json:"text"`
}

// sighting is what a release of a server was seen to do.
type sighting struct {
	Server string `json:"server"`
	Does   string `json:"does"`
}

// seenJSON has, by the ids of requirements, sightings from the rulings on released servers, which are in a
// module of their own: TestSeen there writes it.
//
//go:embed seen.json
var seenJSON []byte

// sightings are those of a requirement.
func sightings(id string) []sighting {
	var all map[string][]sighting
	if err := json.Unmarshal(seenJSON, &all); err != nil {
		panic(err) // it is embedded
	}
	return append([]sighting{}, all[id]...)
}

// inRevision is what holds in one revision.
type inRevision struct {
	Revision   requirement.Revision    `json:"revision"`
	Level      requirement.Level       `json:"level"`
	Grade      requirement.Grade       `json:"grade"`
	Basis      requirement.Basis       `json:"basis"`
	Transports []requirement.Transport `json:"transports"`
	Sections   []place                 `json:"sections"`
}

// place is a section of the specification, or of another document.
type place struct {
	Section string `json:"section"`
	Heading string `json:"heading"`
	URL     string `json:"url,omitempty"`
}

// conversation is a scenario that a check judges.
type conversation struct {
	Name  recording.Name `json:"name"`
	Title string         `json:"title"`
	Sends string         `json:"sends"`
}

// behaviour is a fault or a quirk.
type behaviour struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
	Needs   string `json:"needs,omitempty"`
}

// explained says of a requirement all that needs no run.
func explained(r *requirement.Requirement) *explanation {
	x := &explanation{
		ID: r.ID, Title: r.Title, Text: r.Text, Change: r.Change, Observed: r.Observed, Profile: r.Profile,
		Level: r.Level, Grade: r.Grade,
		Basis: r.Basis, Since: r.Since, Provisional: r.Provisional, Transports: r.Transports,
		Revisions: []inRevision{},
		Scenarios: []conversation{}, Unless: []string{}, Needs: r.Needs, Tolerated: r.Tolerated,
		Quirks: []behaviour{}, Faults: []behaviour{},
		Seen: sightings(r.ID), related: relatedTo(r.ID), Row: r,
	}
	if a := cmp.Or(clientcheck.Catalogue().Area(r.Area()), area.Catalogue().Area(r.Area())); a != nil {
		x.Area = a.Title
	}
	_, x.OfClients = clientcheck.Catalogue().Find(r.ID)
	for _, rev := range r.Revisions {
		x.Revisions = append(x.Revisions, holding(r, rev))
	}
	for i, rev := range slices.Backward(r.Revisions) {
		next := r.Revisions[min(i+1, len(r.Revisions)-1)]
		if rev == next || r.LevelIn(rev) != r.LevelIn(next) || r.BasisIn(rev) != r.BasisIn(next) {
			x.Demands = append(x.Demands, demand{rev, r.Demand(requirement.Combination{Revision: rev})})
		}
	}
	for _, f := range fault.All() {
		if f.Requirement == r.ID {
			x.Faults = append(x.Faults, behaviour{f.Name, f.Summary,
				strings.Join(phrases("needs", f.Needs), ", ")})
		}
	}
	for _, q := range quirk.All() {
		if slices.Contains(q.Permits, r.ID) {
			x.Quirks = append(x.Quirks, behaviour{Name: q.Name, Summary: q.Summary})
		}
	}
	x.Check = x.OfClients
	if k, ok := area.BuiltIn().Check(r.ID); ok {
		x.Check = true
		for _, name := range k.Judged() {
			x.Scenarios = append(x.Scenarios, conversationOf(name))
		}
		x.Unless = unless(k)
	}
	x.How = phrases("how", x)
	return x
}

func holding(r *requirement.Requirement, rev requirement.Revision) inRevision {
	in := inRevision{Revision: rev, Level: r.LevelIn(rev), Grade: r.GradeIn(rev), Basis: r.BasisIn(rev),
		Transports: slices.DeleteFunc(rev.Transports(), func(t requirement.Transport) bool {
			return !slices.Contains(r.Transports, t)
		}), Sections: []place{}}
	for _, s := range r.Sections {
		if s.Holds(rev) {
			in.Sections = append(in.Sections, place{s.Ref(), s.Heading(), s.URL(rev)})
		}
	}
	return in
}

func conversationOf(name recording.Name) conversation {
	if name == recording.Everything {
		return conversation{name, "everything that is said in sessions in which we keep to the rules",
			"Whatever all other scenarios send there: each message of the target is looked at."}
	}
	c := conversation{Name: name, Title: string(name)}
	if s, ok := area.BuiltIn().Scenario(name); ok {
		c.Title, c.Sends = s.Title, s.Sends
	}
	return c
}

// unless finds out what keeps a check from applying, by asking its gates about
// targets of all sorts.
func unless(k *verdict.Check) []string {
	reasons := []string{}
	for _, gate := range k.Needs {
		for _, f := range sorts() {
			if skip := gate(f); skip != nil {
				if reason := strings.TrimSpace(skip.Reason); !slices.Contains(reasons, reason) {
					reasons = append(reasons, reason)
				}
				break
			}
		}
	}
	return reasons
}

// sorts are targets that differ in all that gates look at, the poorest first.
func sorts() []*recording.Facts {
	const much = `{"capabilities":{"resources":{"subscribe":true,"listChanged":true},"completions":{},` +
		`"logging":{},"extensions":{},"tools":{},"prompts":{}},"supportedVersions":["2025-11-25",` +
		`"2026-07-28"]}`
	allowed := map[string]bool{"any-origin": true, "public-bind": true}
	var all []*recording.Facts
	for _, declared := range []string{`{"capabilities":{}}`, much, ``} {
		for _, c := range requirement.Grid() {
			for _, served := range [][]requirement.Revision{{c.Revision}, requirement.Revisions()} {
				poor := recording.Facts{Combination: c, Declared: json.RawMessage(declared), Served: served}
				rich := poor
				rich.Owned, rich.Local, rich.Allowed = true, true, allowed
				all = append(all, &poor, &rich)
			}
		}
	}
	return all
}
