package engine

import (
	"cmp"
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
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// unlisting answers some lists, by their number, without the list.
type unlisting struct {
	wrong func(n int64) bool
	lists atomic.Int64
}

func (s *unlisting) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	respond(w, r, func(m gjson.Result) string {
		switch {
		case m.Get("method").Str != "resources/list":
			return ""
		case s.wrong(s.lists.Add(1)):
			return `"result":{}`
		}
		return `"result":{"resources":[]}`
	})
}

// respond answers a request over HTTP as a server of resources in 2025-11-25 that knows no method but
// initialize, and those to which answer gives a result or an error: a member of the response.
func respond(w http.ResponseWriter, r *http.Request, answer func(m gjson.Result) string) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	if !m.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	member := answer(m)
	if m.Get("method").Str == "initialize" {
		member = `"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},` +
			`"serverInfo":{"name":"test","version":"1"}}`
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw,
		cmp.Or(member, `"error":{"code":-32601,"message":"no"}`))
}

// What is red is repeated; if it is not seen again, that decides.
func TestRepetition(t *testing.T) {
	for name, c := range map[string]struct {
		wrong func(n int64) bool
		want  string
	}{
		"always": {func(int64) bool { return true }, "LIST-01:fail"},
		"once":   {func(n int64) bool { return n == 1 }, "LIST-01:pass inconsistent"},
		"never":  {func(int64) bool { return false }, "LIST-01:pass"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "unlisting", Handler: &unlisting{wrong: c.wrong},
							Forced: requirement.HTTP}},
						Revisions: []requirement.Revision{requirement.R20251125},
					},
					Tool:   reports.Tool{Name: "test"},
					Select: func(row Row) bool { return row.Requirement.ID == "LIST-01" },
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				if got := verdicts(r.Report(false)); got != c.want {
					t.Errorf("%s, want %s", got, c.want)
				}
			})
		})
	}
}

// busy says of malformed reads that they are an internal error, as servers do that are asked too much.
type busy struct {
	mu    sync.Mutex
	heard string        // "r" for malformed reads, "c" for cursors, without repetitions of either
	takes time.Duration // for a list
}

