package reference_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// timed is a small world with a timeline.
func timed(t *testing.T, timeline string) reference.World {
	t.Helper()
	w, err := world.Parse("w.yaml", []byte("resources: [{uri: 'doc:1', name: one, text: One}]\ntimeline:\n"+
		timeline), control.Check)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestStepsThatWait: steps wait for the nth message, happen each time, and are listed with what they wait
// for.
func TestStepsThatWait(t *testing.T) {
	w := timed(t, `
  - {after: {method: resources/read, uri: "doc:*", count: 2}, every: 1s, times: 2, become: {reads: many}}
  - {on: {method: resources/subscribe|subscriptions/listen}, at: 3s, putRule: {id: slow, delay: 1ms}}
  - {on: {method: resources/list, when: [{at: params.x, is: 1}]}, times: 1, removeRule: slow}
`)
	for _, place := range places {
		synctest.Test(t, func(t *testing.T) {
			s := reference.Start(t, w)
			c := connect(t, s.Server, place[0], place[1])
			defer c.close()
			c.result("resources/read", object{"uri": "doc:1"})
			c.result("resources/list", nil)
			time.Sleep(time.Minute)
			if steps := s.Timeline(); len(steps) != 3 || steps[0].Taken != 0 || steps[0].Next != nil ||
				!strings.HasPrefix(steps[0].Waits, "after resources/read uri=doc:* #2") {
				t.Errorf("%v: before: %+v", place, steps)
			}
			c.result("resources/read", object{"uri": "doc:1"})
			synctest.Wait()
			if next := s.Timeline()[0].Next; next == nil || *next != operation.Duration(time.Second) {
				t.Errorf("%v: next in %v", place, next)
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			if steps := s.Timeline(); steps[0].Taken != 2 || !steps[0].Done || s.States()["reads"] != "many" {
				t.Errorf("%v: after the second: %+v, %v", place, steps, s.States())
			}
			if hook.Modern(place[0]) {
				c.start("subscriptions/listen", object{"notifications": object{"resourcesListChanged": true}})
			} else {
				c.result("resources/subscribe", object{"uri": "doc:1"})
			}
			time.Sleep(4 * time.Second)
			synctest.Wait()
			if _, armed := s.Rule("slow"); !armed {
				t.Errorf("%v: %+v, %v", place, s.Timeline(), s.Rules())
			}
			c.result("resources/list", object{"x": 1})
			synctest.Wait()
			if _, armed := s.Rule("slow"); armed || !s.Timeline()[2].Done {
				t.Errorf("%v: the rule is still there: %+v", place, s.Timeline())
			}
			if err := s.Reset(); err != nil || s.Timeline()[0].Taken != 0 || len(s.States()) != 0 {
				t.Errorf("%v: after the reset: %v, %+v, %v", place, err, s.Timeline(), s.States())
			}
		})
	}
}

// TestStepsCountWhatRulesAnswer: a read that a rule has answered, or cut off, before it was received is one,
// too; none counts twice.
func TestStepsCountWhatRulesAnswer(t *testing.T) {
	w := timed(t, `
  - {after: {method: resources/read, count: 3}, become: {reads: three}}
rules:
  - {method: resources/read, count: 1, fail: {status: 503}}
`)
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, w)
		body := strings.Replace(discover(hook.R20260728), `"server/discover","params":{`,
			`"resources/read","params":{"uri":"doc:1",`, 1)
		header := modernHeader(hook.R20260728)
		header.Set("Mcp-Method", "resources/read")
		header.Set("Mcp-Name", "doc:1")
		for i, want := range []int{http.StatusServiceUnavailable, http.StatusOK, http.StatusOK} {
			if state := s.States()["reads"]; state != "" {
				t.Errorf("before read %d: %s", i+1, state)
			}
			if w := exchange(s.Handler(), http.MethodPost, "/mcp", []byte(body), header); w.Code != want {
				t.Errorf("read %d: %d %s", i+1, w.Code, w.Body)
			}
			synctest.Wait()
		}
		if s.States()["reads"] != "three" {
			t.Errorf("%+v", s.Timeline())
		}
	})
}

