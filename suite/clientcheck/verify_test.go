package clientcheck_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/occasion"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// judged judges entries by their JSON form.
func judged(t *testing.T, entries []journal.Entry, o clientcheck.Options) *reports.Report {
	t.Helper()
	var lines bytes.Buffer
	if _, err := journal.WriteJSON(&lines, entries); err != nil {
		t.Fatal(err)
	}
	j, err := clientcheck.Read(&lines)
	if err != nil {
		t.Fatal(err)
	}
	r := clientcheck.Judge(j, o)
	for _, x := range r.Results {
		if x.Verdict.Red() != (x.Cause != "") {
			t.Errorf("%s %s with the cause %q", x.ID, x.Verdict, x.Cause)
		}
	}
	return r
}

// due judges a requirement on entries that tell of a whole case. One verdict is due.
func due(t *testing.T, id string, in any, want reports.Verdict, entries []journal.Entry) *reports.Report {
	t.Helper()
	r := judged(t, entries, clientcheck.Options{Ended: true, SingleClient: true, Only: []string{id}})
	if len(r.Results) != 1 || r.Results[0].Verdict != want {
		t.Errorf("%s, %v: %+v", id, in, r.Results)
	}
	return r
}

// play has a client talk to a server and judges it.
func play(t *testing.T, transport, revision, bad string, change ...reference.Option) *reports.Report {
	t.Helper()
	o := occasion.New(occasion.Options{EndStream: strings.HasPrefix(bad, "CL-43") || bad == "CL-30 anew"})
	hooks := o.Hooks()
	if bad == "CL-26" || bad == "CL-26 good" {
		hooks = hook.Join(hooks, asksForRoots())
	}
	if bad == "CL-02 good" {
		hooks = hook.Join(hooks, refusesOnce("notifications/initialized"))
	}
	if bad == "CL-33" {
		hooks = hook.Join(hooks, answersTogether())
	}
	options := append([]reference.Option{reference.WithPageSize(7),
		reference.WithOptions(func(x *reference.Options) { x.Hooks = hooks })}, change...)
	if strings.HasPrefix(bad, "CL-42") {
		options = append(options, reference.WithQuirk("empty-cursor"))
	}
	server := reference.Start(t, reference.DefaultWorld(), options...)
	o.Bind(server)
	c := newClient(t, server, transport, revision, bad)
	if strings.HasPrefix(bad, "CL-34") {
		c.input()
	} else {
		c.talk()
	}
	c.close()
	if transport != "http" {
		waitClosed(t, server)
	}
	return judged(t, server.Journal().Query(journal.Query{}),
		clientcheck.Options{Ended: true, SingleClient: true})
}

func waitClosed(t *testing.T, server *reference.TestServer) {
	t.Helper()
	server.WaitForEntries(journal.Query{Kinds: []journal.Kind{journal.Closed},
		Match: func(e *journal.Entry) bool { return e.Scope == journal.ScopeConnection }}, 1)
}

// answersTogether keeps back the first of two reads under one progress token until the second
// has come.
func answersTogether() hook.Hooks {
	var arrived atomic.Int32
	both := make(chan struct{})
	return hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		if gjson.GetBytes(c.Params, "_meta.progressToken").Int() == 7 {
			if arrived.Add(1) == 2 {
				close(both)
			}
			select {
			case <-both:
			case <-c.Done():
			}
		}
		return c.Next()
	})
}

