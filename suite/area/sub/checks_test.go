package sub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The outcomes.
const (
	pass, fail, warn = verdict.Pass, verdict.Fail, verdict.Warn
	idle, blocked    = verdict.NotApplicable, verdict.Blocked
)

// judged is a requirement judged on recordings.
func judged(id string, facts *recording.Facts, recs verdict.Recordings) verdict.Result {
	req, _ := area.Catalogue().Find(id)
	k, _ := area.BuiltIn().Check(id)
	return verdict.Evaluate(k, req, facts, recs)
}

const subscribing = `{"resources":{"subscribe":true,"listChanged":true}}`

func TestSubscriptionChecks(t *testing.T) {
	subscribed := func(uri string) rt.Line {
		return rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"` + uri + `"}`,
			Tags: areatest.Pairs("uri", uri, "listed", "2", "templates", "0")}
	}
	yes := func(l rt.Line) rt.Line { l.Result = `{}`; return l }
	no := func(l rt.Line) rt.Line { l.Error = `{"code":-32603,"message":"no"}`; return l }
	unsub := rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Params: `{"uri":"a:1"}`}
	lacking := subscribed("a:1")
	lacking.Error = `{"code":-32601,"message":"?"}`
	gone := unsub
	gone.Error = `{"code":-32601,"message":"?"}`
	areatest.WalkRuns(t, recording.Subscriptions, subscribing, []areatest.Run{
		{ID: "SUB-01", Want: pass, Rec: areatest.Lines(yes(subscribed("a:1")), yes(unsub))},
		{ID: "SUB-01", Want: pass, Rec: areatest.Lines(no(subscribed("a:1")), yes(subscribed("a:2")),
			yes(unsub))},
		{ID: "SUB-01", Want: fail, Rec: areatest.Lines(no(subscribed("a:1")), no(subscribed("a:2")))},
		{ID: "SUB-01", Want: idle, Rec: areatest.Lines(no(subscribed("a:1")),
			areatest.And(areatest.Refusal("still-there", "resources/read", `{"uri":"a:1"}`, "-32002"), "uri",
				"a:1"))},
		// see CAP-09
		{ID: "SUB-01", Want: idle, Rec: areatest.Lines(lacking, lacking)},
		// not all were tried
		{ID: "SUB-01", Want: warn, Rec: areatest.Lines(no(subscribed("a:1")))},
		// nor here
		{ID: "SUB-01", Want: warn, Rec: areatest.Lines(areatest.And(no(subscribed("a:1")), "listed", "1"),
			areatest.And(no(subscribed("a:2")), "listed", "3"))},
		// nowhere to keep it
		{ID: "SUB-01", Want: idle, Rec: areatest.Lines(areatest.And(no(subscribed("a:1")), "sessionless",
			"yes"), no(subscribed("a:2")))},
		// no object
		{ID: "SUB-01", Want: fail,
			Rec: areatest.Lines(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `true`})},
		{ID: "SUB-01", Want: fail, Rec: areatest.Lines(yes(subscribed("a:1")), no(unsub))},
		{ID: "SUB-01", Want: pass, Rec: areatest.Lines(yes(subscribed("a:1")), gone)},
		{ID: "SUB-01", Want: blocked,
			Rec: areatest.Lines(rt.Line{Step: "subscribe", Method: "resources/subscribe",
				Outcome: recording.Lost})},
	})
	bad := func(reply rt.Line) rt.Line {
		reply.Step, reply.Method, reply.Params, reply.Kind = "subscribe", "resources/subscribe", `{}`,
			recording.Probe
		return reply
	}
	areatest.WalkRuns(t, sub.BadSubscriptions, subscribing, []areatest.Run{
		{ID: "SUB-11", Want: idle, Rec: areatest.Lines(bad(rt.Line{Error: `{"code":-32601,"message":"?"}`}))},
		{ID: "SUB-11", Want: pass,
			Rec: areatest.Lines(bad(rt.Line{Error: `{"code":-32602,"message":"no uri"}`}))},
		{ID: "SUB-11", Want: warn,
			Rec: areatest.Lines(bad(rt.Line{Error: `{"code":-32603,"message":"no uri"}`}))},
		{ID: "SUB-11", Want: fail, Rec: areatest.Lines(bad(rt.Line{Result: `{}`}))},
		{ID: "SUB-11", Want: blocked, Rec: areatest.Lines(bad(rt.Line{Outcome: recording.Lost}))},
	})
}

const (
	updateOf1 = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}`
	updateOf2 = `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"b:2"}}`
	listMoved = `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`
)

