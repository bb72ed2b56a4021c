package check

import (
	"fmt"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// run is a requirement judged on a recording, and the verdict that is due.
type run struct {
	id   string
	want Outcome
	rec  []rt.Line
}

func lines(l ...rt.Line) []rt.Line { return l }

// walkRuns judges each run in every revision of its requirement on stdio; a
// fail that is due becomes a warn where the grade says so.
func walkRuns(t *testing.T, name recording.Name, capabilities string, runs []run, revisions ...requirement.Revision) {
	t.Helper()
	for i, x := range runs {
		req, ok := requirement.Find(x.id)
		if !ok {
			t.Fatalf("%s is not in the catalogue", x.id)
		}
		k, ok := Find(x.id)
		if !ok {
			t.Fatalf("%s has no check", x.id)
		}
		in := revisions
		if len(in) == 0 {
			in = req.Revisions
		}
		for _, rev := range in {
			t.Run(fmt.Sprintf("%s/%d/%s", x.id, i, rev), func(t *testing.T) {
				tr := req.Transports[0]
				facts := rt.Facts(requirement.Combination{Revision: rev, Transport: tr}, capabilities)
				got := Evaluate(k, req, facts, Recordings{name: rt.New(name, facts, x.rec...)})
				want := x.want
				if want == Fail && req.GradeIn(rev) != requirement.Fail {
					want = Warn
				}
				if got.Outcome != want {
					t.Errorf("%s, expected %s\n%+v", got.Outcome, want, got)
				}
			})
		}
	}
}
