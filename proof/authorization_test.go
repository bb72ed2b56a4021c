package proof

import (
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// authorize describes a reference server that demands a bearer token: the tokens
// of all kinds of callers, and what the weak one must not see.
func authorize(t *target.Target) {
	bearer := func(token string) map[string]target.Value {
		return map[string]target.Value{"Authorization": target.Plain("Bearer " + token)}
	}
	for i := range t.Endpoints {
		if t.Endpoints[i].Handler != nil {
			t.Endpoints[i].Header = bearer(hook.TokenFull)
		}
	}
	t.Authorization = target.AuthorizationProtocol
	t.Identities = []target.Identity{
		{Name: "weak", Header: bearer(hook.TokenWeak), Rights: target.RightsWeaker},
		{Name: "foreign", Header: bearer(hook.TokenForeign), Rights: target.RightsForeign},
		{Name: "none", Header: bearer("not-a-token-of-anybody"), Rights: target.RightsNone},
	}
	t.Subjects.Protected = []target.Protected{{URI: hook.ProtectedURI, Identity: "weak"}}
}

// TestAuthorization: a server that demands a bearer token, as the specification
// has it, passes, and everything about authorisation is judged.
func TestAuthorization(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		report := judge(t, reference.Options{Hooks: hook.RequireBearer()},
			suite.Config{Transports: []requirement.Transport{requirement.HTTP}}, authorize)
		passed := map[string]bool{}
		for i := range report.Results {
			x := &report.Results[i]
			if x.Verdict.Red() || x.Verdict == reports.Blocked {
				t.Error(describe(x))
			}
			passed[x.ID] = passed[x.ID] || x.Verdict == reports.Pass
		}
		for _, id := range []string{"SEC-08", "SEC-09", "SEC-10", "SEC-11", "SEC-12", "SEC-15", "SEC-60", "SEC-61"} {
			if !passed[id] {
				t.Errorf("%s was not judged", id)
			}
		}
	})
}
