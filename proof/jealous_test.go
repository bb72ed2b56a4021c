package proof

import (
	"context"
	"io"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// counted is a connection that is counted until it is closed.
type counted struct {
	io.ReadWriteCloser
	standing *atomic.Int64
	closed   atomic.Bool
}

func (c *counted) Close() error {
	if !c.closed.Swap(true) {
		c.standing.Add(-1)
	}
	return c.ReadWriteCloser.Close()
}

// countSessions counts the sessions that stand behind a handler.
func countSessions(h http.Handler, standing *atomic.Int64) http.Handler {
	const name = "Mcp-Session-Id"
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r)
		switch asked, made := r.Header.Get(name) != "", w.Header().Get(name) != ""; {
		case asked && r.Method == http.MethodDelete:
			standing.Add(-1)
		case !asked && made:
			standing.Add(1)
		}
	})
}

// TestJealousOfOthers: no requirement turns red for what a server gets wrong only beside another copy or
// session.
func TestJealousOfOthers(t *testing.T) {
	for kind, fail := range map[string]hook.Reply{
		"internal error": {Error: hook.Object{"code": hook.Number(-32603), "message": "locked"}},
		"unknown method": {Error: hook.Object{"code": hook.Number(-32601), "message": "unknown"}},
		"nothing listed": {Result: hook.Object{"resources": []any{}}},
		"silence":        {Silent: true},
	} {
		for _, transport := range []requirement.Transport{requirement.Stdio, requirement.HTTP} {
			t.Run(kind+" "+string(transport), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var standing, failed atomic.Int64
					jealous := hook.OnMethod("resources/list", func(c hook.Calling) *hook.Reply {
						if standing.Load() > 1 {
							failed.Add(1)
							wrong := fail
							return &wrong
						}
						return c.Next()
					})
					cfg := suite.Config{Revisions: []requirement.Revision{requirement.R20250618,
						requirement.R20251125}}
					report := judge(t, reference.Options{Hooks: jealous}, cfg,
						func(described *target.Target) {
							described.Triggers = target.Triggers{}
							described.Endpoints = slices.DeleteFunc(described.Endpoints,
								func(e target.Endpoint) bool {
									return e.Transport() != transport
								})
							e := &described.Endpoints[0]
							if transport == requirement.HTTP {
								e.Handler = countSessions(e.Handler, &standing)
								return
							}
							open := e.Pipe
							e.Pipe = func(ctx context.Context) (io.ReadWriteCloser, error) {
								c, err := open(ctx)
								standing.Add(1)
								return &counted{ReadWriteCloser: c, standing: &standing}, err
							}
						})
					if failed.Load() == 0 {
						t.Error("no list was asked for while another one stood")
					}
					for i := range report.Results {
						if x := &report.Results[i]; x.Verdict.Red() {
							t.Error(describe(x))
						}
					}
				})
			})
		}
	}
}
