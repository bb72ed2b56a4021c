package sub_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
	idle             = verdict.NotApplicable
)

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
	areatest.WalkRuns(t, recording.Subscriptions, subscribing,
		areatest.Pass("SUB-01", yes(subscribed("a:1")), yes(unsub)),
		areatest.Pass("SUB-01", no(subscribed("a:1")), yes(subscribed("a:2")), yes(unsub)),
		areatest.Fail("SUB-01", no(subscribed("a:1")), no(subscribed("a:2"))),
		areatest.NotApplicable("SUB-01", no(subscribed("a:1")),
			areatest.And(areatest.Refusal("still-there", "resources/read", `{"uri":"a:1"}`, "-32002"),
				"uri", "a:1")),
		// see CAP-09
		areatest.NotApplicable("SUB-01", lacking, lacking),
		// not all were tried
		areatest.Warn("SUB-01", no(subscribed("a:1"))),
		// nor here
		areatest.Warn("SUB-01", areatest.And(no(subscribed("a:1")), "listed", "1"),
			areatest.And(no(subscribed("a:2")), "listed", "3")),
		// nowhere to keep it
		areatest.NotApplicable("SUB-01", areatest.And(no(subscribed("a:1")), "sessionless", "yes"),
			no(subscribed("a:2"))),
		// no object
		areatest.Fail("SUB-01", rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `true`}),
		areatest.Fail("SUB-01", yes(subscribed("a:1")), no(unsub)),
		areatest.Pass("SUB-01", yes(subscribed("a:1")), gone),
		areatest.Blocked("SUB-01",
			rt.Line{Step: "subscribe", Method: "resources/subscribe", Outcome: recording.Lost}),
	)
	bad := func(reply rt.Line) rt.Line {
		reply.Step, reply.Method, reply.Params, reply.Kind = "subscribe", "resources/subscribe", `{}`,
			recording.Probe
		return reply
	}
	areatest.WalkRuns(t, sub.BadSubscriptions, subscribing,
		areatest.NotApplicable("SUB-11", bad(rt.Line{Error: `{"code":-32601,"message":"?"}`})),
		areatest.Pass("SUB-11", bad(rt.Line{Error: `{"code":-32602,"message":"no uri"}`})),
		areatest.Warn("SUB-11", bad(rt.Line{Error: `{"code":-32603,"message":"no uri"}`})),
		areatest.Fail("SUB-11", bad(rt.Line{Result: `{}`})),
		areatest.Blocked("SUB-11", bad(rt.Line{Outcome: recording.Lost})),
	)
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
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-03", legacyChanges(one, nil, nil)...),
		areatest.Pass("SUB-03", legacyChanges([]string{updateOf1, updateOf1}, nil, nil)...),
		areatest.Pass("SUB-03", batch...),
		areatest.Fail("SUB-03", silent...),
		areatest.Fail("SUB-03", legacyChanges([]string{updateOf2}, nil, nil)...),
		areatest.NotApplicable("SUB-03", refused...),
		areatest.NotApplicable("SUB-03", sessionless...),
		areatest.NotApplicable("SUB-03", rt.Line{Step: "busy", Method: "ping", Result: `{}`}),
		areatest.Pass("SUB-06", legacyChanges(one, nil, nil)...),
		areatest.Warn("SUB-06", legacyChanges(one, nil, one)...),
		areatest.NotApplicable("SUB-06", silent...),
		areatest.Pass("SUB-07", legacyChanges(one, nil, nil)...),
		areatest.Warn("SUB-07", legacyChanges(one, one, nil)...),
		areatest.NotApplicable("SUB-07", silent...),
		areatest.NotApplicable("SUB-07", elsewhere...), // another session subscribed
		areatest.Pass("SUB-09", legacyChanges(one, nil, nil)...),
		areatest.Pass("SUB-09", below...),
		areatest.Warn("SUB-09", legacyChanges([]string{updateOf2, updateOf1}, nil, nil)...),
		areatest.NotApplicable("SUB-09", silent...),
		areatest.Pass("SUB-10", legacyChanges(one, nil, nil)...),
		areatest.Warn("SUB-10", legacyChanges(one, nil, one)...),
	)
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-04", legacyChanges(one, nil, nil)...),
		areatest.NotApplicable("SUB-04", silent...),
		areatest.Fail("SUB-04", legacyChanges([]string{areatest.Sent(verdict.Updated, "", "")}, nil, nil)...),
		areatest.Fail("SUB-04",
			legacyChanges([]string{areatest.Sent(verdict.Updated, "", `"uri":7`)}, nil, nil)...),
	)
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
				facts := areatest.Stdio(requirement.R20250618, subscribing)
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
				areatest.Due(t, "SUB-09", c, want, rt.New(recording.Changes, facts, changes...),
					rt.New(recording.WalkResources, facts, page))
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
	facts := areatest.HTTP(requirement.R20251125, subscribing)
	areatest.Due(t, "SUB-03", "no stream", warn, rt.New(recording.Changes, facts, rec...))
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
	areatest.WalkRunsIn(t, recording.Changes, subscribing, []areatest.Run{
		areatest.Pass("LCH-01", add(one, look("added", "1", "a:1", "a:9"))...),
		areatest.Warn("LCH-01", add(nil, look("added", "1", "a:1", "a:9"))...),
		areatest.NotApplicable("LCH-01", add(nil, look("added", "1", "a:1"))...),
		areatest.Pass("LCH-02", add(one, look("added", "1", "a:1", "a:9"))...),
		areatest.Fail("LCH-02",
			add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/list_changed",` +
				`"params":[]}`}, look("added", "1", "a:1", "a:9"))...),
		areatest.Warn("LCH-02",
			add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/listChanged"}`},
				look("added", "1", "a:1", "a:9"))...),
		areatest.Pass("LCH-07", add(one, look("added", "1", "a:1", "a:9"))...),
		areatest.Pass("LCH-07", add(one, look("added", "1", "a:1"), look("added", "2", "a:1", "a:9"))...),
		areatest.Warn("LCH-07", add(one, look("added", "1", "a:1"))...),
		areatest.NotApplicable("LCH-07", add(nil, look("added", "1", "a:1", "a:9"))...),
		areatest.Warn("LCH-07", add(one, unnamed(look("added", "1", "a:1")))...),
		areatest.NotApplicable("LCH-07",
			add([]string{listMoved, listMoved}, unnamed(look("added", "1", "a:1")))...),
	}, inLegacy...)
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Fail("LCH-04",
			rt.Line{Step: "page", Method: "resources/list", Result: areatest.OnePage, Incoming: one}),
		areatest.NotApplicable("LCH-04",
			rt.Line{Step: "page", Method: "resources/list", Result: areatest.OnePage}),
	)
	areatest.WalkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`,
		areatest.Pass("LCH-04", add(nil, look("added", "1", "a:1", "a:9"))...),
	)
	areatest.WalkRuns(t, recording.Everything, subscribing,
		areatest.NotApplicable("LCH-04",
			rt.Line{Step: "page", Method: "resources/list", Result: areatest.OnePage, Incoming: one}),
	)
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
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Blocked("SUB-03", update...),
		areatest.Blocked("SUB-03", at(legacyChanges(nil, nil, nil), scenario.MarkOther)...),
		areatest.Pass("SUB-03", silenced...),
		areatest.Blocked("SUB-06", update...),
		areatest.Blocked("SUB-07", silenced...),
		areatest.Blocked("SUB-09", update...),
		areatest.Blocked("SUB-10", update...),
	)
	listed := rt.Line{Step: "listed", Method: "resources/list", Result: areatest.OnePage,
		Tags: areatest.Pairs("look", "1", "who", "watcher")}
	inLegacy := []requirement.Revision{requirement.R20241105, requirement.R20250326, requirement.R20250618,
		requirement.R20251125}
	areatest.WalkRunsIn(t, recording.Changes, subscribing, []areatest.Run{
		areatest.Blocked("LCH-01", listed, rt.Line{Mark: "!" + scenario.MarkAdd}),
		areatest.Blocked("LCH-07", listed, rt.Line{Mark: "!" + scenario.MarkAdd}),
	}, inLegacy...)
	areatest.WalkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`,
		areatest.Blocked("LCH-04", listed, rt.Line{Mark: "!" + scenario.MarkAdd}),
	)
}
