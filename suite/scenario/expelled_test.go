package scenario_test

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// sessions is a server on Streamable HTTP that ends the session in which the method
// "curse" is called, and answers "missing" by the status that it has for ended sessions, 404 unless another
// one is given.
type sessions struct {
	mu     sync.Mutex
	status int
	n      int
	ended  map[string]bool
}

func (s *sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, _ := io.ReadAll(r.Body)
	m, id := gjson.ParseBytes(body), r.Header.Get(scenario.HeaderSession)
	method := m.Get("method").Str
	w.Header().Set("Content-Type", "application/json")
	switch {
	case method == "initialize":
		s.n++
		w.Header().Set(scenario.HeaderSession, fmt.Sprint("session-", s.n))
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%s,"capabilities":{}}}`,
			m.Get("id").Raw, m.Get("params.protocolVersion").Raw)
		return
	case s.ended[id] || id == "":
		w.WriteHeader(cmp.Or(s.status, http.StatusNotFound))
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32000,"message":"no such session"}}`,
			m.Get("id").Raw)
		return
	case !m.Get("id").Exists():
		w.WriteHeader(http.StatusAccepted)
		return
	case method == "curse":
		s.ended[id] = true
	case method == "missing":
		w.WriteHeader(cmp.Or(s.status, http.StatusNotFound))
	}
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw)
}

// TestEndedSessionsAreReplaced: what a server says of a session that it has ended is
// not taken for its answer to the message.
func TestEndedSessionsAreReplaced(t *testing.T) {
	for name, c := range map[string]struct {
		play func(c *scenario.Client)
		want string
	}{
		"ended": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "curse"})
			c.Do(session.Request{Step: "b", Method: "m"})
		}, "a b"},
		"ended before a probe": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "curse"})
			c.Probes(session.Request{Step: "b", Method: "m"})
		}, "a b"},
		"ended beside others, in a session of the script": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "curse"})
			c.Do(session.Request{Step: "b", Method: "m"})
			cursed := make(chan struct{})
			scenario.Each(c, []string{"curse", "m"}, func(i int, method string, c *scenario.Client) {
				if i == 0 {
					defer close(cursed)
				} else {
					<-cursed
				}
				c.Do(session.Request{Step: "c", Method: method})
			})
		}, "a b c c"},
		"ended amid errors": {func(c *scenario.Client) {
			scenario.Each(c, []string{"missing", "curse", "missing"},
				func(i int, method string, c *scenario.Client) {
					time.Sleep(time.Duration(i) * time.Millisecond)
					c.Do(session.Request{Step: recording.Step("def"[i:][:1]), Method: method})
				})
		}, "d? e f?"},
		"statuses of their own, side by side": {func(c *scenario.Client) {
			scenario.Each(c, slices.Repeat([]string{"missing"}, 12),
				func(_ int, method string, c *scenario.Client) {
					c.Do(session.Request{Step: "a", Method: method})
				})
		}, strings.TrimSpace(strings.Repeat("a? ", 12))},
		"a status of its own, for whose end another one waits": {func(
			c *scenario.Client) {
			done := make(chan struct{})
			scenario.Each(c, []string{"missing", "m"}, func(i int, method string, c *scenario.Client) {
				if i == 0 {
					defer close(done)
				} else {
					<-done
				}
				c.Do(session.Request{Step: "a", Method: method})
			})
		}, "a? a"},
		"ended again, after another message": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "curse"})
			c.Do(session.Request{Step: "b", Method: "curse"})
			c.Do(session.Request{Step: "c", Method: "m"})
		}, "a b c"},
		"a status of its own": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "missing"})
		}, "a?"},
		"another session": {func(c *scenario.Client) {
			c.Do(session.Request{Step: "a", Method: "m",
				Header: map[string]string{scenario.HeaderSession: ""},
				Omit:   []string{scenario.HeaderSession}})
		}, "a?"},
	} {
		for _, status := range []int{http.StatusNotFound, http.StatusBadRequest, http.StatusGone} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					st := scenariotest.Stage(t, &scenariotest.Server{})
					st.Combination.Transport = requirement.HTTP
					st.Limits.Patience = 2 // which message it was is not tried
					st.Dialer = &transport.HTTP{
						Client: transport.Client{
							Handler: &sessions{ended: map[string]bool{}, status: status},
						},
					}
					rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
						if client, ok := p.Expendable(); ok {
							c.play(client)
						}
					})
					if got := told(rec); got != c.want {
						t.Errorf("got  %s\nwant %s", got, c.want)
					}
				})
			})
		}
	}
}