// TestStepsOfTheServer: sessions end once the answer is out, tokens expire, revisions are replaced, and a
// reset undoes it.
func TestStepsOfTheServer(t *testing.T) {
	w := timed(t, `
  - {after: {method: resources/read}, endSessions: true}
  - {at: 10s, expireTokens: [alice]}
  - {at: 20s, revisions: ["2025-06-18"]}
`)
	synctest.Test(t, func(t *testing.T) {
		g, err := guard.New(guard.Options{Tokens: []guard.Token{{Secret: "a", Identity: "alice"},
			{Secret: "b", Identity: "bob"}}})
		if err != nil {
			t.Fatal(err)
		}
		s := reference.Start(t, w, reference.WithOptions(func(o *reference.Options) { o.Guard = g }))
		status := func(token, revision string) int {
			header := modernHeader(revision)
			header.Set("Authorization", "Bearer "+token)
			return exchange(s.Handler(), http.MethodPost, "/mcp", []byte(discover(revision)), header).Code
		}
		if got := status("a", hook.R20260728); got != http.StatusOK {
			t.Errorf("at first: %d", got)
		}
		time.Sleep(11 * time.Second)
		if a, b := status("a", hook.R20260728), status("b", hook.R20260728); a != http.StatusUnauthorized ||
			b != http.StatusOK {
			t.Errorf("after the expiry: %d, %d", a, b)
		}
		time.Sleep(10 * time.Second)
		if got := status("b", hook.R20260728); got < http.StatusBadRequest {
			t.Errorf("of a revision that is not served any more: %d", got)
		}
		if err := s.Reset(); err != nil || status("a", hook.R20260728) != http.StatusOK {
			t.Errorf("after the reset: %v", err)
		}
	})
	for _, place := range [][2]string{{hook.R20251125, hook.HTTP}, {hook.R20241105, hook.SSE},
		{hook.R20250618, hook.Stdio}} {
		synctest.Test(t, func(t *testing.T) {
			s := reference.Start(t, w)
			c := connect(t, s.Server, place[0], place[1])
			defer c.close()
			c.result("resources/read", object{"uri": "doc:1"}) // is answered all the same
			synctest.Wait()
			if n := len(s.Sessions()); n != 0 {
				t.Errorf("%v: %d sessions are left", place, n)
			}
		})
	}
}

