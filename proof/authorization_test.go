package proof

import (
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestAuthorization: a server that demands a bearer token, as the specification
// has it, passes, and everything about authorisation is judged.
func TestAuthorization(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		report := judge(t, reference.Options{Hooks: hook.RequireBearer()},
			suite.Config{Transports: []requirement.Transport{requirement.HTTP}}, embedded.Authorize)
		passed := map[string]bool{}
		for i := range report.Results {
			x := &report.Results[i]
			if x.Verdict.Red() || x.Verdict == reports.Blocked {
				t.Error(describe(x))
			}
			passed[x.ID] = passed[x.ID] || x.Verdict == reports.Pass
		}
		for _, id := range []string{"SEC-08", "SEC-09", "SEC-10", "SEC-11", "SEC-12", "SEC-15", "SEC-60",
			"SEC-61"} {
			if !passed[id] {
				t.Errorf("%s was not judged", id)
			}
		}
	})
}
