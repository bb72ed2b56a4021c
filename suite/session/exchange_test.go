package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// web is a session on Streamable HTTP without handshake, with a server that hands
// each message to the handler, and the number of the request.
func web(t *testing.T, rev requirement.Revision,
	handler func(n int, w http.ResponseWriter, r *http.Request, m gjson.Result)) *Session {
	t.Helper()
	var n atomic.Int64 // requests that are sent together are handled side by side
	return opened(t,
		&transport.HTTP{Client: transport.Client{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				handler(int(n.Add(1)), w, r, gjson.ParseBytes(body))
			})}}, bare(rev))
}

func answer(w http.ResponseWriter, m gjson.Result) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw)
}

func TestThrottling(t *testing.T) {
	for name, c := range map[string]struct {
		times int // how often the target asks us to come back
		after string
		want  recording.Outcome
		took  time.Duration
	}{
		"once":           {1, "2", recording.Replied, 2 * time.Second},
		"without a time": {1, "", recording.Replied, time.Second},
		"a long time":    {1, "3600", recording.Replied, 5 * time.Second},
		"for good":       {99, "1", recording.Refused, 4 * time.Second},
		"for good, long": {99, "5", recording.Refused, 10 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := web(t, requirement.R20250618,
					func(n int, w http.ResponseWriter, _ *http.Request, m gjson.Result) {
						if n > c.times {
							answer(w, m)
							return
						}
						if c.after != "" {
							w.Header().Set("Retry-After", c.after)
						}
						w.WriteHeader(http.StatusTooManyRequests)
					})
				begin := time.Now()
				x := s.Do(t.Context(), Request{Method: "m"})
				if took := time.Since(begin); x.Outcome != c.want || took != c.took {
					t.Errorf("%s after %v: %s", x.Outcome, took, x.Reason)
				}
			})
		})
	}
}

// TestStreamsAreOpenedAgain: what opens a stream comes back later as well, and is not taken for unanswered.
func TestStreamsAreOpenedAgain(t *testing.T) {
	for name, open := range map[string]func(context.Context, *Session) *Stream{
		"listen": func(ctx context.Context, s *Session) *Stream {
			return s.Listen(ctx, "listen", Filter{}, Request{})
		},
		"peek": func(ctx context.Context, s *Session) *Stream {
			return s.Peek(ctx, Request{HTTPMethod: http.MethodGet}, time.Second)
		},
	} {
		for refusals, want := range map[int]recording.Outcome{4: recording.HTTPOnly, 99: recording.Refused} {
			t.Run(fmt.Sprint(name, " after ", refusals), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := web(t, requirement.R20260728,
						func(n int, w http.ResponseWriter, _ *http.Request, _ gjson.Result) {
							if w.Header().Set("Retry-After", "1"); n <= refusals {
								w.WriteHeader(http.StatusTooManyRequests)
							}
						})
					begin := time.Now()
					x := open(t.Context(), s).Wait(t.Context())
					if took := time.Since(begin); x.Outcome != want || took != 4*time.Second {
						t.Errorf("%s after %v: %s", x.Outcome, took, x.Reason)
					}
				})
			})
		}
	}
}

func TestBrokenStreamsAreResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		id := ""
		s := web(t, requirement.R20251125,
			func(_ int, w http.ResponseWriter, r *http.Request, m gjson.Result) {
				w.Header().Set("Content-Type", "text/event-stream")
				switch last := r.Header.Get("Last-Event-ID"); {
				case r.Method == http.MethodPost:
					id = m.Get("id").Raw
					_, _ = io.WriteString(w, "id: 1\nretry: 3000\ndata:\n\n")
				case last == "1":
					_, _ = io.WriteString(w, "id: 2\ndata: {\"method\":\"notifications/progress\"}\n\n")
				case last == "2":
					_, _ = io.WriteString(w, "data: {\"id\":"+id+",\"result\":{}}\n\n")
				}
			})
		begin := time.Now()
		x := s.Do(t.Context(), Request{Method: "m"})
		if took := time.Since(begin); !x.Succeeded() || took != 6*time.Second {
			t.Errorf("%s after %v: %s", x.Outcome, took, x.Reason)
		}
	})
}

