package areatest

import (
	"fmt"
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
