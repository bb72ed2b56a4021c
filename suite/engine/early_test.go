package engine

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Verdicts are given while the run goes on, and those that are given early are the ones
// that the end of the run would have led to, whatever the target does meanwhile.
func TestEarlyVerdicts(t *testing.T) {
	for _, fault := range []string{
		"none", "sess-09-works-once",
	} {
		t.Run(fault, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { judgedEarly(t, fault, requirement.R20251125, true) })
		})
	}
	for _, rev := range []requirement.Revision{requirement.R20251125, requirement.R20260728} {
		t.Run("without triggers/"+string(rev), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { judgedEarly(t, "list-05-null-title", rev, false) })
		})
	}
}

func judgedEarly(t *testing.T, fault string, rev requirement.Revision, triggers bool) {
	o := reference.Options{}
	if fault != "none" {
		o.Faults = []string{fault}
	}
	described, server, err := embedded.Complete(o)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if !triggers {
		described.Triggers = target.Triggers{}
	}
	var r *Run
	given := map[key]bool{} // before everything was played
	r, err = Prepare(t.Context(), Config{
		Target: described, Tool: reports.Tool{Name: "test"}, SecurityProbes: true, Budget: time.Hour,
		Select: func(row Row) bool { return row.Combination.Revision == rev },
		Progress: func(e Event) {
			if e.Kind != Judging {
				return
			}
			for _, row := range r.Rows() {
				given[keyOf(row)] = r.results.given(row) != nil
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Execute(t.Context())
	all, played := 0, 0
	for _, row := range r.Rows() {
		early, ok := r.Await(t.Context(), row)
		if !ok {
			t.Fatalf("there is no verdict on %s", row.Requirement.ID)
		}
		if !given[keyOf(row)] {
			continue
		}
		if late := r.row(row, r.takes[row.Combination]); !reflect.DeepEqual(early, late) {
			t.Errorf("%s in %s, early:\n%+v\nin the end:\n%+v", row.Requirement.ID, row.Combination, early.Result, late.Result)
		}
		all++
		if early.Outcome == verdict.Pass && len(early.From) > 0 {
			played++
		}
	}
	if played < 20 {
		t.Errorf("only %d requirements were met before the end of the run", played)
	}
	t.Logf("of %d verdicts %d were given early, %d of them on what was recorded", len(r.Rows()), all, played)
}