// oldStream answers as an HTTP+SSE server that does not look at the method.
func oldStream(w http.ResponseWriter, _ gjson.Result) {
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "event: endpoint\ndata: /message?session=1\n\n")
	_ = http.NewResponseController(w).Flush()
	time.Sleep(11 * time.Second)
}

// deep answers with more than is read.
func deep(w http.ResponseWriter, m gjson.Result) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"a":%s%s}}`, m.Get("id").Raw,
		strings.Repeat("[", 10_001), strings.Repeat("]", 10_001))
}

func TestOutcomesOnHTTP(t *testing.T) {
	for name, c := range map[string]struct {
		handler func(w http.ResponseWriter, m gjson.Result)
		q       Request
		want    recording.Outcome
		status  int
	}{
		"an answer":    {answer, Request{}, recording.Replied, 200},
		"an empty 200": {func(http.ResponseWriter, gjson.Result) {}, Request{}, recording.HTTPOnly, 200},
		"a page": {func(w http.ResponseWriter, _ gjson.Result) { http.Error(w, "no", 404) },
			Request{}, recording.HTTPOnly, 404},
		"a 202": {func(w http.ResponseWriter, _ gjson.Result) { w.WriteHeader(202) },
			Request{Notification: true}, recording.Sent, 202},
		"a dropped one": {func(http.ResponseWriter, gjson.Result) { panic(http.ErrAbortHandler) },
			Request{}, recording.Lost, 0},
		"an old stream": {oldStream, Request{}, recording.HTTPOnly, 200},
		"a deep answer": {deep, Request{}, recording.Canceled, 200},
		"an endless wait": {func(w http.ResponseWriter, _ gjson.Result) { time.Sleep(11 * time.Second) },
			Request{}, recording.Silent, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := web(t, requirement.R20260728,
					func(_ int, w http.ResponseWriter, _ *http.Request, m gjson.Result) { c.handler(w, m) })
				c.q.Method = "m"
				if x := s.Do(t.Context(), c.q); x.Outcome != c.want || x.Status != c.status ||
					x.Limit != (x.Outcome == recording.Canceled) {
					t.Errorf("%s, HTTP %d: %s", x.Outcome, x.Status, x.Reason)
				}
				time.Sleep(11 * time.Second) // for the handler to end
			})
		})
	}
}

// TestRefusalsAreNamed: where a redirect leads and what a challenge asks for stand in the reason.
func TestRefusalsAreNamed(t *testing.T) {
	for name, c := range map[string]struct {
		status       int
		header, text string
		want         []string
	}{
		"redirect": {308, "Location", "https://elsewhere.example/mcp",
			[]string{`HTTP 308, a redirect to "https://elsewhere.example/mcp": none is followed`}},
		"challenge": {401, "WWW-Authenticate", `Bearer realm="x"`,
			[]string{`HTTP 401`, `its challenge is "Bearer realm=\"x\""`}},
		"metadata": {401, "WWW-Authenticate", `Bearer realm="` + strings.Repeat("x", 1<<16) +
			`", resource_metadata="https://as.example/x"`,
			[]string{`HTTP 401`, `its challenge names the metadata "https://as.example/x"`}},
		"coding": {200, "Content-Encoding", "br",
			[]string{`HTTP 200 with a body in the Content-Encoding "br", which was not asked for`,
				"let the server, or a proxy before it, encode only"}},
		"plain": {200, "Content-Encoding", "Identity",
			[]string{"HTTP 200 without a JSON-RPC response to the request"}},
		"nothing": {404, "Location", "/x", []string{"HTTP 404 without a JSON-RPC response to the request"}},
	} {
		t.Run(name, func(t *testing.T) {
			handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set(c.header, c.text)
				w.WriteHeader(c.status)
			})
			dialer := &transport.HTTP{Client: transport.Client{Handler: handler}}
			o := bare(requirement.R20250618)
			x := opened(t, dialer, o).Do(t.Context(), Request{Method: "resources/list"})
			o.NoHandshake, o.Transcript = false, wire.NewTranscript(wire.Budget{})
			_, err := Open(t.Context(), dialer, o)
			if err == nil {
				t.Fatal("there was a handshake")
			}
			told := strings.Contains(err.Error(), `where the variable holds "Bearer TOKEN"`)
			if told != (c.status == http.StatusUnauthorized) {
				t.Errorf("got %q", err)
			}
			for _, reason := range []string{x.Reason, err.Error()} {
				for _, part := range c.want {
					if !strings.Contains(reason, part) || len(reason) > 600 {
						t.Errorf("got %q, not %q", reason, part)
					}
				}
			}
		})
	}
}

func TestTheEndOfARunEndsTheWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, scripted(silent), options(requirement.R20250618))
		over := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(over) })
		if x := s.Do(ctx, Request{Method: "m"}); x.Outcome != recording.Canceled || x.Reason != over.Error() {
			t.Errorf("%s: %s", x.Outcome, x.Reason)
		}
	})
}

func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			switch m.Get("method").Str {
			case "later":
				go func() {
					time.Sleep(3 * time.Second)
					say(
						`{"method":"notifications/x","params":{"n":2}}`)
				}()
			case "exit":
				say(`{"method":"notifications/last"}`)
				return false
			}
			return true
		}), options(requirement.R20250618))
		is := func(method string) func(*wire.Frame) bool {
			return func(f *wire.Frame) bool {
				return wire.ObjectOf(string(f.Raw)).Get("method").Str == method
			}
		}
		after := s.Last()
		s.Start(t.Context(), Request{Method: "later", Notification: true})
		begin := time.Now()
		f, ok := s.Await(t.Context(), after, 5*time.Second, is("notifications/x"))
		if !ok || time.Since(begin) != 3*time.Second {
			t.Fatalf("%v after %v", ok, time.Since(begin))
		}
		if _, ok := s.Await(t.Context(), f.Number, time.Second, is("notifications/x")); ok ||
			time.Since(begin) != 4*time.Second {
			t.Errorf("the same frame came twice")
		}
		s.Start(t.Context(), Request{Method: "exit", Notification: true})
		if _, ok := s.Await(t.Context(), f.Number, time.Hour, is("notifications/last")); !ok {
			t.Error("the last words were not heard")
		}
		if _, ok := s.Await(t.Context(), f.Number, time.Hour, is("notifications/x")); ok ||
			time.Since(begin) > 5*time.Second {
			t.Errorf("waited %v for a target that has ended", time.Since(begin))
		}
	})
}

