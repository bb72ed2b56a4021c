package proof

import (
	"bytes"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// TestLimitsAccuseNobody: whatever is cut off because of a limit of ours, a server without faults
// gets no red verdict, and what is not judged names the limit.
func TestLimitsAccuseNobody(t *testing.T) {
	t.Parallel()
	for name, limits := range map[string]suite.Limits{
		"a message":    {MessageBytes: 1500},
		"a connection": {ConnectionBytes: 3000},
		"a handshake":  {MessageBytes: 300},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { limited(t, limits) })
		})
	}
}

func limited(t *testing.T, limits suite.Limits) {
	described, server, err := embedded.Target(reference.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	limits.Budget = time.Hour
	report, err := suite.Run(t.Context(), suite.Config{Target: described, Limits: limits,
		Revisions: []requirement.Revision{requirement.R20241105, requirement.R20251125,
			requirement.R20260728}})
	if err != nil {
		t.Fatal(err)
	}
	cut := 0
	for _, x := range report.Results {
		if x.Verdict.Red() {
			t.Errorf("%s in %s over %s: expected %s; seen: %s", x.ID, x.Revision, x.Transport, x.Expected,
				x.Actual)
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
			report := judge(t, reference.Options{Latency: latency},
				suite.Config{Filter: only(func(c requirement.Combination) bool {
					return c == requirement.Combination{Revision: requirement.R20251125,
						Transport: requirement.Stdio}
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

// TestNothingIsSentAgain: that the response to a POST comes late, beside what the next one says, makes
// nothing uncertain over HTTP+SSE: notifications, which have no answers, are sent once.
func TestNothingIsSentAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		described, server, err := embedded.TargetOf(world(), reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		for i := range described.Endpoints {
			if h := described.Endpoints[i].Handler; h != nil {
				described.Endpoints[i].Handler = http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						if r.Method != http.MethodPost {
							h.ServeHTTP(w, r)
							return
						}
						late := httptest.NewRecorder()
						h.ServeHTTP(late, r)
						time.Sleep(5 * time.Millisecond)
						maps.Copy(w.Header(), late.Header())
						w.WriteHeader(late.Code)
						_, _ = w.Write(late.Body.Bytes())
					})
			}
		}
		run, err := suite.Prepare(t.Context(), suite.Config{Target: described,
			Limits: suite.Limits{Budget: time.Hour},
			Filter: only(func(c requirement.Combination) bool {
				return c.Transport == requirement.SSE
			})})
		if err != nil {
			t.Fatal(err)
		}
		run.Execute(t.Context())
		var recorded bytes.Buffer
		if err := run.Record(&recorded); err != nil {
			t.Fatal(err)
		}
		steps := 0
		for line := range strings.SplitSeq(recorded.String(), "\n") {
			step := gjson.Get(line, "step").Str
			if gjson.Get(line, "method").Str != "notifications/cancelled" {
				continue
			}
			steps++
			if strings.HasSuffix(step, string(recording.StepLost)) {
				t.Errorf("sent again: %.300s", line)
			}
		}
		if steps == 0 {
			t.Error("nothing was sent")
		}
	})
}
