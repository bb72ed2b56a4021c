// Package areatest judges recordings that tests make up with the checks of the areas.
package areatest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Run is a requirement judged on a recording, and the verdict that is due.
type Run struct {
	ID   string
	Want verdict.Outcome
	Rec  []rt.Line
}

// Lines lists lines.
func Lines(l ...rt.Line) []rt.Line { return l }

// WalkRuns judges each run in every revision of its requirement on stdio; a
// fail that is due becomes a warn where the grade says so.
func WalkRuns(t *testing.T, name recording.Name, capabilities string, runs []Run, revisions ...requirement.Revision) {
	t.Helper()
	for i, x := range runs {
		req, ok := area.Catalogue().Find(x.ID)
		if !ok {
			t.Fatalf("%s is not in the catalogue", x.ID)
		}
		k, ok := area.BuiltIn().Check(x.ID)
		if !ok {
			t.Fatalf("%s has no check", x.ID)
		}
		in := revisions
		if len(in) == 0 {
			in = req.Revisions
		}
		for _, rev := range in {
			t.Run(fmt.Sprintf("%s/%d/%s", x.ID, i, rev), func(t *testing.T) {
				tr := req.Transports[0]
				facts := rt.Facts(requirement.Combination{Revision: rev, Transport: tr}, capabilities)
				got := verdict.Evaluate(k, req, facts, verdict.Recordings{name: rt.New(name, facts, x.Rec...)})
				want := x.Want
				if want == verdict.Fail && req.GradeIn(rev) != requirement.Fail {
					want = verdict.Warn
				}
				if got.Outcome != want {
					t.Errorf("%s, expected %s\n%+v", got.Outcome, want, got)
				}
			})
		}
	}
}

// Observations are those of a check on a recording, in one revision; recs are further
// recordings that it looks at.
func Observations(t *testing.T, id string, name recording.Name, rec []rt.Line, recs ...*recording.Recording) map[string]string {
	t.Helper()
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	req, known := area.Catalogue().Find(id)
	k, ok := area.BuiltIn().Check(id)
	if !known || !ok {
		t.Fatalf("%s has no check", id)
	}
	all := verdict.Recordings{name: rt.New(name, facts, rec...)}
	for _, r := range recs {
		all[r.Scenario] = r
	}
	found := map[string]string{}
	for _, o := range verdict.Evaluate(k, req, facts, all).Observations {
		if found[o.ID] != "" {
			t.Errorf("%s is told twice", o.ID)
		}
		if len(o.Frames) == 0 {
			t.Errorf("%s has no evidence", o.ID)
		}
		found[o.ID] = o.Detail
	}
	return found
}

// Observed checks that there is one observation, and what it says.
func Observed(t *testing.T, got map[string]string, id string, parts ...string) {
	t.Helper()
	if id == "" {
		if len(got) > 0 {
			t.Errorf("observed: %v", got)
		}
		return
	}
	if len(got) != 1 || got[id] == "" {
		t.Errorf("observed: %v instead of %s", got, id)
	}
	for _, part := range parts {
		if !strings.Contains(got[id], part) {
			t.Errorf("%s: %q does not contain %q", id, got[id], part)
		}
	}
}
