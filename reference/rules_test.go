package reference_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/record"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// ruled is a world with rules.
const ruled = `name: ruled
resources:
  - {uri: "a:1", name: one, mimeType: text/plain, text: "1"}
  - {uri: "b:1", name: two, text: "2"}
rules:
  - id: other type
    uri: "a:*"
    count: 1
    do:
      - {method: resources/read, set: "result.contents[0].mimeType", to: text/html}
  - do:
      - {on: request, method: resources/templates/list, answer: {code: -32050, message: "not ${method}"}}
      - {method: resources/list, drop: "result.resources[-1]", when: [{at: request.params.all, is: true, not: true}]}
      - {on: request, method: resources/list, delay: 1ms}
`

// TestRulesOfWorlds: the rules of a world file are in force from the start, on every transport, and are
// switched off as all others are.
func TestRulesOfWorlds(t *testing.T) {
	w, err := world.Parse("ruled.yaml", []byte(ruled))
	if err != nil {
		t.Fatal(err)
	}
	written, err := record.EncodeWorld(w)
	if err != nil {
		t.Fatal(err)
	}
	if w, err = world.Parse("again.yaml", written); err != nil {
		t.Fatalf("%v in\n%s", err, written)
	}
	for _, place := range [][2]string{{hook.R20250618, hook.Stdio}, {hook.R20251125, hook.HTTP},
		{hook.R20241105, hook.SSE}, {hook.R20260728, hook.HTTP}} {
		synctest.Test(t, func(t *testing.T) {
			server, err := reference.New(w, reference.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = server.Close() })
			c := connect(t, server, place[0], place[1])
			defer c.close()
			typeOf := func(uri string) any {
				return list(c.result("resources/read", object{"uri": uri}), "contents")[0]["mimeType"]
			}
			if got := typeOf("b:1"); got == "text/html" {
				t.Errorf("%v: a resource beyond the limits has the type %v", place, got)
			}
			if first, second := typeOf("a:1"), typeOf("a:1"); first != "text/html" || second != "text/plain" {
				t.Errorf("%v: the types are %v, then %v", place, first, second)
			}
			if got := at(c.call("resources/templates/list", nil), "error",
				"message"); got != "not resources/templates/list" {
				t.Errorf("%v: %v", place, got)
			}
			if some, all := list(c.result("resources/list", nil), "resources"),
				list(c.result("resources/list", object{"all": true}), "resources"); len(some) != 1 ||
				len(all) != 2 {
				t.Errorf("%v: %d resources, then %d", place, len(some), len(all))
			}
			rules := server.Rules()
			if len(rules) != 2 || rules[0].ID != "other type" || !rules[0].Done ||
				rules[1].ID != "initial-1" {
				t.Errorf("%v: %+v", place, rules)
			}
			server.ClearRules()
			if got := list(c.result("resources/list", nil), "resources"); len(got) != 2 {
				t.Errorf("%v: %d resources without rules", place, len(got))
			}
			if err := server.Reset(); err != nil || len(server.Rules()) != 2 {
				t.Errorf("%v: %d rules after a reset, %v", place, len(server.Rules()), err)
			}
		})
	}
}

// TestRulesOfWorldsAreChecked: what is wrong with a rule is said with file, line and member.
func TestRulesOfWorldsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"rules:\n  - uri: a\n": "w.yaml:2: " +
			"rules[0].do: is missing: what is to be done?",
		"rules:\n  - do:\n      - {drop: params.x}\n": `w.yaml:3: ` +
			`rules[0].do[0].drop: "params.x" does not begin with result, error, status, header`,
		"rules:\n  - do:\n      - drop: result.x\n        wen: []\n": `w.yaml:4: ` +
			`rules[0].do[0]: unknown member "wen": did you mean "when"?`,
		"rules:\n  - id: a\n    count: -1\n    do: [{silence: true}]\n": "w.yaml:3: " +
			"rules[0].count: must be between",
		"rules: [{id: a, do: [{silence: true}]}, {id: a, do: [{silence: true}]}]\n": `w.yaml:1: ` +
			`rules[1].id: is "a", as that of a rule before it`,
		"rules:\n  - do: [{on: request, delay: soon}]\n": `w.yaml:2: ` +
			`rules[0].do[0].delay: delay "soon"`,
	} {
		if _, err := world.Parse("w.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

// TestOperationsAtRunTime: a rule of operations is switched on and off while the server runs.
func TestOperationsAtRunTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, reference.DefaultWorld())
		c := connect(t, s.Server, hook.R20251125, hook.Stdio)
		defer c.close()
		remove := s.Inject(control.Rule{
			Do: []operation.Operation{{On: operation.OnNotification, Set: "params.uri",
				To: "elsewhere:1"}},
			Limits: control.Limits{Method: "notifications/resources/updated", Count: 1},
		})
		c.result("resources/subscribe", object{"uri": "note:shopping"})
		s.Touch("note:shopping")
		s.Touch("note:shopping")
		notes := c.notes("notifications/resources/updated")
		if len(notes) != 2 || at(notes[0], "params", "uri") != "elsewhere:1" ||
			at(notes[1], "params", "uri") != "note:shopping" {
			t.Errorf("%v", notes)
		}
		if status := s.Rules(); len(status) != 1 || status[0].Name != "set params.uri" ||
			status[0].Hits != 1 {
			t.Errorf("%+v", status)
		}
		remove()
		if len(s.Rules()) != 0 {
			t.Error("the rule is still there")
		}
		if _, err := s.AddRule(control.Rule{Do: []operation.Operation{{Repeat: 2}}}); err == nil ||
			!strings.Contains(err.Error(), "do[0].repeat: cannot be done") {
			t.Errorf("%v", err)
		}
	})
}

