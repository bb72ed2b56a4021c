package clientcheck_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
)

// withMeta has the requests of the client carry the metadata of 2026-07-28.
func withMeta(said []journal.Entry) []journal.Entry {
	const meta = `"params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	for i := range said {
		if e := &said[i]; e.Direction == journal.In && e.Method != "initialize" && len(e.ID) > 0 {
			text := strings.Replace(string(e.Raw), `"params":{`, meta+",", 1)
			e.Raw = []byte(strings.Replace(text, ",}", "}", 1))
			e.Size = len(e.Raw)
		}
	}
	return said
}

// one judges a requirement, and returns its verdict with what is said of it and observed.
func one(t *testing.T, id string, said []journal.Entry) (reports.Verdict, string) {
	t.Helper()
	r := judged(t, said, clientcheck.Options{Ended: true, SingleClient: true, Only: []string{id}})
	if len(r.Results) == 0 {
		t.Fatal("nothing was judged")
	}
	x := &r.Results[max(0, slices.IndexFunc(r.Results, func(x reports.Result) bool {
		return x.Verdict.Judged()
	}))]
	text := x.Actual
	for _, o := range r.Observations {
		if o.Requirement == id {
			text += o.Detail
		}
	}
	return x.Verdict, text
}

// TestRules: what fails or warns, what is only an observation, and what is neither.
func TestRules(t *testing.T) {
	const (
		list  = `>{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{}}`
		blank = `<{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"note:a","name":"a"}],` +
			`"nextCursor":"","ttlMs":60000}}`
		page = `<{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"note:a","name":"a"}],` +
			`"nextCursor":"n","ttlMs":60000}}`
		again   = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursor":""}}`
		relist  = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{}}`
		begin   = `>{"jsonrpc":"2.0","id":3,"method":"resources/templates/list","params":{}}`
		begun   = `<{"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":[],"nextCursor":"t"}}`
		goOn    = `>{"jsonrpc":"2.0","id":4,"method":"resources/templates/list","params":{"cursor":"t"}}`
		end     = `<{"jsonrpc":"2.0","id":4,"result":{"resourceTemplates":[]}}`
		changed = `<{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
		read    = `>{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"note:a"}}`
		reread  = `>{"jsonrpc":"2.0","id":6,"method":"resources/read","params":{"uri":"note:a"}}`
		text    = `<{"jsonrpc":"2.0","id":5,"result":{"contents":[],"ttlMs":60000}}`
		updated = `<{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"note:%s"}}`
		cancel  = `>{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`
		hello   = `>{"jsonrpc":"2.0","id":7,"method":"initialize",` +
			`"params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x",` +
			`"version":"1"}}}`
		welcome = `<{"jsonrpc":"2.0","id":7,"result":{"protocolVersion":"2025-11-25",` +
			`"capabilities":{"resources":{}},"serverInfo":{"name":"y","version":"1"}}}`
		failed  = `<{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}`
		lacking = `<{"jsonrpc":"2.0","id":1,"error":{"code":-32021,"message":"x",` +
			`"data":{"requiredCapabilities":{}}}}`
		older = `<{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x",` +
			`"data":{"supported":["2025-11-25"]}}}`
		both = `<{"jsonrpc":"2.0","id":1,"error":{"code":-32022,"message":"x",` +
			`"data":{"supported":["2027-01-01","2026-07-28","2025-11-25"]}}}`
		asked = `<{"jsonrpc":"2.0","id":"r","method":"roots/list"}`
		root  = `>{"jsonrpc":"2.0","id":"r","result":{"roots":[{"uri":"File:/x"},` +
			`{"uri":"https://x.example/"}]}}`
		input = `>{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"note:a",` +
			`"inputResponses":{"k":{"roots":[{"uri":"/x"}]}}}}`
		named = `>{"jsonrpc":"2.0","id":7,"method":"initialize",` +
			`"params":{"protocol_version":"2025-11-25","capabilities":{},"clientInfo":{"name":"x",` +
			`"version":"1"}}}`
		token = `>{"jsonrpc":"2.0","id":5,"method":"resources/read","params":{"uri":"note:a",` +
			`"_meta":{"progresstoken":1}}}`
		next  = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"next_cursor":"n"}}`
		other = `>{"jsonrpc":"2.0","id":2,"method":"resources/list","params":{"cursors_":1,"cursor":"n",` +
			`"nextCursors":2,"x.example/cursor":3}}`
	)
	for name, test := range map[string]struct {
		id     string
		modern bool
		said   []string
		want   reports.Verdict
		says   string // of what is said or observed; "" wants nothing
	}{
		"an empty cursor is used": {"CL-42", true, []string{list, blank, again}, reports.Pass,
			""},
		"it ends a list, as none does": {"CL-42", true, []string{begin, begun, goOn, end, list, blank},
			reports.Fail, "taken for the end"},
		"it ends the only list": {"CL-42", true, []string{list, blank, read}, reports.Warn,
			"taken for the end"},
		"the list changed meanwhile": {"CL-42", true, []string{list, blank, changed, relist},
			reports.NotApplicable, ""},
		"of an older revision": {"CL-13", false, []string{list, blank, read}, reports.Warn,
			"never used"},
		"asked again while fresh": {"CL-31", true, []string{list, page, relist}, reports.Pass,
			"fresh for 60000 ms"},
		"behind a change of the list": {"CL-31", true, []string{list, page, changed, relist},
			reports.Pass, ""},
		"before the answer": {"CL-31", true, []string{list, relist, page}, reports.Pass,
			""},
		"read behind an update": {"CL-31", true,
			[]string{read, text, strings.Replace(updated, "%s", "a", 1), reread}, reports.Pass, ""},
		"read behind another's update": {"CL-31", true,
			[]string{read, text, strings.Replace(updated, "%s", "b", 1), reread}, reports.Pass,
			"fresh for 60000 ms"},
		"cancelled after its use": {"CL-22", false, []string{list, page, read, cancel},
			reports.Fail, "after its result had been used"},
		"cancelled as the answer came": {"CL-22", false, []string{list, page, begin, cancel},
			reports.Pass, ""},
		"cancelled a second later": {"CL-22", false, []string{list, page, "", cancel},
			reports.Warn, "was cancelled 2.001s after"},
		"a handshake behind an error": {"CL-36", true, []string{list, failed, hello, welcome},
			reports.Pass, ""},
		"nothing behind an error": {"CL-36", true, []string{list, failed}, reports.Pass,
			"nothing more"},
		"a handshake behind a refusal": {"CL-27", true, []string{list, failed, hello, welcome},
			reports.Pass, ""},
		"behind an error of this era": {"CL-27", true, []string{list, lacking, hello, welcome},
			reports.Warn, "initialize was sent"},
		"all that is spoken has a handshake": {"CL-28", true, []string{list, older, hello, welcome},
			reports.Pass, ""},
		"not all": {"CL-28", true, []string{list, both, hello, welcome},
			reports.Warn, "by initialize"},
		"roots elsewhere than in files": {"CL-44", false, []string{hello, welcome, asked, root},
			reports.Fail, "https://x.example/"},
		"roots in a retry": {"CL-44", true, []string{input}, reports.Fail, "/x"},
		"a version under another name": {"CL-04", false, []string{named, failed}, reports.Fail,
			`"protocol_version": is protocolVersion meant?`},
		"a token under another name": {"CL-37", false, []string{token, text}, reports.Pass,
			`"progresstoken": is progressToken meant?`},
		"a cursor under that of the result's": {"CL-37", false, []string{list, page, next},
			reports.NotApplicable, `"next_cursor": is cursor meant?`},
		"what only looks like it": {"CL-37", false, []string{other, token}, reports.Pass,
			"progresstoken"},
	} {
		t.Run(name, func(t *testing.T) {
			said := test.said
			at := -1 // from where on it is two seconds later
			for i, line := range said {
				if line == "" {
					said, at = append(append([]string{}, said[:i]...), said[i+1:]...), i
				}
			}
			entries := lines(said...)
			for i := range entries {
				if at >= 0 && i >= at {
					entries[i].Time = entries[i].Time.Add(2 * time.Second)
				}
			}
			if test.modern {
				entries = withMeta(entries)
			}
			got, text := one(t, test.id, entries)
			if got != test.want || !strings.Contains(text, test.says) || test.says == "" && text != "" {
				t.Errorf("%s: %q", got, text)
			}
		})
	}
}

// TestElsewhere: who begins another session after an error has not stopped.
func TestElsewhere(t *testing.T) {
	said := lines(`>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`<{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"x"}}`,
		`>{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	said[2].Session = "y"
	if _, text := one(t, "CL-36", said); !strings.Contains(text, "went on elsewhere, with initialize") {
		t.Errorf("%q", text)
	}
}

// TestHalfAMessage: at the end of an input that the client closed there is no half message, unless it was
// ended.
func TestHalfAMessage(t *testing.T) {
	said := lines(`>{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `>{"jsonrpc":"2.0","id":2,"met`)
	said = append(said, journal.Entry{
		Seq: 3, Time: said[1].Time, Kind: journal.Closed, Transport: hook.Stdio, Session: "x",
		Scope: journal.ScopeConnection, Reason: "client",
	})
	for interrupted, want := range map[string]reports.Verdict{"": reports.Warn, "timeout": reports.Pass} {
		r := judged(t, said, clientcheck.Options{Ended: interrupted == "", SingleClient: true,
			Only: []string{"CL-24"}, Interrupted: interrupted})
		if len(r.Results) != 1 || r.Results[0].Verdict != want {
			t.Errorf("%q: %+v", interrupted, r.Results)
		}
	}
}
