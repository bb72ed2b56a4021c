package proof

import (
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestWindowsOverlap: a server that does one thing after the other is hardly ever idle while it
// is judged: windows of silence begin early, and what else there is to say is said meanwhile, by repetitions,
// too.
func TestWindowsOverlap(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const service, window = 600 * time.Microsecond, 300 * time.Millisecond
		w := world()
		w.Resources = slices.DeleteFunc(slices.Clone(w.Resources), func(r reference.Resource) bool {
			return r.Delay > 0
		})
		described, server,
			err := embedded.TargetOf(w,
			reference.Options{PageSize: 50, Faults: []string{"comp-08-internal-error",
				"sec-01-origin-ignored", "uri-14-accepts-anything"}})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		described.Triggers, described.Subjects = target.Triggers{}, target.Subjects{}
		turn := make(chan struct{}, 1) // a mutex would keep simulated time from going on
		worked := time.Duration(0)
		for i := range described.Endpoints {
			if h := described.Endpoints[i].Handler; h != nil {
				described.Endpoints[i].Handler = http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						turn <- struct{}{}
						time.Sleep(service)
						worked += service
						<-turn
						h.ServeHTTP(w, r)
					})
			}
		}
		began := time.Now()
		report, err := suite.Run(t.Context(), suite.Config{
			Target: described, Revisions: []requirement.Revision{requirement.R20251125},
			Transports: []requirement.Transport{requirement.HTTP},
			Limits:     suite.Limits{QuietWindow: window, Budget: time.Hour},
		})
		if err != nil {
			t.Fatal(err)
		}
		if report.Summary.Fail+report.Summary.Warn < 3 {
			t.Errorf("the faults do not show: %+v", report.Summary)
		}
		// in two of these a client that declares what it can do may be asked
		if idle := time.Since(began) - worked; idle > 3*window {
			t.Errorf("the server was idle for %s of %s", idle, time.Since(began))
		}
	})
}