// TestEndersAreFound: where sessions end over a message, and another status than 404 says so, it is sent
// again until that is certain.
func TestEndersAreFound(t *testing.T) {
	for status, want := range map[int]string{
		http.StatusNotFound: "", http.StatusBadRequest: "bad 400", http.StatusInternalServerError: "bad 500",
	} {
		synctest.Test(t, func(t *testing.T) {
			st := scenariotest.Stage(t, &scenariotest.Server{})
			st.Combination.Transport = requirement.HTTP
			st.Dialer = &transport.HTTP{Client: transport.Client{Handler: &sessions{ended: map[string]bool{},
				status: status}}}
			rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
				if c, ok := p.Expendable(); ok {
					c.Do(session.Request{Step: "good", Method: "m"})
					c.Do(session.Request{Step: "bad", Method: "curse"})
					c.Do(session.Request{Step: "good", Method: "m"})
				}
			})
			got := ""
			for _, x := range rec.Exchanges {
				if x.Ends != 0 {
					got += fmt.Sprint(x.Step.Sent(), " ", x.Ends)
				}
			}
			if got != want {
				t.Errorf("HTTP %d: %q, not %q", status, got, want)
			}
		})
	}
}

// TestBusyServersAreNotAccused: that a server asks to be called later shows that it lives, and HTTP 503 to
// one message alone is its answer to that.
func TestBusyServersAreNotAccused(t *testing.T) {
	probe := func(c *scenario.Client) {
		c.Probes(session.Request{Step: "p", Method: "m"})
	}
	probes := func(c *scenario.Client) {
		c.Probes(session.Request{Step: "a", Method: "m"}, session.Request{Step: "b", Method: "m"})
	}
	mute := func(c *scenario.Client) {
		c.Do(session.Request{Step: "d", Method: "mute"})
	}
	for name, c := range map[string]struct {
		play   func(c *scenario.Client)
		status int
		after  string
		want   string
		took   time.Duration // 0 is any
	}{
		"a probe":                    {probe, 429, "30", "p:refused?", 0},
		"probes":                     {probes, 429, "30", "a:refused? b:refused?", 0},
		"silence":                    {mute, 429, "30", "d:silent", 0},
		"a probe that comes later":   {probe, 503, "30", "p:refused?", 0},
		"a probe that is not served": {probe, 503, "", "p:http?", time.Nanosecond},
		"probes that are not served": {probes, 503, "", "a:http? b:http?", time.Nanosecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				open := &sessions{ended: map[string]bool{}}
				st := scenariotest.Stage(t, &scenariotest.Server{})
				st.Combination.Transport = requirement.HTTP
				st.Dialer = &transport.HTTP{Client: transport.Client{Handler: http.HandlerFunc(
					func(w http.ResponseWriter, r *http.Request) {
						body, _ := io.ReadAll(r.Body)
						m := gjson.ParseBytes(body)
						switch method := m.Get("method").Str; {
						case method == "mute":
							<-r.Context().Done()
						case method == "m" || method == "ping":
							if c.after != "" {
								w.Header().Set("Retry-After", c.after)
							}
							w.WriteHeader(c.status)
						default:
							r.Body = io.NopCloser(bytes.NewReader(body))
							open.ServeHTTP(w, r)
						}
					})}}
				var took time.Duration
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
					if client, ok := p.Expendable(); ok {
						begin := time.Now()
						c.play(client)
						took = time.Since(begin)
					}
				})
				if got := told(rec); got != c.want || c.took > 0 && took >= c.took {
					t.Errorf("after %v\ngot  %s\nwant %s", took, got, c.want)
				}
			})
		})
	}
}
