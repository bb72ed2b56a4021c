package reference_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// notes is a world of two texts.
func notes() reference.World {
	one, two := "one", "two"
	return reference.World{Name: "notes", Resources: []reference.Resource{
		{URI: "note:1", Name: "1", Text: &one}, {URI: "note:2", Name: "2", Text: &two},
	}}
}

// line is a client on a connection with a message per line.
type line struct {
	t    *testing.T
	conn io.ReadWriteCloser
	in   *bufio.Reader
	id   int
}

func dial(t *testing.T, s *reference.TestServer) *line {
	t.Helper()
	c := s.Connect()
	l := &line{t: t, conn: c, in: bufio.NewReader(c)}
	l.call("initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	return l
}

func (l *line) send(method, params string) {
	l.t.Helper()
	l.id++
	if _, err := fmt.Fprintf(l.conn, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", l.id, method,
		params); err != nil {
		l.t.Fatal(err)
	}
}

func (l *line) receive() string {
	l.t.Helper()
	s, err := l.in.ReadString('\n')
	if err != nil {
		l.t.Fatalf("%v after %q", err, s)
	}
	return s
}

func (l *line) call(method, params string) string {
	l.t.Helper()
	l.send(method, params)
	return l.receive()
}

func (l *line) read(uri string) string {
	l.t.Helper()
	return l.call("resources/read", fmt.Sprintf(`{"uri":%q}`, uri))
}

func want(t *testing.T, got, part string) {
	t.Helper()
	if !strings.Contains(got, part) {
		t.Errorf("%s\nhas no %s", got, part)
	}
}

func TestTheNextTwoReadsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, notes())
		c := dial(t, s)
		s.FailNext(2, "resources/read", -32603, "busy")
		want(t, c.read("note:1"), `"code":-32603`)
		want(t, c.call("resources/list", `{}`), "note:2")
		want(t, c.read("note:1"), `"message":"busy"`)
		want(t, c.read("note:1"), `"text":"one"`)
		if rules := s.Rules(); len(rules) != 1 || rules[0].Hits != 2 || !rules[0].Done {
			t.Errorf("%+v", rules)
		}
		s.Received("resources/read", 3)
		s.InOrder("initialize", "resources/list", "resources/read")
		if n := s.Journal().Count(journal.Query{Kinds: []journal.Kind{journal.Applied},
			Rule: "fail -32603"}); n != 2 {
			t.Errorf("%d entries say that it was applied", n)
		}
		if all := s.Journal().Query(journal.Sent("resources/read")); len(all) != 3 ||
			len(all[0].Rules) != 1 || all[0].RequestSeq >= all[0].Seq || all[2].Rules != nil {
			t.Errorf("%v", all)
		}
	})
}

func TestLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, notes())
		a, b := dial(t, s), dial(t, s)
		fails := func(l control.Limits) func() {
			return s.Inject(control.Rule{Fail: &control.Failure{Code: -1}, Limits: l})
		}
		broken := func(got string) bool { return strings.Contains(got, `"code":-1`) }
		for _, test := range []struct {
			limits   control.Limits
			calls    []func() string
			affected []bool
		}{
			{control.Limits{URI: "note:{id}", Method: "resources/*"}, []func() string{func() string {
				return a.read("note:2")
			}, func() string { return a.call("ping", `{}`) }}, []bool{true, false}},
			{control.Limits{URI: "note:*"}, []func() string{func() string {
				return a.read("note:2")
			}, func() string { return a.call("resources/list", `{}`) }}, []bool{true, false}},
			{control.Limits{URI: "note:1"}, []func() string{func() string {
				return a.read("note:1")
			}, func() string { return a.read("note:2") }}, []bool{true, false}},
			{control.Limits{Session: s.Sessions()[1].ID}, []func() string{func() string {
				return a.read("note:1")
			}, func() string { return b.read("note:1") }}, []bool{false, true}},
			{control.Limits{Method: "resources/read|ping", Skip: 1, Count: 1},
				[]func() string{func() string { return a.read("note:1") }, func() string {
					return a.call("ping", `{}`)
				}, func() string { return a.read("note:1") }}, []bool{false, true, false}},
			{control.Limits{Identity: "nobody"}, []func() string{func() string { return a.read("note:1") }},
				[]bool{false}},
		} {
			remove := fails(test.limits)
			for i, call := range test.calls {
				if got := call(); broken(got) != test.affected[i] {
					t.Errorf("%+v, call %d: %s", test.limits, i, got)
				}
			}
			remove()
		}
		want(t, a.read("note:1"), `"text":"one"`)
	})
}

func TestFaultsAndQuirksComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, notes(),
			reference.WithFault("page-01-null-cursor:count=1:method=resources/list"))
		c := dial(t, s)
		want(t, c.call("resources/list", `{}`), `"nextCursor":null`)
		if got := c.call("resources/list", `{}`); strings.Contains(got, "nextCursor") {
			t.Error(got)
		}
		remove := s.Fault("page-01-null-cursor")
		want(t, c.call("resources/list", `{}`), `"nextCursor":null`)
		remove()
		if got := c.call("resources/list", `{}`); strings.Contains(got, "nextCursor") {
			t.Error(got)
		}
		if len(s.Rules()) != 1 || s.Rules()[0].Requirement != "PAGE-01" ||
			s.Rules()[0].ID != "page-01-null-cursor" {
			t.Errorf("%+v", s.Rules())
		}
		s.ClearRules()
		if len(s.Rules()) != 0 {
			t.Errorf("%+v", s.Rules())
		}
		for _, bad := range []control.Rule{
			{}, {Fault: "none"}, {Quirk: "none"}, {Fault: "page-01-null-cursor", Quirk: "long-cursors"},
			{Fail: &control.Failure{}},
			{Fault: "page-01-null-cursor", Limits: control.Limits{Count: -1}},
			{Fault: "page-01-null-cursor", Limits: control.Limits{URI: "{"}},
			{Fault: "stdio-03-no-last-newline", Limits: control.Limits{Count: 1}},
			{Delay: &control.Delay{Kind: "x"}},
		} {
			if _, err := s.AddRule(bad); err == nil {
				t.Errorf("%+v is taken", bad)
			}
		}
	})
}

func TestOverlaysAreUndone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, text := notes(), "note {id}"
		w.Templates = []reference.Template{{URITemplate: "memo:{id}", Name: "memo", Text: &text}}
		s := reference.Start(t, w)
		c := dial(t, s)
		status, err := s.AddRule(control.Rule{ID: "mine", Quirk: "no-templates"})
		if err != nil || status.ID != "mine" {
			t.Fatal(status, err)
		}
		want(t, c.receive(), "list_changed")
		want(t, c.read("memo:1"), "not found")
		if _, err := s.AddRule(control.Rule{ID: "mine", Quirk: "no-templates"}); err == nil {
			t.Error("two rules have one id")
		}
		if !s.RemoveRule("mine") || s.RemoveRule("mine") {
			t.Error("removed never, or twice")
		}
		want(t, c.receive(), "list_changed")
		want(t, c.read("memo:1"), "note 1")
	})
	synctest.Test(t, func(t *testing.T) {
		w, text := notes(), "note {id}"
		w.Templates = []reference.Template{{URITemplate: "memo:{id}", Name: "memo", Text: &text}}
		s := reference.Start(t, w, reference.WithQuirk("no-templates"))
		c := dial(t, s)
		want(t, c.read("memo:1"), "not found")
		s.ClearRules()
		want(t, c.receive(), "list_changed")
		want(t, c.read("memo:1"), "note 1")
	})
}