// TestSessionsKeepTheirRevision: what has been settled goes on, and is ended, when its revision is served no
// longer, or none with a handshake is.
func TestSessionsKeepTheirRevision(t *testing.T) {
	for _, place := range [][2]string{{hook.R20251125, hook.HTTP}, {hook.R20250326, hook.HTTP},
		{hook.R20241105, hook.SSE}, {hook.R20250618, hook.Stdio}} {
		for _, then := range []string{hook.R20241105, hook.R20250618, hook.R20251125, hook.R20260728} {
			synctest.Test(t, func(t *testing.T) {
				s := reference.Start(t, timed(t, "  - {after: {method: resources/read}, revisions: ["+then+
					"]}\n"))
				c := connect(t, s.Server, place[0], place[1])
				defer c.close()
				for range 3 {
					c.result("resources/read", object{"uri": "doc:1"})
					synctest.Wait()
				}
				if place[1] != hook.HTTP {
					return
				}
				header := c.headers(nil)
				if w := exchange(s.Handler(), http.MethodDelete, "/mcp", nil,
					header); w.Code != http.StatusNoContent {
					t.Errorf("%v then %s: DELETE: %d %s", place, then, w.Code, w.Body)
				}
				if w := exchange(s.Handler(), http.MethodPost, "/mcp",
					[]byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`),
					header); w.Code < http.StatusBadRequest {
					t.Errorf("%v then %s: after its end: %d %s", place, then, w.Code, w.Body)
				}
			})
		}
	}
}

// TestStepsThatFail: why a rule could not be switched on is in the journal.
func TestStepsThatFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t,
			reference.World{Timeline: []reference.Step{{At: time.Second, PutRule: &operation.Rule{ID: "r",
				Fault: "no-such-fault"}}}})
		time.Sleep(2 * time.Second)
		synctest.Wait()
		told := s.Journal().Query(journal.Query{Kinds: []journal.Kind{journal.Applied}})
		if len(told) != 2 ||
			told[1].Rules[0] != `timeline: put rule r failed: unknown fault "no-such-fault": see `+
				`mockserver faults` {
			t.Errorf("%+v", told)
		}
	})
}

// TestRefusedConnections: the port is closed for a time, idle connections and streams end, and the same port
// is open again.
func TestRefusedConnections(t *testing.T) {
	s := reference.Start(t, timed(t, `
  - {after: {method: server/discover}, refuse: 1h}
`))
	address := strings.TrimPrefix(strings.TrimSuffix(s.URL(), "/mcp"), "http://")
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	stream, err := http.NewRequestWithContext(ctx, http.MethodGet, s.SSEURL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	events, err := http.DefaultClient.Do(stream)
	if err != nil {
		t.Fatal(err)
	}
	defer events.Body.Close()
	ping := func() (*http.Response, error) {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL(),
			strings.NewReader(discover(hook.R20260728)))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = modernHeader(hook.R20260728)
		return http.DefaultClient.Do(r)
	}
	// a busy machine may not answer it within the grace that a closed port leaves
	if r, err := ping(); err == nil {
		_ = r.Body.Close()
	}
	until(ctx, t, "the port is closed", func() bool {
		c, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err == nil {
			_ = c.Close()
		}
		return errors.Is(err, syscall.ECONNREFUSED)
	})
	buffer := make([]byte, 1024)
	for err = nil; err == nil; {
		_, err = events.Body.Read(buffer)
	}
	if ctx.Err() != nil {
		t.Fatal("the stream goes on")
	}
	if runtime.GOOS != "windows" { // another process cannot have the port meanwhile
		if l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address); err == nil {
			_ = l.Close()
			t.Error("the port is free while it is closed")
		}
	}
	if err := s.Reset(); err != nil {
		t.Fatal(err)
	}
	until(ctx, t, "the port is open", func() bool {
		r, err := ping()
		if err == nil {
			_ = r.Body.Close()
		}
		return err == nil
	})
}

// discover is a server/discover, and modernHeader its headers.
func discover(revision string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"server/discover",` +
		`"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"` + revision +
		`","io.modelcontextprotocol/clientCapabilities":{}}}}`
}

func modernHeader(revision string) http.Header {
	return http.Header{"Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {revision},
		"Mcp-Method": {"server/discover"}}
}

// until waits for a condition.
func until(ctx context.Context, t *testing.T, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !is() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not in time: %s", what)
		}
	}
}

// TestMistakesInTimelines: what is wrong with a step is told with line and member.
func TestMistakesInTimelines(t *testing.T) {
	for step, want := range map[string]string{
		"{after: {method: ping}, on: {method: ping}, touch: a}": "timeline[0].on: is each time by itself",
		"{after: {}, touch: a}": "timeline[0].after: says of no message " +
			"which it is",
		"{on: {methd: ping}, touch: a}": `unknown member "methd": did you mean ` +
			`"method"?`,
		"{revisions: [2025-11-26]}": `timeline[0].revisions[0]: "2025-11-26" ` +
			`is unknown`,
		"{putRule: {fault: reste}}": `timeline[0].putRule.fault: unknown ` +
			`fault "reste": did you mean reset?`,
		"{putRule: {chance: 3, delay: 1s}}": "timeline[0].putRule.chance: must be " +
			"between 0 and 1",
		"{become: {'a b': c}}": `timeline[0].become: "a b" is no name`,
		"{refuse: -1s}":        "timeline[0].refuse: must be between",
		"{expireTokens: ['']}": "timeline[0].expireTokens[0]: must not " +
			"be empty",
		"{refuse: 1s, endSessions: true}": "needs exactly one of",
	} {
		if _, err := world.Parse("w.yaml", []byte("timeline:\n  - "+step+"\n"), control.Check); err == nil ||
			!strings.Contains(err.Error(), "w.yaml:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, not %q", step, err, want)
		}
	}
	if _, err := world.Parse("w.yaml", []byte("timelineFrom: first-reqest\n")); err == nil ||
		!strings.Contains(err.Error(), "did you mean first-request?") {
		t.Error(err)
	}
}