// legacyChanges is a recording of changes: what the watcher gets for the first
// change, what after the unsubscribe, and what the bystander gets.
func legacyChanges(first, late, bystander []string) []rt.Line {
	return areatest.Lines(
		rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`,
			Tags: areatest.Pairs("uri", "a:1", "other", "b:2", "who", "watcher")},
		rt.Line{Step: "busy", Method: "ping", Result: `{}`, Session: "s2",
			Tags: areatest.Pairs("who", "bystander")},
		rt.Line{Mark: scenario.MarkOther},
		rt.Line{Mark: recording.MarkUpdate, Incoming: first},
		rt.Line{Incoming: bystander, Session: "s2"},
		rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Result: `{}`,
			Tags: areatest.Pairs("uri", "a:1", "who", "watcher")},
		rt.Line{Mark: scenario.MarkSilenced, Incoming: late},
	)
}

func TestLegacyChanges(t *testing.T) {
	one := []string{updateOf1}
	silent := legacyChanges(nil, nil, nil)
	elsewhere := legacyChanges(one, one, nil)
	for i := range elsewhere {
		if elsewhere[i].Step == "unsubscribe" {
			elsewhere[i].Session = "s3"
		}
	}
	refused := legacyChanges(nil, nil, nil)
	refused[0].Result, refused[0].Error = "", `{"code":-32602,"message":"not this one"}`
	sessionless := legacyChanges(nil, nil, nil)
	sessionless[0] = areatest.And(sessionless[0], "sessionless", "yes")
	below := legacyChanges([]string{updateOf1,
		`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1/x"}}`}, nil, nil)
	batch := legacyChanges([]string{"[" + updateOf1 + "," + listMoved + "]"}, nil, nil)
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "SUB-03", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-03", Want: pass, Rec: legacyChanges([]string{updateOf1, updateOf1}, nil, nil)},
		{ID: "SUB-03", Want: pass, Rec: batch},
		{ID: "SUB-03", Want: fail, Rec: silent},
		{ID: "SUB-03", Want: fail, Rec: legacyChanges([]string{updateOf2}, nil, nil)},
		{ID: "SUB-03", Want: idle, Rec: refused},
		{ID: "SUB-03", Want: idle, Rec: sessionless},
		{ID: "SUB-03", Want: idle, Rec: areatest.Lines(rt.Line{Step: "busy", Method: "ping", Result: `{}`})},
		{ID: "SUB-06", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-06", Want: warn, Rec: legacyChanges(one, nil, one)},
		{ID: "SUB-06", Want: idle, Rec: silent},
		{ID: "SUB-07", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-07", Want: warn, Rec: legacyChanges(one, one, nil)},
		{ID: "SUB-07", Want: idle, Rec: silent},
		{ID: "SUB-07", Want: idle, Rec: elsewhere}, // another session subscribed
		{ID: "SUB-09", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-09", Want: pass, Rec: below},
		{ID: "SUB-09", Want: warn, Rec: legacyChanges([]string{updateOf2, updateOf1}, nil, nil)},
		{ID: "SUB-09", Want: idle, Rec: silent},
		{ID: "SUB-10", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-10", Want: warn, Rec: legacyChanges(one, nil, one)},
	})
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "SUB-04", Want: pass, Rec: legacyChanges(one, nil, nil)},
		{ID: "SUB-04", Want: idle, Rec: silent},
		{ID: "SUB-04", Want: fail,
			Rec: legacyChanges(
				[]string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`}, nil,
				nil)},
		{ID: "SUB-04", Want: fail,
			Rec: legacyChanges(
				[]string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":7}}`},
				nil, nil)},
	})
}

