package engine

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// mortal is a server of 2025-11-25 over HTTP that is gone for good once it is asked
// for a method, the given time.
type mortal struct {
	method string
	lives  atomic.Int64 // how often it is asked for it before
	dead   atomic.Bool
	moody  bool // what it does not know fails with an internal error the first time
	asked  sync.Map
}

func (s *mortal) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	if !gjson.ValidBytes(body) {
		m = gjson.Result{}
	}
	if s.dead.Load() || m.Get("method").Str == s.method && s.lives.Add(-1) < 0 {
		s.dead.Store(true)
		panic(http.ErrAbortHandler)
	}
	answer := `"result":{"resources":{}}`
	switch m.Get("method").Str {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},` +
			`"serverInfo":{"name":"mortal","version":"1"}}`
	case "resources/list", "ping":
	default:
		if answer = `"error":{"code":-32601,"message":"no"}`; s.moody && s.first(m) {
			answer = `"error":{"code":-32603,"message":"oops"}`
		}
	}
	if !m.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, answer)
}

// first reports whether nothing like a message was asked before.
func (s *mortal) first(m gjson.Result) bool {
	_, asked := s.asked.LoadOrStore(m.Get("method").Raw+m.Get("params").Raw, true)
	return !asked
}

// Which of the two scenarios has its turn first is left to the scheduler: what is known
// by the time the server is gone depends on it, what is said about its end does not.
func TestTheLastMessageIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		method string
		lives  int64
		want   []string // in either order of the scenarios
		named  string
	}{
		"of a probe": {"mcpcheck/no-such-method", 0, []string{
			"LIST-01:blocked:unconfirmed RPC-13:blocked:target-died",
			"LIST-01:blocked:target-died RPC-13:blocked:target-died"}, "mcpcheck/no-such-method|ping"},
		"in the confirmation": {"resources/list", 1, []string{"LIST-01:blocked:unconfirmed"}, ""},
		"of a correct message": {"resources/list", 0, []string{
			"LIST-01:blocked:target-died RPC-13:blocked:target-died",
			"LIST-01:blocked:target-died RPC-13:pass"}, "resources/list|ping"},
		"it lives": {"nothing", 0, []string{"LIST-01:fail RPC-13:pass"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &mortal{method: c.method}
				s.lives.Store(c.lives)
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "mortal", Handler: s, Forced: requirement.HTTP}},
						// the detection of modern ones lists as well
						Revisions: []requirement.Revision{requirement.R20251125},
					},
					Tool: reports.Tool{Name: "test"}, Limits: target.Limits{Jobs: 1},
					Select: func(row Row) bool { return strings.Contains(c.want[0], row.Requirement.ID+":") },
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				report := r.Report(false)
				got := verdicts(report)
				if !slices.Contains(c.want, got) {
					t.Errorf("got  %s\nwant %s", got, strings.Join(c.want, " or "))
				}
				for _, x := range report.Results {
					if x.ReasonCode != string(recording.CodeDied) {
						continue
					}
					named := slices.ContainsFunc(strings.Split(c.named, "|"), func(name string) bool {
						return strings.Contains(x.Reason, name+", frame ")
					})
					if !strings.Contains(x.Reason, "gone for good") || !named || len(x.Evidence) == 0 {
						t.Errorf("%s: %q, frames %v", x.ID, x.Reason, x.Evidence)
					}
				}
				var file bytes.Buffer
				if err := r.Record(&file); err != nil {
					t.Fatal(err)
				}
				again, err := Rejudge(&file, reports.Tool{Name: "test"}, false)
				if err != nil || verdicts(again) != got {
					t.Errorf("judged again: %s, %v", verdicts(again), err)
				}
			})
		})
	}
}

// What answers late is busy, and what the run is too short to find out is not known: neither
// is gone for good.
func TestWhatIsLateIsNotGone(t *testing.T) {
	for name, c := range map[string]struct {
		late  time.Duration // longer than a request may take
		ended bool
		want  string
	}{
		"it lives":                   {0, false, ""},
		"it is busy":                 {15 * time.Second, false, ""},
		"the run ends meanwhile":     {-1, true, ""},
		"it closes every connection": {-1, false, "closed the connection"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &single{down: make(chan struct{}), left: map[chan string]bool{}}
				late := time.Duration(0)
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{Endpoints: []target.Endpoint{{Name: "late", Path: "/sse",
						Instances: 1,
						Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
							if late < 0 {
								panic(http.ErrAbortHandler)
							}
							if r.Method == http.MethodGet {
								select {
								case <-time.After(late):
								case <-r.Context().Done():
									return
								}
							}
							s.ServeHTTP(w, r)
						})}}},
					Tool: reports.Tool{Name: "test"},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.abandon()
				time.Sleep(time.Minute)
				late = c.late
				ctx, cancel := context.WithCancel(t.Context())
				if c.ended {
					cancel()
				}
				defer cancel()
				if got := r.knock(ctx, r.endpoints[0], r.stages[0]); (got == "") != (c.want == "") ||
					!strings.Contains(got, c.want) {
					t.Errorf("%q", got)
				}
			})
		})
	}
}

// What was seen red twice before a target dies in the last phase stays red: it need not be asked once more.
// Its own error may still be an accident, as it cannot be asked several times.
func TestTheEndLeavesWhatWasSeenBefore(t *testing.T) {
	for _, moody := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := &mortal{method: "notifications/cancelled", moody: moody}
			s.lives.Store(21)
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{Endpoints: []target.Endpoint{{Name: "mortal", Handler: s,
					Path: "/mcp"}}, Revisions: []requirement.Revision{requirement.R20251125}},
				Tool: reports.Tool{Name: "test"}, SecurityProbes: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			r.Execute(t.Context())
			report := r.Report(false)
			for _, x := range report.Results {
				red := x.Verdict == reports.Fail || x.Verdict == reports.Warn
				if certain := slices.Contains([]string{"HTTP-13", "SEC-01"}, x.ID); certain && !red || red &&
					strings.Contains(x.Actual, "oops") && x.ID != "RPC-15" {
					t.Errorf("%t: %s %s: %s%s", moody, x.ID, x.Verdict, x.Reason, x.Actual)
				}
			}
			if a, b := encoded(t, report), encoded(t, rejudged(t, r)); a != b {
				t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
			}
		})
	}
}
