package proof

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestSelfChanges: on a server one of whose resources changes by itself, all the time, it shows without a
// trigger who gets updates, and when they end.
func TestSelfChanges(t *testing.T) {
	text := "unchanged"
	w := reference.World{Resources: []reference.Resource{{URI: "note:a", Name: "a", Text: &text}, {URI: "note:b", Name: "b", Text: &text}}}
	all := []string{"SUB-03", "SUB-07", "SUB-09", "SUB-10", "HTTP-12"}
	for fault, red := range map[string]string{
		"":                            "",
		"sub-03-unsubscribe-ends-all": "SUB-03",
		"sub-07-unsubscribe-ignored":  "SUB-07",
		"sub-09-all-resources":        "",
		"sub-10-unsubscribed-for-all": "SUB-10",
		"http-12-broadcast":           "HTTP-12",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			var report *reports.Report
			synctest.Test(t, func(t *testing.T) {
				var faults []string
				if fault != "" {
					faults = append(faults, fault)
				}
				server, err := reference.New(w, reference.Options{Faults: faults})
				if err != nil {
					t.Fatal(err)
				}
				defer server.Close()
				changing := time.NewTicker(150 * time.Millisecond)
				defer changing.Stop()
				go func() {
					for n := 0; ; n++ {
						select {
						case <-changing.C:
							now := strconv.Itoa(n)
							if err := server.Put(reference.Resource{URI: "note:a", Name: "a", Text: &now}); err != nil {
								t.Error(err)
							}
						case <-t.Context().Done():
							return
						}
					}
				}()
				cfg := suite.Config{Only: all, Revisions: []requirement.Revision{requirement.R20251125}, Budget: time.Hour,
					Target: &target.Target{Endpoints: []target.Endpoint{{Handler: server.Handler(), Path: "/mcp", Forced: requirement.HTTP}}}}
				if report, err = suite.Run(t.Context(), cfg); err != nil {
					t.Fatal(err)
				}
			})
			judged := 0
			for i := range report.Results {
				switch x := &report.Results[i]; {
				case x.Verdict.Red() != (x.ID == red):
					t.Error(describe(x))
				case x.Verdict == reports.Pass:
					judged++
				}
			}
			if fault == "" && judged != len(all) {
				t.Errorf("%d of %d requirements are judged", judged, len(all))
			}
		})
	}
}
