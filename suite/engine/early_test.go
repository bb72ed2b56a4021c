package engine

import (
	"context"
	"io"
	"reflect"
	"strings"
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
		Target: described, Tool: reports.Tool{Name: "test"}, SecurityProbes: true,
		Limits: target.Limits{Budget: time.Hour},
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
			t.Errorf("%s in %s, early:\n%+v\nin the end:\n%+v", row.Requirement.ID, row.Combination,
				early.Result, late.Result)
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

// slow is a connection to a server that is slow in one revision.
type slow struct {
	io.ReadWriteCloser
	by time.Duration
}

func (s *slow) Write(b []byte) (int, error) {
	if strings.Contains(string(b), `"protocolVersion":"`+string(requirement.R20250618)+`"`) {
		s.by = 100 * time.Millisecond
	}
	time.Sleep(s.by)
	return s.ReadWriteCloser.Write(b)
}

// What has its own processes is judged when it was played, also on what was heard in all its sessions,
// while another combination goes on.
func TestCombinationsAreJudgedByThemselves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		described, server, err := embedded.Target(reference.Options{Faults: []string{"list-05-null-title"}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		described.Triggers = target.Triggers{}
		described.Endpoints = []target.Endpoint{{Command: []string{"reference"},
			Pipe: func(ctx context.Context) (io.ReadWriteCloser, error) {
				conn, err := server.Pipe(context.Background())
				return &slow{ReadWriteCloser: conn}, err
			}}}
		var r *Run
		missing, open := map[string]bool{}, 0
		r, err = Prepare(t.Context(), Config{
			Target: described, Tool: reports.Tool{Name: "test"}, SecurityProbes: true,
			Limits: target.Limits{Budget: time.Hour},
			Select: func(row Row) bool {
				return row.Combination.Revision == requirement.R20250618 ||
					row.Combination.Revision == requirement.R20251125
			},
			Progress: func(e Event) {
				if e.Kind != Played || e.Done < e.Total {
					return
				}
				for _, row := range r.Rows() {
					switch given := r.results.given(row) != nil; {
					case row.Combination.Revision == requirement.R20250618 && !given:
						open++
					case !given:
						missing[row.Requirement.ID] = true
					}
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		if open == 0 {
			t.Fatal("the slow combination was not the last")
		}
		if len(missing) == 0 || !missing["LIST-05"] {
			t.Errorf("the red verdict was given before its repetition: %v", missing)
		}
		for _, row := range r.Rows() {
			j, _ := r.Await(t.Context(), row)
			if missing[row.Requirement.ID] && j.Outcome == verdict.Pass &&
				row.Combination.Revision == requirement.R20251125 {
				t.Errorf("%s was met, and given only when the other combination was played",
					row.Requirement.ID)
			}
			if j.Outcome == verdict.Pass && !reflect.DeepEqual(j, r.row(row, r.takes[row.Combination])) {
				t.Errorf("%s in %s is another verdict in the end", row.Requirement.ID, row.Combination)
			}
		}
	})
}
