package clientcheck_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// lines are a conversation over stdio: what begins with > is of the client.
func lines(said ...string) []journal.Entry {
	var all []journal.Entry
	for i, line := range said {
		e := journal.Entry{Transport: hook.Stdio, Session: "x", Revision: "2025-06-18"}
		e.Classify([]byte(line[1:]))
		e.Direction = journal.Out
		if line[0] == '>' {
			e.Direction = journal.In
		}
		e.Seq, e.Time, e.Raw, e.Size = uint64(i+1), time.Unix(0, 0).Add(time.Duration(i)*time.Millisecond),
			[]byte(line[1:]), len(line)-1
		all = append(all, e)
	}
	return all
}

// TestAbandonedWalk: a list that changes excuses a client that was about to ask for the next
// page, but not one that had gone on to something else before.
func TestAbandonedWalk(t *testing.T) {
	const (
		list = `>{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
		page = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[{"uri":"note:a","name":"a"}],` +
			`"nextCursor":"n"}}`
		changed   = `<{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
		read      = `>{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"note:a"}}`
		text      = `<{"jsonrpc":"2.0","id":3,"result":{"contents":[]}}`
		templates = `>{"jsonrpc":"2.0","id":4,"method":"resources/templates/list"}`
		none      = `<{"jsonrpc":"2.0","id":4,"result":{"resourceTemplates":[]}}`
		next      = `>{"jsonrpc":"2.0","id":5,"method":"resources/list","params":{"cursor":"n"}}`
		end       = `<{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`
	)
	for name, test := range map[string]struct {
		said []string
		want reports.Verdict
	}{
		"changed at once": {[]string{list, page, changed, read, text},
			reports.NotApplicable},
		"changed before the answer": {[]string{list, changed, page, read, text},
			reports.NotApplicable},
		"changed while another list was read": {[]string{list, page, templates, none, changed, read, text},
			reports.NotApplicable},
		"changed after a read":               {[]string{list, page, read, changed, text}, reports.Warn},
		"changed after the answer of a read": {[]string{list, page, read, text, changed}, reports.Warn},
		"a read between pages": {[]string{list, page, read, text, changed, next, end},
			reports.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			due(t, "CL-13", name, test.want, lines(test.said...))
		})
	}
}

// TestSpellings: a URI that was changed on its way is found out, by itself or because nothing
// is to be found under it; another resource is not.
func TestSpellings(t *testing.T) {
	listed := `<{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"file:///project/src/Main.rs"},` +
		`{"uri":"file:///a%20b.txt"},{"uri":"https://example.com/x?q=1"},` +
		`{"uri":"note:Hello"},{"uri":"file:///a"},{"uri":"test://pictures/"},{"uri":"test://C%2FD/x"}],` +
		`"nextCursor":null}}`
	const (
		missing = `<{"jsonrpc":"2.0","id":2,"error":{"code":-32002,"message":"not found"}}`
		found   = `<{"jsonrpc":"2.0","id":2,"result":{"contents":[]}}`
	)
	for _, test := range []struct {
		uri, answer string
		want        reports.Verdict
	}{
		{"/project/src/Main.rs", missing, reports.Warn},
		{"file:///project/src/main.rs", missing, reports.Warn},
		{"FILE:///project/src/Main.rs", missing, reports.Warn},
		{"file://localhost/project/src/Main.rs", missing, reports.Warn},
		{"file:///project/./src/../src/Main.rs", missing, reports.Warn},
		{"file:///project/src/Main.rs#top", missing, reports.Warn},
		{"file:///a+b.txt", missing, reports.Warn},
		{"file:///a%2520b.txt", missing, reports.Warn},
		{"https://example.com/x", missing, reports.Warn},
		{"https://example.com:443/x?q=1", missing, reports.Warn},
		{"/x", missing, reports.Warn},
		{"note:hello", missing, reports.Warn},
		{"hello", missing, reports.Warn},
		{"test://pictures", missing, reports.Warn},
		{"test://c%2fd/x", missing, reports.Warn},
		{"test://C/D/x", missing, reports.Warn},
		{"file:///project/src/main.rs", found, reports.NotApplicable},
		{"https://example.com/x", found, reports.NotApplicable},
		{"file:///project/src/lib.rs", missing, reports.NotApplicable},
		{"https://example.com:8443/x?q=1", missing, reports.NotApplicable},
		{"https://example.org/x?q=1", missing, reports.NotApplicable},
		{"note:", missing, reports.NotApplicable},
		{"test://a", missing, reports.NotApplicable},
		{"note:Hello", missing, reports.Pass},
	} {
		t.Run(test.uri, func(t *testing.T) {
			entries := lines(`>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, listed,
				fmt.Sprintf(`>{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":%q}}`,
					test.uri), test.answer)
			due(t, "CL-15", test.uri, test.want, entries)
		})
	}
}