func TestDelays(t *testing.T) {
	took := func(seed uint64, spec string) (all []time.Duration) {
		synctest.Test(t, func(t *testing.T) {
			s := reference.Start(t, notes(), reference.WithSeed(seed))
			c := dial(t, s)
			s.Delay(spec)
			for range 5 {
				begin := time.Now()
				c.read("note:1")
				all = append(all, time.Since(begin))
			}
			begin := time.Now()
			c.call("ping", `{}`)
			if strings.Contains(spec, "method=") && time.Since(begin) != 0 {
				t.Errorf("%s: a ping took %s", spec, time.Since(begin))
			}
		})
		return all
	}
	if got := took(0, "50ms:method=resources/read:count=2"); fmt.Sprint(got) != "[50ms 50ms 0s 0s 0s]" {
		t.Error(got)
	}
	uniform := took(1, "uniform:10ms-90ms:method=resources/read")
	for i, d := range uniform {
		if d < 10*time.Millisecond || d > 90*time.Millisecond || i > 0 && d == uniform[i-1] {
			t.Errorf("%v", uniform)
		}
	}
	if again := took(1, "uniform:10ms-90ms:method=resources/read"); fmt.Sprint(again) != fmt.Sprint(uniform) {
		t.Errorf("the same seed gives %v and %v", uniform, again)
	}
	if other := took(2, "uniform:10ms-90ms:method=resources/read"); fmt.Sprint(other) == fmt.Sprint(uniform) {
		t.Errorf("another seed gives the same %v", uniform)
	}
	for _, d := range took(1, "lognormal:50ms,0.5:method=resources/read") {
		if d <= 0 || d > time.Second {
			t.Error(d)
		}
	}
	for _, d := range took(1, "dribble:100B/s:method=resources/read") {
		if d < 500*time.Millisecond || d > 3*time.Second {
			t.Errorf("about 100 bytes took %s", d)
		}
	}
}

func TestTimelineAndReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, text := notes(), "three"
		w.Timeline = []reference.Step{
			{At: 2 * time.Second, Put: &reference.Resource{URI: "note:3", Name: "3", Text: &text}},
			{At: 5 * time.Second, Remove: "note:2"},
			{Every: time.Second, Times: 3, Touch: "note:1"},
		}
		s := reference.Start(t, w)
		c := dial(t, s)
		want(t, c.call("resources/subscribe", `{"uri":"note:1"}`), "result")
		begin := time.Now()
		for _, step := range []struct {
			at   time.Duration
			want string
		}{{1, "updated"}, {2, "list_changed"}, {2, "updated"}, {3, "updated"}, {5, "list_changed"}} {
			want(t, c.receive(), step.want)
			if got := time.Since(begin); got != step.at*time.Second {
				t.Errorf("%s came after %s", step.want, got)
			}
		}
		want(t, c.read("note:3"), "three")
		want(t, c.read("note:2"), "not found")
		s.PutText("note:1", "changed")
		want(t, c.receive(), "list_changed") // its size is another
		want(t, c.receive(), "updated")
		s.Fault("page-01-null-cursor")
		if err := s.Reset(); err != nil {
			t.Fatal(err)
		}
		want(t, c.receive(), "list_changed")
		want(t, c.receive(), "updated")
		want(t, c.read("note:1"), `"one"`)
		want(t, c.read("note:2"), `"two"`)
		want(t, c.read("note:3"), "not found")
		if len(s.Rules()) != 0 {
			t.Error("a rule outlives the reset")
		}
		want(t, c.receive(), "updated") // the timeline has begun again
	})
}

// TestTimelineOnRequest: nothing happens before somebody is there to see it.
func TestTimelineOnRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := notes()
		w.Timeline = []reference.Step{{At: 2 * time.Second, Remove: "note:2"}}
		s := reference.Start(t, w,
			reference.WithOptions(func(o *reference.Options) { o.TimelineOnRequest = true }))
		time.Sleep(time.Minute)
		c := dial(t, s)
		want(t, c.read("note:2"), `"two"`)
		begin := time.Now()
		want(t, c.receive(), "list_changed")
		if got := time.Since(begin); got != 2*time.Second {
			t.Errorf("the step came after %s", got)
		}
	})
}