// TestNeverSubscribed: updates again and again for a resource that is listed on its own, and
// is no part of the subscribed one, are told from those for parts.
func TestNeverSubscribed(t *testing.T) {
	update := func(uri string) string { return strings.Replace(updateOf1, "a:1", uri, 1) }
	next := rt.Line{Step: "subscribe-next", Method: "resources/subscribe", Result: `{}`,
		Tags: areatest.Pairs("uri", "c:3", "who", "watcher")}
	for name, c := range map[string]struct {
		updates []string
		listed  string
		before  []rt.Line
		want    verdict.Outcome
	}{
		"again and again": {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "c:3", nil, warn},
		"instead of it":   {[]string{update("c:3"), update("c:3")}, "c:3", nil, warn},
		"once":            {[]string{updateOf1, update("c:3"), updateOf1}, "c:3", nil, pass},
		"not listed":      {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "d:4", nil, pass},
		"below it, listed": {[]string{updateOf1, update("a:1/x"), updateOf1, update("a:1/x")}, "a:1/x", nil,
			pass},
		"subscribed too": {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "c:3",
			areatest.Lines(next), pass},
	} {
		for _, other := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%t", name, other), func(t *testing.T) {
				facts := rt.Facts(requirement.Combination{Revision: requirement.R20250618,
					Transport: requirement.Stdio}, subscribing)
				changes := legacyChanges(c.updates, nil, nil)
				want := c.want
				if !other {
					delete(changes[0].Tags, "other")
					changes = append(changes[:2], changes[3:]...) // without its mark
					if want == pass {
						want = idle
					}
				}
				changes = slices.Insert(changes, 1, c.before...)
				page := rt.Line{Step: "page", Method: "resources/list",
					Result: `{"resources":[{"uri":"a:1"},{"uri":"b:2"},{"uri":"` + c.listed + `"}]}`}
				got := judged("SUB-09", facts,
					verdict.Recordings{recording.Changes: rt.New(recording.Changes, facts, changes...),
						recording.WalkResources: rt.New(recording.WalkResources, facts, page)})
				if got.Outcome != want {
					t.Errorf("%s, expected %s: %+v", got.Outcome, want, got)
				}
			})
		}
	}
}

// TestNoChannel: a target that answers GET with 405 can send nothing, and is only
// warned.
func TestNoChannel(t *testing.T) {
	rec := append(areatest.Lines(rt.Line{Step: "stream", Status: 405, Outcome: recording.Sent,
		Tags: areatest.Pairs("who", "watcher")}), legacyChanges(nil, nil, nil)...)
	rec[0].Method = "" // a GET has none
	c := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}
	facts := rt.Facts(c, subscribing)
	got := judged("SUB-03", facts, verdict.Recordings{recording.Changes: rt.New(recording.Changes, facts,
		rec...)})
	if got.Outcome != warn {
		t.Errorf("%+v", got)
	}
}

