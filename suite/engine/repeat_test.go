package engine

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// A response that a session gets which did not ask is repeated where both stand, whatever else is
// repeated, at once or at the end.
func TestMisdelivered(t *testing.T) {
	for _, triggers := range []bool{true, false} {
		for i := range 2 {
			t.Run(strconv.FormatBool(triggers)+strconv.Itoa(i), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { misdelivered(t, triggers) })
			})
		}
	}
}

func misdelivered(t *testing.T, triggers bool) {
	described, server, err := embedded.Complete(reference.Options{Faults: []string{"sse-25-broadcast"}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	if !triggers {
		described.Triggers = target.Triggers{}
	}
	r, err := Prepare(t.Context(), Config{
		Target: described, Tool: reports.Tool{Name: "test"}, Limits: target.Limits{Budget: time.Hour},
		Select: func(row Row) bool {
			return (row.Requirement.ID == "RPC-02" || row.Requirement.ID == "SSE-25") &&
				row.Combination.Transport == requirement.SSE
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Execute(t.Context())
	if got := verdicts(r.Report(false)); got != "RPC-02:fail SSE-25:fail" {
		t.Error(got)
	}
}
