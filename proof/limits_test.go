package proof

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestLimitsAccuseNobody: whatever is cut off because of a limit of ours, a server without faults
// gets no red verdict, and what is not judged names the limit.
func TestLimitsAccuseNobody(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]target.Limits{
		"a message":    {Message: 1500},
		"a connection": {Connection: 3000},
		"a handshake":  {Message: 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { limited(t, limits) })
		})
	}
}

func limited(t *testing.T, limits target.Limits) {
	described, server, err := embedded.Target(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	described.Limits.Message, described.Limits.Connection = limits.Message, limits.Connection
	report, err := suite.Run(t.Context(), suite.Config{Target: described, Budget: time.Hour,
		Revisions: []requirement.Revision{requirement.R20241105, requirement.R20251125, requirement.R20260728}})
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for _, x := range report.Results {
		if x.Verdict.Red() {
			t.Errorf("%s in %s over %s: expected %s; seen: %s", x.ID, x.Revision, x.Transport, x.Expected, x.Actual)
		}
		if x.ReasonCode == "volume" {
			cut++
		}
	}
	if cut == 0 && report.Summary.Outcome != reports.NotEstablished {
		t.Errorf("nothing was cut off, and the outcome is %s", report.Summary.Outcome)
	}
}

// TestSlowTarget: the report of a long run says what took the time, and that of a short one nothing.
func TestSlowTarget(t *testing.T) {
	for latency, want := range map[time.Duration]bool{time.Second: true, 0: false} {
		synctest.Test(t, func(t *testing.T) {
			report := judge(t, reference.Options{Latency: latency}, suite.Config{Filter: only(func(c requirement.Combination) bool {
				return c == requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}
			})})
			slow := report.Summary.Slow
			if (len(slow) > 0) != want {
				t.Fatalf("after %.0f s: %v", report.Summary.DurationMS/1000, slow)
			}
			if want && (slow[0].Method != "resources/read" || slow[0].TotalMS/float64(slow[0].Times) < 1000) {
				t.Errorf("%v", slow)
			}
		})
	}
}