// TestCountWhereRulesAct: messages that a fault does nothing about do not use up how often it acts,
// and the journal names it for those alone that it is about.
func TestCountWhereRulesAct(t *testing.T) {
	for _, spec := range []string{"life-14-ping-unknown:count=1", "life-14-ping-unknown:count=1:skip=1"} {
		synctest.Test(t, func(t *testing.T) {
			server := serve(t, reference.Options{Faults: []string{spec}})
			c := connect(t, server, hook.R20250618, hook.Stdio)
			defer c.close()
			c.result("resources/list", nil)
			pings := ""
			for range 3 {
				pings += map[bool]string{true: "-",
					false: "+"}[c.answer(c.start("ping", nil))["error"] != nil]
			}
			if want := map[bool]string{true: "+-+", false: "-++"}[strings.Contains(spec,
				"skip")]; pings != want {
				t.Errorf("%s: pings went %s", spec, pings)
			}
			applied := server.Journal().Query(journal.Query{Kinds: []journal.Kind{journal.Applied}})
			if len(applied) != 1 || applied[0].Method != "ping" {
				t.Errorf("%s: %+v", spec, applied)
			}
		})
	}
}

// TestCountOfEdits: a reply that a fault leaves as it is does not count, whatever other fault changes it, and
// one that is to pass arrives unchanged.
func TestCountOfEdits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := serve(t, reference.Options{Faults: []string{"read-14-double-base64:count=1:skip=1",
			"read-12-binary-as-text:skip=100"}})
		c := connect(t, server, hook.R20250618, hook.Stdio)
		defer c.close()
		var blobs []any
		for range 3 {
			c.result("resources/read", object{"uri": "file:///project/README.md"})
			blobs = append(blobs, list(c.result("resources/read", object{"uri": "file:///project/logo.png"}),
				"contents")[0]["blob"])
		}
		if blobs[0] == nil || blobs[1] == blobs[0] || blobs[2] != blobs[0] {
			t.Errorf("%.40v", blobs)
		}
		if applied := server.Journal().Query(journal.Query{Kinds: []journal.Kind{journal.Applied}}); len(
			applied) != 1 || applied[0].URI != "file:///project/logo.png" {
			t.Errorf("%+v", applied)
		}
	})
}

// idle are rules that are limited in how often they act, and messages about which they do nothing.
const idle = `resources:
  - {uri: "a:1", name: one, text: "1"}
  - {uri: "a:2", name: two, text: "22"}
rules:
  - {id: notes, count: 1, do: [{on: request, method: resources/read, note: a, to: x}, {on: request, method: resources/read, note: b, to: x}]}
  - {id: rewrites, count: 1, do: [{method: resources/read, rewrite: "result.contents[*].text", pattern: "2+", with: "3"}]}
  - {id: answers, skip: 1, count: 1, do: [{on: request, when: [{at: params.odd, is: true}], answer: {code: -32050}}]}
  - {id: tells, become: {server: broken}, do: [{method: resources/read, code: -32051}]}
  - {id: edits, method: notifications/resources/updated, count: 1, do: [{on: notification, set: params.one, to: 1}, {on: notification, set: params.two, to: 2}]}
`

// TestWhatIsCounted: a message is counted once, and only if something is done to it; where a rule
// does no more than to note, that is what counts.
func TestWhatIsCounted(t *testing.T) {
	w, err := world.Parse("idle.yaml", []byte(idle))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := reference.Start(t, w)
		c := connect(t, s.Server, hook.R20250618, hook.Stdio)
		defer c.close()
		hits := func(want map[string]int) {
			t.Helper()
			for _, r := range s.Rules() {
				if n, looked := want[r.ID]; looked && r.Hits != n {
					t.Errorf("%s has been applied to %d messages, not %d", r.ID, r.Hits, n)
				}
			}
		}
		c.result("resources/read", object{"uri": "a:1"})
		c.result("resources/read", object{"uri": "a:1"})
		hits(map[string]int{"notes": 1, "rewrites": 0, "tells": 0})
		if text := list(c.result("resources/read", object{"uri": "a:2"}),
			"contents")[0]["text"]; text != "3" {
			t.Errorf("the text is %v", text)
		}
		if len(s.States()) != 0 {
			t.Errorf("the states are %v before there was an error", s.States())
		}
		if code := c.code("resources/read", object{"uri": "a:3"}); code != "-32051" ||
			s.States()["server"] != "broken" {
			t.Errorf("the error is %s, the states are %v", code, s.States())
		}
		c.notify("notifications/roots/list_changed", object{"odd": true})
		c.result("ping", object{"odd": true})
		if code := c.code("ping", object{"odd": true}); code != "-32050" {
			t.Errorf("the second request got %q", code)
		}
		c.result("resources/subscribe", object{"uri": "a:1"})
		s.Touch("a:1")
		s.Touch("a:1")
		notes := c.notes("notifications/resources/updated")
		if len(notes) != 2 || at(notes[0], "params", "one") == nil || at(notes[0], "params", "two") == nil ||
			at(notes[1], "params", "one") != nil {
			t.Errorf("%v", notes)
		}
		hits(map[string]int{"rewrites": 1, "tells": 1, "answers": 1, "edits": 1})
	})
}