// TestTimelineAsks: a timeline has the server ask clients, those that can be asked.
func TestTimelineAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := notes()
		w.Timeline = []reference.Step{
			{At: time.Second, Ask: &world.Request{Method: "roots/list"}},
			{At: 2 * time.Second, Ask: &world.Request{Method: "sampling/createMessage",
				Params: map[string]any{"maxTokens": 1}, Undeclared: true}},
			{At: 3 * time.Second, Ask: &world.Request{Method: "ping"}},
		}
		s := reference.Start(t, w)
		c := dial(t, s)
		// Nothing is asked before the client has said that it is ready.
		time.Sleep(5 * time.Second)
		if n := s.Journal().Count(journal.Query{Direction: journal.Out,
			Kinds: []journal.Kind{journal.Request}}); n != 0 {
			t.Errorf("%d requests before the end of the handshake", n)
		}
		if _, err := io.WriteString(c.conn, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+
			"\n"); err != nil {
			t.Fatal(err)
		}
		// roots/list is not asked, because the client has not declared roots.
		sampling, ping := c.receive(), c.receive()
		if strings.Contains(sampling, `"ping"`) {
			sampling, ping = ping, sampling
		}
		want(t, sampling, `"method":"sampling/createMessage","params":{"maxTokens":1}`)
		want(t, ping, `"method":"ping"`)
		if _, err := io.WriteString(c.conn, strings.Replace(ping, `"method":"ping"`, `"result":{}`,
			1)); err != nil {
			t.Fatal(err)
		}
		s.WaitForEntries(journal.Query{Direction: journal.In, Kinds: []journal.Kind{journal.Response}}, 1)
	})
}

func TestTheWorldChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, notes(), reference.WithPageSize(1))
		c := dial(t, s)
		if found, err := s.Patch("note:1", []byte(`{"title":"First","text":"uno"}`)); !found || err != nil {
			t.Fatal(found, err)
		}
		want(t, c.receive(), "list_changed")
		want(t, c.read("note:1"), "uno")
		if found, err := s.Patch("note:9", []byte(`{}`)); found || err != nil {
			t.Error(found, err)
		}
		if _, err := s.Patch("note:1", []byte(`{"uri":"note:7"}`)); err == nil {
			t.Error("the URI changed")
		}
		text := "note {id}"
		for _, form := range []string{"memo:{id}", "page:{id}", "card:{id}"} {
			if err := s.PutTemplate(reference.Template{URITemplate: form, Name: form,
				Text: &text}); err != nil {
				t.Fatal(err)
			}
			want(t, c.receive(), "list_changed")
		}
		want(t, c.read("memo:7"), "note 7")
		first := c.call("resources/templates/list", `{}`)
		want(t, first, "memo:{id}")
		var answer struct{ Result struct{ NextCursor string } }
		if err := json.Unmarshal([]byte(first), &answer); err != nil {
			t.Fatal(err)
		}
		if !s.RemoveTemplate("memo:{id}") || s.RemoveTemplate("memo:{id}") {
			t.Error("removed never, or twice")
		}
		want(t, c.receive(), "list_changed")
		// A cursor stays good when what was before it goes.
		want(t, c.call("resources/templates/list", fmt.Sprintf(`{"cursor":%q}`, answer.Result.NextCursor)),
			"page:{id}")
		want(t, c.read("memo:7"), "not found")
		if h := s.Health(); h.Status != "ok" || h.Resources != 2 || h.Templates != 2 || h.Sessions != 1 ||
			h.Journal != s.Journal().Last() {
			t.Errorf("%+v", h)
		}
		sessions := s.Sessions()
		if len(sessions) != 1 || sessions[0].Revision != "2025-11-25" ||
			!strings.Contains(string(sessions[0].Client), `"name":"c"`) {
			t.Errorf("%+v", sessions)
		}
		if !s.EndSession(sessions[0].ID) || s.EndSession(sessions[0].ID) {
			t.Error("ended never, or twice")
		}
		if _, err := c.in.ReadString('\n'); err != io.EOF {
			t.Error(err)
		}
		closed := s.Journal().Query(journal.Query{Kinds: []journal.Kind{journal.Closed}})
		if len(closed) != 1 || closed[0].Reason != "server" || closed[0].Session != sessions[0].ID {
			t.Errorf("%+v", closed)
		}
	})
}