func (s *busy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	if !m.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	answer, about := `"error":{"code":-32601,"message":"no"}`, ""
	switch m.Get("method").Str {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},` +
			`"serverInfo":{"name":"busy","version":"1"}}`
	case "ping":
		answer = `"result":{}`
	case "resources/list":
		time.Sleep(s.takes)
		answer = `"result":{"resources":[]}`
		if m.Get("params.cursor").Exists() {
			answer, about = `"error":{"code":-32602,"message":"what cursor?"}`, "c"
		}
	case "resources/read":
		answer = `"error":{"code":-32602,"message":"what resource?"}`
		if m.Get("params.uri").Type != gjson.String {
			answer, about = `"error":{"code":-32603,"message":"internal error"}`, "r"
		}
	}
	s.mu.Lock()
	if !strings.HasSuffix(s.heard, about) {
		s.heard += about
	}
	s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, answer)
}

// An error that a busy target gives is repeated when nothing else is played, before what may cost the target,
// and need not be repeated once more.
func TestErrorsOfABusyTargetAreRepeatedWhenItIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &busy{}
		r, err := Prepare(t.Context(), Config{
			Target: &target.Target{
				Endpoints: []target.Endpoint{{Name: "busy", Handler: s, Forced: requirement.HTTP}},
				Revisions: []requirement.Revision{requirement.R20251125},
			},
			Tool: reports.Tool{Name: "test"},
			Select: func(row Row) bool {
				return row.Requirement.ID == "ERR-11" || row.Requirement.ID == "PAGE-05"
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		r.Execute(t.Context())
		report := r.Report(false)
		if got := verdicts(report); got != "ERR-11:warn PAGE-05:pass" || s.heard != "rc" {
			t.Errorf("%s, after %s", got, s.heard)
		}
		if a, b := encoded(t, report), encoded(t, rejudged(t, r)); a != b {
			t.Errorf("judged again:\n%s\nat first:\n%s", b, a)
		}
	})
}

// At a URL an answer that did not come in time has twice as long to come before its want is a failure.
func TestSilenceIsRepeatedSlowly(t *testing.T) {
	for takes, want := range map[time.Duration]verdict.Outcome{15 * time.Second: verdict.Pass,
		25 * time.Second: verdict.Fail} {
		synctest.Test(t, func(t *testing.T) {
			r, err := Prepare(t.Context(), Config{
				Target: &target.Target{
					Endpoints: []target.Endpoint{{Name: "slow", Handler: &busy{takes: takes},
						Forced: requirement.HTTP}},
					Revisions: []requirement.Revision{requirement.R20251125},
				},
				Tool: reports.Tool{Name: "test"}, Limits: target.Limits{Budget: time.Hour},
				Select: func(row Row) bool { return row.Requirement.ID == "RPC-09" },
			})
			if err != nil {
				t.Fatal(err)
			}
			r.Execute(t.Context())
			time.Sleep(takes) // the last one is still being answered
			if j, _ := r.Await(t.Context(), r.Rows()[0]); j.Outcome != want {
				t.Errorf("lists that take %s: %s", takes, verdicts(r.Report(false)))
			}
		})
	}
}

// crowded takes its time, and says of malformed reads that they are an internal error if something that is no
// read is under way meanwhile, and at first, when it is still asked for this and that. Of unknown methods it
// always says so, and a ping is an error.
type crowded struct{ begun, ended, malformed atomic.Int64 }

func (s *crowded) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const first = 5 // malformed reads
	body, _ := io.ReadAll(r.Body)
	m := gjson.ParseBytes(body)
	if !m.Get("id").Exists() {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	ended := s.ended.Load()
	method := m.Get("method").Str
	if method != "resources/read" {
		s.begun.Add(1)
		defer s.ended.Add(1)
	}
	time.Sleep(map[string]time.Duration{"ping": 8 * time.Second}[method] + time.Second)
	answer := `"error":{"code":-32601,"message":"no"}`
	switch method {
	case "initialize":
		answer = `"result":{"protocolVersion":"2025-11-25","capabilities":{"resources":{}},` +
			`"serverInfo":{"name":"crowded","version":"1"}}`
	case "resources/list":
		answer = `"result":{"resources":[]}`
	case "mcpcheck/no-such-method":
		answer = `"error":{"code":-32603,"message":"internal error"}`
	case "resources/read":
		answer = `"error":{"code":-32602,"message":"what resource?"}`
		if m.Get("params.uri").Type != gjson.String &&
			(s.malformed.Add(1) <= first || s.begun.Load() > ended) {
			answer = `"error":{"code":-32603,"message":"too many at once"}`
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, m.Get("id").Raw, answer)
}

// Errors of a busy target are repeated one after the other, and not beside scripts that watch silence, which
// talk before that: what is shown then is final.
func TestErrorsOfABusyTargetAreRepeatedAlone(t *testing.T) {
	for ids, want := range map[string]string{
		"ERR-11 RPC-13":  "ERR-11:pass RPC-13:warn inconsistent",
		"ERR-11 LIFE-16": "ERR-11:pass LIFE-16:warn inconsistent",
	} {
		t.Run(ids, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r, err := Prepare(t.Context(), Config{
					Target: &target.Target{
						Endpoints: []target.Endpoint{{Name: "crowded", Handler: &crowded{},
							Forced: requirement.HTTP}},
						Revisions: []requirement.Revision{requirement.R20251125},
					},
					Tool: reports.Tool{Name: "test"},
					Select: func(row Row) bool {
						return slices.Contains(strings.Fields(ids), row.Requirement.ID)
					},
				})
				if err != nil {
					t.Fatal(err)
				}
				r.Execute(t.Context())
				if got := verdicts(r.Report(false)); got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		})
	}
}