func TestListChangeChecks(t *testing.T) {
	look := func(step recording.Step, n string, uris ...string) rt.Line {
		result := `{"resources":[`
		for i, u := range uris {
			if i > 0 {
				result += ","
			}
			result += `{"uri":"` + u + `","name":"x"}`
		}
		return rt.Line{Step: step, Method: "resources/list", Result: result + `]}`,
			Tags: areatest.Pairs("look", n, "who", "watcher", "uri", "a:9")}
	}
	unnamed := func(l rt.Line) rt.Line {
		delete(l.Tags, "uri")
		return l
	}
	add := func(announced []string, looks ...rt.Line) []rt.Line {
		all := areatest.Lines(look("listed", "1", "a:1"),
			rt.Line{Mark: scenario.MarkAdd, Incoming: announced})
		return append(all, looks...)
	}
	one := []string{listMoved}
	inLegacy := []requirement.Revision{requirement.R20241105, requirement.R20250326, requirement.R20250618,
		requirement.R20251125}
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "LCH-01", Want: pass, Rec: add(one, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-01", Want: warn, Rec: add(nil, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-01", Want: idle, Rec: add(nil, look("added", "1", "a:1"))},
		{ID: "LCH-02", Want: pass, Rec: add(one, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-02", Want: fail,
			Rec: add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/list_changed",` +
				`"params":[]}`}, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-02", Want: warn,
			Rec: add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/listChanged"}`},
				look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-07", Want: pass, Rec: add(one, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-07", Want: pass, Rec: add(one, look("added", "1", "a:1"),
			look("added", "2", "a:1", "a:9"))},
		{ID: "LCH-07", Want: warn, Rec: add(one, look("added", "1", "a:1"))},
		{ID: "LCH-07", Want: idle, Rec: add(nil, look("added", "1", "a:1", "a:9"))},
		{ID: "LCH-07", Want: warn, Rec: add(one, unnamed(look("added", "1", "a:1")))},
		{ID: "LCH-07", Want: idle, Rec: add([]string{listMoved, listMoved},
			unnamed(look("added", "1", "a:1")))},
	}, inLegacy...)
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`, []areatest.Run{
		{ID: "LCH-04", Want: fail, Rec: areatest.Lines(rt.Line{Step: "page", Method: "resources/list",
			Result: areatest.OnePage, Incoming: one})},
		{ID: "LCH-04", Want: idle, Rec: areatest.Lines(rt.Line{Step: "page", Method: "resources/list",
			Result: areatest.OnePage})},
	})
	areatest.WalkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`, []areatest.Run{
		{ID: "LCH-04", Want: pass, Rec: add(nil, look("added", "1", "a:1", "a:9"))},
	})
	areatest.WalkRuns(t, recording.Everything, subscribing, []areatest.Run{
		{ID: "LCH-04", Want: idle, Rec: areatest.Lines(rt.Line{Step: "page", Method: "resources/list",
			Result: areatest.OnePage, Incoming: one})},
	})
}

// TestFailedTrigger: where a trigger failed nothing follows from what did not come.
func TestFailedTrigger(t *testing.T) {
	one := []string{updateOf1}
	at := func(all []rt.Line, mark recording.MarkName) []rt.Line {
		for i := range all {
			if all[i].Mark == mark {
				all[i].Mark = "!" + mark
				return all[:i+1]
			}
		}
		t.Fatalf("no mark %q", mark)
		return nil
	}
	update, silenced := at(legacyChanges(nil, nil, nil), recording.MarkUpdate),
		at(legacyChanges(one, nil, nil), scenario.MarkSilenced)
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "SUB-03", Want: blocked, Rec: update},
		{ID: "SUB-03", Want: blocked, Rec: at(legacyChanges(nil, nil, nil), scenario.MarkOther)},
		{ID: "SUB-03", Want: pass, Rec: silenced},
		{ID: "SUB-06", Want: blocked, Rec: update},
		{ID: "SUB-07", Want: blocked, Rec: silenced},
		{ID: "SUB-09", Want: blocked, Rec: update},
		{ID: "SUB-10", Want: blocked, Rec: update},
	})
	listed := rt.Line{Step: "listed", Method: "resources/list", Result: areatest.OnePage,
		Tags: areatest.Pairs("look", "1", "who", "watcher")}
	inLegacy := []requirement.Revision{requirement.R20241105, requirement.R20250326, requirement.R20250618,
		requirement.R20251125}
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "LCH-01", Want: blocked, Rec: areatest.Lines(listed, rt.Line{Mark: "!" + scenario.MarkAdd})},
		{ID: "LCH-07", Want: blocked, Rec: areatest.Lines(listed, rt.Line{Mark: "!" + scenario.MarkAdd})},
	}, inLegacy...)
	areatest.WalkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`, []areatest.Run{
		{ID: "LCH-04", Want: blocked, Rec: areatest.Lines(listed, rt.Line{Mark: "!" + scenario.MarkAdd})},
	})
}
