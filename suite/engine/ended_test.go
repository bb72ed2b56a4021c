package engine

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// brief is a server on Streamable HTTP whose sessions do not last, and that takes more time for some messages
// than for others, so that several are under way in a session when one shows that it is over.
type brief struct {
	// whether the session is over that has had so many messages, the last one too
	over    func(messages int, body string) bool
	late    bool   // the last of them is answered as others are
	status  int    // of answers in a session that is over
	body    string // and their bodies
	mu      sync.Mutex
	heard   map[string]int // messages, by session
	expired map[string]bool
}

func (s *brief) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	m, id := gjson.ParseBytes(raw), r.Header.Get(scenario.HeaderSession)
	n, expired := s.hears(id, string(raw))
	time.Sleep(time.Duration(n%5) * time.Millisecond)
	switch {
	case r.Method != http.MethodPost:
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	case m.Get("method").Str == "initialize":
		w.Header().Set(scenario.HeaderSession, s.opened())
	case id == "":
		w.WriteHeader(http.StatusBadRequest)
		return
	case expired:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(s.status)
		_, _ = io.WriteString(w, s.body)
		return
	case !m.Get("id").Exists():
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, singleAnswer(m))
}

func (s *brief) opened() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := fmt.Sprintf("a-session-with-number-%d", len(s.heard))
	s.heard[id] = 0
	return id
}

// hears counts a message, and reports whether its session is over.
func (s *brief) hears(id, body string) (n int, expired bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.heard[id]
	s.heard[id]++
	before := s.expired[id]
	s.expired[id] = before || s.over(s.heard[id], body)
	return s.heard[id], !known || before || s.expired[id] && !s.late
}

// What is under way in a session that is over says nothing of itself: a server that ends its sessions, and
// says so by status 404, has lost none of it. What breaks a session does so when it comes alone, too.
func TestSessionsThatAreOver(t *testing.T) {
	for name, c := range map[string]struct {
		server *brief
		want   map[string]string
	}{
		"after some messages": {
			server: &brief{status: http.StatusNotFound, over: func(n int, _ string) bool { return n > 12 }},
			want: map[string]string{"RPC-09": "pass", "URI-08": "pass", "ERR-01": "pass",
				"READ-01": "pass"},
		},
		"after some messages, by another status": {
			server: &brief{status: http.StatusBadRequest, over: func(n int, _ string) bool { return n > 12 }},
			want: map[string]string{"RPC-09": "pass", "URI-08": "pass", "ERR-01": "pass", "READ-01": "pass",
				"META-06": "pass"},
		},
		"after some messages, by another status, with an error that names no request": {
			server: &brief{status: http.StatusBadRequest, over: func(n int, _ string) bool { return n > 12 },
				body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"Bad Request: No valid ` +
					`session ID provided"}}`},
			want: map[string]string{"RPC-09": "pass", "URI-08": "pass", "ERR-01": "pass", "READ-01": "pass",
				"META-06": "pass", "RPC-16": "pass", "RPC-10": "pass", "CANC-01": "pass", "RPC-02": "pass"},
		},
		"after some messages, by an error of the server's": {
			server: &brief{status: http.StatusInternalServerError, over: func(n int, _ string) bool {
				return n > 12
			},
				body: `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"no session"}}`},
			want: map[string]string{"RPC-09": "pass", "URI-08": "pass", "ERR-01": "pass", "READ-01": "pass",
				"META-06": "pass", "RPC-16": "pass", "HTTP-32": "pass", "LIFE-14": "pass"},
		},
		"broken by a NUL": {
			server: &brief{status: http.StatusOK, over: func(_ int, body string) bool {
				return strings.Contains(body, `\u0000`)
			}},
			want: map[string]string{"RPC-09": "pass", "URI-08": "warn", "ERR-01": "pass",
				"READ-01": "pass"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c.server.heard, c.server.expired = map[string]int{}, map[string]bool{}
				r := judgedOverHTTP(t, c.server, 0)
				for _, x := range r.Report(false).Results {
					if want := c.want[x.ID]; want != "" && want != string(x.Verdict) {
						t.Errorf("%s: %s, not %s: %s%s", x.ID, x.Verdict, want, x.Actual, x.Reason)
					}
				}
				for _, o := range r.Report(false).Observations {
					// which may be any accident
					if o.ID == "inconsistent" && c.server.status != http.StatusInternalServerError {
						t.Errorf("%s: %s", o.Requirement, o.Detail)
					}
				}
			})
		})
	}
}

// judgedOverHTTP is a run against a handler of Streamable HTTP in one revision, which is over.
func judgedOverHTTP(t *testing.T, h http.Handler, budget time.Duration) *Run {
	t.Helper()
	r, err := Prepare(t.Context(), Config{
		Target: &target.Target{
			Endpoints: []target.Endpoint{{Name: "handler", Handler: h, Path: "/mcp"}},
			Revisions: []requirement.Revision{requirement.R20251125},
		},
		Tool: reports.Tool{Name: "test"}, SecurityProbes: true, Limits: target.Limits{Budget: budget},
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Execute(t.Context())
	return r
}
