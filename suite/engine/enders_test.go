package engine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// A message is named behind which everything in its session is answered by an error status each time that it
// is sent, and none that a session ended behind by accident, or after so many.
func TestMessagesThatSessionsEndOver(t *testing.T) {
	const internal = `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error"}}`
	holds := func(text string) func(int, string) bool {
		return func(_ int, body string) bool { return strings.Contains(body, text) }
	}
	// A method that nobody has, and not where it is one of two.
	unknown := &brief{status: 500, late: true, over: holds(`mcpcheck/no-such-method","params"`)}
	once := func(text string) func(int, string) bool {
		times := 0
		return func(_ int, body string) bool {
			if strings.Contains(body, text) {
				times++
			}
			return strings.Contains(body, text) && times == 1
		}
	}
	every := func(n int) func(int, string) bool {
		chance := rand.New(rand.NewPCG(1, 2))
		return func(int, string) bool { return chance.IntN(n) == 0 }
	}
	for name, c := range map[string]struct {
		server *brief
		want   string // what is named; empty if nothing is
	}{
		"over a read, which is answered so as well": {&brief{status: 500, over: holds(`"uri":42`)},
			`resources/read with params {"uri":42}`},
		"over a read, which is answered": {&brief{status: 500, late: true,
			over: holds(`"uri":42`)}, `resources/read with params {"uri":42}`},
		"over an unknown method": {unknown, "mcpcheck/no-such-method"},
		"over a notification": {&brief{status: 500, late: true,
			over: holds(`notifications/mcpcheck/unknown`)}, "notifications/mcpcheck/unknown"},
		"over a notification, by 400": {&brief{status: 400,
			over: holds(`notifications/mcpcheck/unknown`)}, "notifications/mcpcheck/unknown"},
		"over a read, as it may": {&brief{status: 404, over: holds(`"uri":42`)}, ""},
		"over a read, once":      {&brief{status: 500, over: once(`"uri":42`)}, ""},
		"over a notification, once": {&brief{status: 500, late: true,
			over: once(`notifications/mcpcheck/unknown`)}, ""},
		"after some messages": {&brief{status: 500, over: func(n int, _ string) bool {
			return n > 12
		}}, ""},
		"after few messages": {&brief{status: 500, over: func(n int, _ string) bool {
			return n > 3
		}}, ""},
		"after two messages": {&brief{status: 500, late: true,
			over: func(n int, _ string) bool { return n > 1 }}, ""},
		"by accident":           {&brief{status: 500, over: every(17)}, ""},
		"by frequent accidents": {&brief{status: 500, late: true, over: every(5)}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.server.heard, c.server.expired = map[string]int{}, map[string]bool{}
				c.server.body = internal
				r := judgedOverHTTP(t, c.server, 0)
				for _, x := range r.Report(false).Results {
					if c.want != "" && x.Verdict.Red() &&
						slices.Contains([]string{"RPC-02", "RPC-09", "RPC-16", "HTTP-32", "ERR-01",
							"READ-01"}, x.ID) {
						t.Errorf("%s: %s", x.ID, x.Actual)
					}
				}
				var named []string
				for _, o := range r.Report(false).Observations {
					if o.ID == "session-broken" {
						named = append(named, o.Detail)
					}
				}
				if got := strings.Join(named, "\n"); len(named) > 1 || c.want == "" != (got == "") ||
					!strings.Contains(got, c.want) {
					t.Errorf("named: %s", got)
				}
			})
		})
	}
}