// refusesOnce answers the first POST with a method by 503.
func refusesOnce(method string) hook.Hooks {
	var refused atomic.Bool
	return hook.OnHTTP(func(r *http.Request) bool {
		return r.Method == http.MethodPost
	}, func(x hook.Serving) {
		if body, err := hook.PeekBody(x.Request); err == nil && bytes.Contains(body, []byte(method)) &&
			!refused.Swap(true) {
			x.W.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		x.Next()
	})
}

// asksForRoots has the server ask for roots before the first list of templates.
func asksForRoots() hook.Hooks {
	asked := false
	return hook.Hooks{Handle: func(next hook.Handler) hook.Handler {
		return func(ctx context.Context, c *hook.Call) *hook.Reply {
			if c.Method == hook.MethodTemplates && !asked {
				asked = true
				_ = c.Session.Send(ctx, []byte(`{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`))
			}
			return next(ctx, c)
		}
	}}
}

func red(r *reports.Report) []string {
	var ids []string
	for _, x := range r.Results {
		if x.Verdict.Red() {
			ids = append(ids, x.ID)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// combinations are all in which clients can speak.
func combinations() [][2]string {
	var all [][2]string
	for _, r := range reference.Revisions() {
		all = append(all, [2]string{"stdio", r})
		if r == "2024-11-05" {
			all = append(all, [2]string{"sse", r})
		} else {
			all = append(all, [2]string{"http", r})
		}
	}
	return all
}

// TestGoodClient: a client that does all as it should is not accused of anything.
func TestGoodClient(t *testing.T) {
	t.Parallel()
	exercised := map[string]bool{}
	for _, c := range combinations() {
		t.Run(c[0]+" "+c[1], func(t *testing.T) {
			r := play(t, c[0], c[1], "")
			if len(r.Results) == 0 {
				t.Fatal("nothing was judged")
			}
			for _, x := range r.Results {
				if x.Verdict.Red() || x.Verdict == reports.Blocked {
					t.Errorf("%s %s: %s; %s", x.ID, x.Verdict, x.Actual, x.Reason)
				}
				if x.Revision != c[1] || x.Transport != c[0] {
					t.Errorf("%s in %s on %s", x.ID, x.Revision, x.Transport)
				}
				if x.Section == "" || x.Verdict == reports.NotApplicable &&
					(x.Reason == "" || x.ReasonCode == "") {
					t.Errorf("%+v", x)
				}
				exercised[x.ID] = exercised[x.ID] || x.Verdict == reports.Pass
			}
			for _, o := range r.Observations {
				if o.Requirement == "CL-31" || o.Requirement == "CL-40" &&
					strings.Contains(o.Detail, "nothing-of-the-kind") {
					continue // the script reads one resource several times, and one that there is not
				}
				t.Errorf("%s: %s", o.Requirement, o.Detail)
			}
			if r.Summary.Outcome != reports.Conformant || r.ExitCode(true, false) != 0 {
				t.Errorf("%+v", r.Summary)
			}
		})
	}
	for _, rule := range clientcheck.Catalogue().Requirements() {
		// see TestOccasions
		other := []string{"CL-17", "CL-26", "CL-28", "CL-31", "CL-34", "CL-35", "CL-42", "CL-43", "CL-44"}
		if !exercised[rule.ID] && !slices.Contains(other, rule.ID) {
			t.Errorf("%s was not exercised", rule.ID)
		}
	}
}

// TestBadClients: each mistake turns red the requirement that it is about, and no other.
func TestBadClients(t *testing.T) {
	t.Parallel()
	type test struct{ bad, transport, revision string }
	tests := []test{
		{"CL-25", "stdio", "2024-11-05"}, {"CL-16", "sse", "2024-11-05"},
		{"CL-02 bare", "http", "2025-11-25"},
		{"CL-13 once", "sse", "2024-11-05"}, {"CL-13 once", "http", "2025-11-25"},
		{"CL-13 once", "stdio", "2025-06-18"},
	}
	for _, bad := range []string{"CL-05", "CL-06", "CL-07", "CL-07 weight", "CL-08", "CL-17", "CL-29",
		"CL-30", "CL-30 anew", "CL-35", "CL-43", "CL-44"} {
		tests = append(tests, test{bad, "http", "2025-11-25"})
	}
	for _, bad := range []string{"CL-01", "CL-02", "CL-02 twice", "CL-03", "CL-04", "CL-04 never", "CL-14",
		"CL-19", "CL-20 never", "CL-20 twice", "CL-20 id", "CL-21 again", "CL-21 null", "CL-21 fraction",
		"CL-21 none",
		"CL-22", "CL-23", "CL-24", "CL-24 line", "CL-24 empty", "CL-24 params", "CL-24 result", "CL-24 twice",
		"CL-26", "CL-26 roots", "CL-33", "CL-33 never", "CL-37", "CL-38", "CL-39"} {
		tests = append(tests, test{bad, "stdio", "2025-06-18"})
	}
	for _, bad := range []string{"CL-02", "CL-12", "CL-13", "CL-19", "CL-02 twice", "CL-20 twice", "CL-25",
		"CL-26 roots"} {
		tests = append(tests, test{bad, "http", "2025-06-18"})
	}
	for _, bad := range []string{"CL-09", "CL-10", "CL-11", "CL-12", "CL-13", "CL-15", "CL-21 none", "CL-27",
		"CL-27 handshake", "CL-34 state", "CL-34 input", "CL-42"} {
		tests = append(tests, test{bad, "http", "2026-07-28"})
	}
	for _, bad := range []string{"CL-09", "CL-14", "CL-15", "CL-16", "CL-27", "CL-27 handshake",
		"CL-37 filter", "CL-38", "CL-39"} {
		tests = append(tests, test{bad, "stdio", "2026-07-28"})
	}
	for bad := range alterations {
		tests = append(tests, test{bad, "stdio", "2025-11-25"})
	}
	proven := map[string]bool{"CL-18": true, "CL-28": true, "CL-31": true, "CL-32": true, "CL-36": true,
		"CL-40": true, "CL-41": true}
	for _, test := range tests {
		id, _, _ := strings.Cut(test.bad, " ")
		proven[id] = true
		t.Run(test.bad+" "+test.transport+" "+test.revision, func(t *testing.T) {
			t.Parallel() // they wait for the network most of the time
			r := play(t, test.transport, test.revision, test.bad)
			if got := red(r); !slices.Equal(got, []string{id}) {
				for _, x := range r.Results {
					if x.Verdict.Red() {
						t.Logf("%s %s on %s: %s", x.ID, x.Revision, x.Transport, x.Actual)
					}
				}
				t.Errorf("red are %v", got)
			}
			for _, x := range r.Results {
				if x.Verdict.Red() && (len(x.Evidence) == 0 || x.Expected == "" || x.Actual == "" ||
					x.Hint == "") {
					t.Errorf("%+v", x)
				}
			}
		})
	}
	for _, rule := range clientcheck.Catalogue().Requirements() {
		if !proven[rule.ID] {
			t.Errorf("%s is not proven", rule.ID)
		}
	}
}

// TestHabits: what breaks no rule is remarked upon.
func TestHabits(t *testing.T) {
	for bad, combination := range map[string][2]string{
		"CL-18": {"stdio", "2025-11-25"}, "CL-32": {"stdio", "2025-11-25"}, "CL-36": {"http", "2025-11-25"},
		"CL-31": {"http", "2026-07-28"},
		"CL-40": {"stdio", "2025-06-18"}, "CL-40 template": {"http", "2026-07-28"},
		"CL-41":       {"http", "2025-03-26"},
		"CL-37 names": {"stdio", "2025-11-25"}, "CL-41 method": {"stdio", "2026-07-28"},
		"CL-41 GET": {"http", "2026-07-28"},
	} {
		t.Run(bad, func(t *testing.T) {
			r := play(t, combination[0], combination[1], bad)
			id, _, _ := strings.Cut(bad, " ")
			found := slices.ContainsFunc(r.Observations, func(o reports.Observation) bool {
				// which all of them read
				return o.Requirement == id &&
					!strings.Contains(o.Detail, "names \"note:nothing-of-the-kind\"")
			})
			if !found || len(red(r)) > 0 {
				t.Errorf("observed: %t; red: %v", found, red(r))
			}
		})
	}
}

// TestOccasions: what a client has to react to rightly, and does.
func TestOccasions(t *testing.T) {
	for bad, combination := range map[string][2]string{
		"CL-02 good": {"http", "2025-11-25"}, "CL-17 good": {"http", "2025-11-25"},
		"CL-26 good": {"stdio", "2025-11-25"}, "CL-26 roots good": {"http", "2025-11-25"},
		"CL-34 good": {"http", "2026-07-28"},
		"CL-42 good": {"stdio", "2026-07-28"}, "CL-43 good": {"http", "2025-11-25"},
		"CL-44 good": {"stdio", "2024-11-05"},
	} {
		t.Run(bad, func(t *testing.T) {
			r := play(t, combination[0], combination[1], bad)
			id, _, _ := strings.Cut(bad, " ")
			passed := slices.ContainsFunc(r.Results, func(x reports.Result) bool {
				return x.ID == id && x.Verdict == reports.Pass
			})
			if !passed || len(red(r)) > 0 {
				t.Errorf("passed: %t; red: %v", passed, red(r))
			}
		})
	}
}

// TestRefusedVersion: a client speaks a version of the future first.
func TestRefusedVersion(t *testing.T) {
	for _, transport := range []string{"stdio", "http"} {
		for _, bad := range []string{"", "CL-28", "CL-28 handshake"} {
			r := play(t, transport, "2027-03-01", bad)
			want := []string{}
			if bad != "" {
				want = append(want, "CL-28")
			}
			if got := red(r); !slices.Equal(got, want) {
				t.Errorf("%s, %q: red are %v", transport, bad, got)
			}
			if !slices.ContainsFunc(r.Results, func(x reports.Result) bool {
				return x.ID == "CL-28" && x.Verdict.Judged()
			}) {
				t.Errorf("%s: CL-28 was not judged", transport)
			}
		}
	}
}

// TestFallsBack: a client of both eras meets a server of the older one.
func TestFallsBack(t *testing.T) {
	for _, transport := range []string{"stdio", "http"} {
		r := play(t, transport, "2026-07-28", "", reference.WithRevisions("2025-11-25"))
		if got := red(r); len(got) > 0 || len(r.Summary.Combinations) != 2 {
			t.Errorf("%s: red are %v in %v", transport, got, r.Summary.Combinations)
		}
	}
}

// TestNobodyCame: without a message nothing is established.
func TestNobodyCame(t *testing.T) {
	for _, entries := range [][]journal.Entry{nil,
		{{Seq: 1, Kind: journal.Opened, Transport: "stdio", Session: "x", Scope: journal.ScopeConnection}},
		{{Seq: 1, Direction: journal.In, Kind: journal.Request, Transport: "http",
			Raw: []byte(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)}}} {
		r := judged(t, entries, clientcheck.Options{Ended: true})
		if len(r.Results) > 0 || r.Summary.Outcome != reports.NotEstablished ||
			r.ExitCode(false, false) != reports.ExitNotEstablished {
			t.Errorf("%+v", r.Summary)
		}
	}
}

// TestPingToOneWhoLeft: over HTTP a client may go without a trace, so that what it left
// unanswered at the end of a session that outlived it is not held against it.
func TestPingToOneWhoLeft(t *testing.T) {
	const session = "s"
	at := func(seq int, after time.Duration, e journal.Entry) journal.Entry {
		if e.Direction == journal.Out {
			e.RequestSeq = 1
		}
		if e.Direction == journal.In {
			e.HTTP = &journal.HTTP{Method: "POST", Path: "/mcp",
				Header: map[string][]string{"Mcp-Session-Id": {session}}}
		}
		e.Seq, e.Time, e.Transport, e.Session, e.Revision = uint64(seq), time.Unix(0, 0).Add(after), "http",
			session, "2025-11-25"
		return e
	}
	said := func(direction journal.Direction, kind journal.Kind, message string) journal.Entry {
		return journal.Entry{Direction: direction, Kind: kind, Raw: []byte(message),
			Method: gjson.Get(message, "method").String(), ID: json.RawMessage(gjson.Get(message, "id").Raw)}
	}
	asked := func(id int) journal.Entry {
		return said(journal.In, journal.Request,
			fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"resources/list"}`, id))
	}
	entries := []journal.Entry{
		at(1, 0, asked(1)),
		at(2, 1, said(journal.Out, journal.Request, `{"jsonrpc":"2.0","id":"ping-1","method":"ping"}`)),
		at(3, 2, said(journal.Out, journal.Response, `{"jsonrpc":"2.0","id":1,"result":{"resources":[]}}`)),
	}
	end := journal.Entry{Kind: journal.Closed, Scope: journal.ScopeSession, Reason: "shutdown"}
	stayed := append(slices.Clone(entries), at(4, 3, asked(2)), at(5, 4, asked(3)), at(6, 5, asked(4)),
		at(7, time.Minute, end))
	left := append(entries, at(4, time.Minute, end))
	o := clientcheck.Options{Ended: true, SingleClient: true, Only: []string{"CL-20"}}
	if got := red(judged(t, left, o)); len(got) > 0 {
		t.Errorf("the client had left; red are %v", got)
	}
	if got := red(judged(t, stayed, o)); len(got) == 0 {
		t.Error("the client went on without a word about the ping, and nothing is red")
	}
}