func TestListen(t *testing.T) {
	const ack = `{"method":"notifications/subscriptions/acknowledged",` +
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`
	for name, c := range map[string]struct {
		server  server
		acked   bool
		within  time.Duration
		outcome recording.Outcome
	}{
		"acknowledged": {func(m gjson.Result, say teller) bool {
			say(ack,
				m.Get("id").Raw)
			return true
		}, true, 0, recording.Sent},
		"under another id": {func(m gjson.Result, say teller) bool {
			say(ack,
				"99")
			return true
		}, true, 0, recording.Sent},
		"after the response": {func(m gjson.Result, say teller) bool {
			say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
			say(ack, m.Get("id").Raw)
			return true
		}, true, 0, recording.Replied},
		"response alone": {func(m gjson.Result, say teller) bool {
			say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
			return true
		}, false, lateAck, recording.Replied},
		"refused": {refuse, false, 0, recording.Replied},
		"ignored": {silent, false, 30 * time.Second, recording.Sent}, // it might be starting
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := opened(t, server(func(m gjson.Result, say teller) bool {
					return m.Get("method").Str != "subscriptions/listen" || c.server(m, say)
				}).pipe(), options(requirement.R20260728))
				begin := time.Now()
				st := s.Listen(t.Context(), "listen", Filter{URIs: []string{"a:b"}, ListChanged: true},
					Request{})
				if took := time.Since(begin); (st.Ack != nil) != c.acked || took > c.within {
					t.Errorf("acknowledged: %v, after %v", st.Ack != nil, took)
				}
				x := st.Stop(t.Context())
				if x.Outcome != c.outcome || x.Param("notifications.resourceSubscriptions.0").Str != "a:b" {
					t.Errorf("got %+v", x)
				}
			})
		})
	}
}

// TestListenBeside: the acknowledgment of a subscription that is over is not
// taken for that of the next one.
func TestListenBeside(t *testing.T) {
	const ack = `{"method":"notifications/subscriptions/acknowledged",` +
		`"params":{"_meta":{"io.modelcontextprotocol/subscriptionId":%s}}}`
	synctest.Test(t, func(t *testing.T) {
		var first string
		s := opened(t, server(func(m gjson.Result, say teller) bool {
			if id := m.Get("id").Raw; m.Get("method").Str == "subscriptions/listen" {
				if first == "" {
					first = id
				}
				say(ack, first)
				if id != first {
					say(ack, id)
				}
			}
			return true
		}).pipe(), options(requirement.R20260728))
		for range 2 {
			st := s.Listen(t.Context(), "listen", Filter{URIs: []string{"a:b"}}, Request{})
			x := st.Stop(t.Context())
			if st.Ack == nil || subscriptionID(st.Ack).Raw != string(x.ID) {
				t.Errorf("request %s: acknowledged by %+v", x.ID, st.Ack)
			}
		}
	})
}

func TestPostsOfSSEKeepTheirResponses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, &transport.SSE{Client: transport.Client{Handler: http.HandlerFunc(
			func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
					w.(http.Flusher).Flush()
					<-r.Context().Done()
					return
				}
				body, _ := io.ReadAll(r.Body)
				method := gjson.GetBytes(body, "method").Str
				if method == "slow" {
					time.Sleep(time.Second)
				}
				w.WriteHeader(http.StatusForbidden)
				_, _ = fmt.Fprintf(w, `{"id":null,"error":%q}`, method)
			})}}, bare(requirement.R20241105))
		slow := s.Start(t.Context(), Request{Method: "slow", Notification: true})
		quick := s.Do(t.Context(), Request{Method: "quick"})
		for want, x := range map[string]*recording.Exchange{"slow": slow.Wait(t.Context()), "quick": quick} {
			if x.Status != http.StatusForbidden || x.Error().Str != want {
				t.Errorf("%s: got HTTP %d, %s", want, x.Status, x.Message())
			}
		}
	})
}

// TestRefusedAfterTheStreamOfSSE: a POST that is refused because the event stream has ended, whether
// or not we know of it yet, is lost with the session; one that is refused in a session that goes on is not.
func TestRefusedAfterTheStreamOfSSE(t *testing.T) {
	for ends, want := range map[bool]recording.Outcome{true: recording.Lost, false: recording.HTTPOnly} {
		synctest.Test(t, func(t *testing.T) {
			refused := make(chan struct{})
			s := opened(t, &transport.SSE{Client: transport.Client{Handler: http.HandlerFunc(
				func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodGet {
						w.WriteHeader(http.StatusNotFound)
						close(refused)
						return
					}
					w.Header().Set("Content-Type", "text/event-stream")
					_, _ = io.WriteString(w, "event: endpoint\ndata: /message\n\n")
					w.(http.Flusher).Flush()
					if <-refused; ends {
						time.Sleep(50 * time.Millisecond)
						return
					}
					<-r.Context().Done()
				})}}, bare(requirement.R20241105))
			if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != want ||
				x.Status != http.StatusNotFound {
				t.Errorf("where the stream ends: %t: %s, HTTP %d, %s", ends, x.Outcome, x.Status, x.Reason)
			}
		})
	}
}