// TestLevels: a requirement is a MUST where the specification says so in a keyword, and only
// then it fails.
func TestLevels(t *testing.T) {
	for _, rule := range clientcheck.Catalogue().Requirements() {
		for _, revision := range rule.Revisions {
			must, fails := rule.LevelIn(revision) == requirement.Must,
				rule.GradeIn(revision) == requirement.Fail
			if must != fails || must && rule.Basis != requirement.Normative {
				t.Errorf("%s in %s: %s, %s, %s", rule.ID, revision, rule.LevelIn(revision),
					rule.GradeIn(revision), rule.Basis)
			}
		}
	}
}

// TestNeverAtWork: a client that did nothing with resources is not conformant, whatever else
// was in order.
func TestNeverAtWork(t *testing.T) {
	const (
		greeting = `>{"jsonrpc":"2.0","id":1,"method":"initialize",` +
			`"params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x",` +
			`"version":"1"}}}`
		welcome = `<{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18",` +
			`"capabilities":{"resources":{}},"serverInfo":{"name":"y","version":"1"}}}`
		ready = `>{"jsonrpc":"2.0","method":"notifications/initialized"}`
		list  = `>{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
		page  = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[]}}`
	)
	for _, only := range [][]string{nil, {"CL-01"}, {"CL-17"}} {
		r := judged(t, lines(greeting, welcome, ready), clientcheck.Options{Ended: true, SingleClient: true,
			Only: only})
		if r.Summary.Outcome != reports.NotEstablished || r.Summary.Conformant ||
			clientcheck.ExitCode(r, false) != reports.ExitNotEstablished || clientcheck.Idle(r) == "" {
			t.Errorf("only %v: %+v", only, r.Summary)
		}
	}
	r := judged(t, lines(greeting, welcome, ready, list, page), clientcheck.Options{Ended: true,
		SingleClient: true})
	if r.Summary.Outcome != reports.Conformant || clientcheck.ExitCode(r, false) != 0 ||
		clientcheck.Idle(r) != "" {
		t.Errorf("%+v", r.Summary)
	}
	for token, want := range map[bool]reports.Outcome{true: reports.Conformant,
		false: reports.NotEstablished} {
		if r := authorize(t, "2025-11-25", []string{discovered}, 0, token); r.Summary.Outcome != want {
			t.Errorf("token %t: %s", token, r.Summary.Outcome)
		}
	}
	refused := authorize(t, "2026-07-28", nil, 0, false)
	if refused.Summary.Outcome != reports.NotEstablished || !slices.ContainsFunc(refused.Results,
		func(x reports.Result) bool {
			return x.Verdict == reports.Blocked && x.Reason == clientcheck.Idle(refused)
		}) {
		t.Errorf("%+v", refused.Summary)
	}
}

// TestCrash: a client that crashed is not conformant, whatever was in order by then; what it did
// not come to is not held against it, and what it broke before is.
func TestCrash(t *testing.T) {
	const (
		list  = `>{"jsonrpc":"2.0","id":2,"method":"resources/list"}`
		page  = `<{"jsonrpc":"2.0","id":2,"result":{"resources":[],"nextCursor":"a"}}`
		wrong = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":null}`
	)
	for name, test := range map[string]struct {
		said []string
		want reports.Outcome
		exit int
		seen string
	}{
		"after a page": {[]string{list, page}, reports.NotEstablished, reports.ExitNotEstablished,
			"the response to resources/list"},
		"in a request": {[]string{list}, reports.NotEstablished, reports.ExitNotEstablished,
			"before it had seen anything"},
		"after a ping": {[]string{list, page, `<{"jsonrpc":"2.0","id":1,"method":"ping"}`},
			reports.NotEstablished, reports.ExitNotEstablished, "ping"},
		"after mistakes": {[]string{wrong, page}, reports.NonConformant, reports.ExitFindings,
			"the response to resources/list"},
		"without a word": {nil, reports.NotEstablished, reports.ExitNotEstablished,
			"before it had seen anything"},
	} {
		t.Run(name, func(t *testing.T) {
			o := clientcheck.Options{Ended: true, SingleClient: true, Only: []string{"CL-13", "CL-24"},
				Crashed: "exit status 70"}
			r := judged(t, lines(test.said...), o)
			crash := clientcheck.Crash(r)
			if r.Summary.Outcome != test.want || clientcheck.ExitCode(r, false) != test.exit ||
				!strings.Contains(crash, "exit status 70") || !strings.HasSuffix(crash, test.seen) {
				t.Errorf("%+v, %q", r.Summary, crash)
			}
			if slices.Contains(red(r), "CL-13") {
				t.Error("what it did not come to is held against it")
			}
		})
	}
	if r := judged(t, lines(list, page), clientcheck.Options{Ended: true,
		Only: []string{"CL-13"}}); clientcheck.Crash(r) != "" || len(red(r)) != 1 {
		t.Errorf("%+v", r.Results)
	}
}
