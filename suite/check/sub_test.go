package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

const subscribing = `{"resources":{"subscribe":true,"listChanged":true}}`

// pairs makes tags of pairs.
func pairs(all ...string) map[string]string {
	tags := map[string]string{}
	for i := 0; i+1 < len(all); i += 2 {
		tags[all[i]] = all[i+1]
	}
	return tags
}

// and adds further tags to a line.
func and(l rt.Line, more ...string) rt.Line {
	tags := pairs(more...)
	for k, v := range l.Tags {
		if _, replaced := tags[k]; !replaced {
			tags[k] = v
		}
	}
	l.Tags = tags
	return l
}

func TestSubscriptionChecks(t *testing.T) {
	sub := func(uri string) rt.Line {
		return rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"` + uri + `"}`, Tags: pairs("uri", uri, "listed", "2", "templates", "0")}
	}
	yes := func(l rt.Line) rt.Line { l.Result = `{}`; return l }
	no := func(l rt.Line) rt.Line { l.Error = `{"code":-32603,"message":"no"}`; return l }
	unsub := rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Params: `{"uri":"a:1"}`}
	lacking := sub("a:1")
	lacking.Error = `{"code":-32601,"message":"?"}`
	gone := unsub
	gone.Error = `{"code":-32601,"message":"?"}`
	walkRuns(t, recording.Subscriptions, subscribing, []run{
		{"SUB-01", Pass, lines(yes(sub("a:1")), yes(unsub))},
		{"SUB-01", Pass, lines(no(sub("a:1")), yes(sub("a:2")), yes(unsub))},
		{"SUB-01", Fail, lines(no(sub("a:1")), no(sub("a:2")))},
		{"SUB-01", NotApplicable, lines(lacking, lacking)},                                                 // see CAP-09
		{"SUB-01", Warn, lines(no(sub("a:1")))},                                                            // not all were tried
		{"SUB-01", Warn, lines(and(no(sub("a:1")), "listed", "1"), and(no(sub("a:2")), "listed", "3"))},    // nor here
		{"SUB-01", NotApplicable, lines(and(no(sub("a:1")), "sessionless", "yes"), no(sub("a:2")))},        // nowhere to keep it
		{"SUB-01", Fail, lines(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `true`})}, // no object
		{"SUB-01", Fail, lines(yes(sub("a:1")), no(unsub))},
		{"SUB-01", Pass, lines(yes(sub("a:1")), gone)},
		{"SUB-01", Blocked, lines(rt.Line{Step: "subscribe", Method: "resources/subscribe", Outcome: recording.Lost})},
	})
	bad := func(reply rt.Line) rt.Line {
		reply.Step, reply.Method, reply.Params, reply.Kind = "subscribe", "resources/subscribe", `{}`, recording.Probe
		return reply
	}
	walkRuns(t, recording.BadSubscriptions, subscribing, []run{
		{"SUB-11", NotApplicable, lines(bad(rt.Line{Error: `{"code":-32601,"message":"?"}`}))},
		{"SUB-11", Pass, lines(bad(rt.Line{Error: `{"code":-32602,"message":"no uri"}`}))},
		{"SUB-11", Warn, lines(bad(rt.Line{Error: `{"code":-32603,"message":"no uri"}`}))},
		{"SUB-11", Fail, lines(bad(rt.Line{Result: `{}`}))},
		{"SUB-11", Blocked, lines(bad(rt.Line{Outcome: recording.Lost}))},
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
	return lines(
		rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`, Tags: pairs("uri", "a:1", "other", "b:2", "who", "watcher")},
		rt.Line{Step: "busy", Method: "ping", Result: `{}`, Session: "s2", Tags: pairs("who", "bystander")},
		rt.Line{Mark: recording.MarkOther},
		rt.Line{Mark: recording.MarkUpdate, Incoming: first},
		rt.Line{Incoming: bystander, Session: "s2"},
		rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Result: `{}`, Tags: pairs("uri", "a:1", "who", "watcher")},
		rt.Line{Mark: recording.MarkSilenced, Incoming: late},
	)
}

func TestLegacyChanges(t *testing.T) {
	one := []string{updateOf1}
	silent := legacyChanges(nil, nil, nil)
	refused := legacyChanges(nil, nil, nil)
	refused[0].Result, refused[0].Error = "", `{"code":-32602,"message":"not this one"}`
	sessionless := legacyChanges(nil, nil, nil)
	sessionless[0] = and(sessionless[0], "sessionless", "yes")
	below := legacyChanges([]string{updateOf1, `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1/x"}}`}, nil, nil)
	batch := legacyChanges([]string{"[" + updateOf1 + "," + listMoved + "]"}, nil, nil)
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-03", Pass, legacyChanges(one, nil, nil)},
		{"SUB-03", Pass, legacyChanges([]string{updateOf1, updateOf1}, nil, nil)},
		{"SUB-03", Pass, batch},
		{"SUB-03", Fail, silent},
		{"SUB-03", Fail, legacyChanges([]string{updateOf2}, nil, nil)},
		{"SUB-03", NotApplicable, refused},
		{"SUB-03", NotApplicable, sessionless},
		{"SUB-03", NotApplicable, lines(rt.Line{Step: "busy", Method: "ping", Result: `{}`})},
		{"SUB-06", Pass, legacyChanges(one, nil, nil)},
		{"SUB-06", Warn, legacyChanges(one, nil, one)},
		{"SUB-06", NotApplicable, silent},
		{"SUB-07", Pass, legacyChanges(one, nil, nil)},
		{"SUB-07", Warn, legacyChanges(one, one, nil)},
		{"SUB-07", NotApplicable, silent},
		{"SUB-09", Pass, legacyChanges(one, nil, nil)},
		{"SUB-09", Pass, below},
		{"SUB-09", Warn, legacyChanges([]string{updateOf2, updateOf1}, nil, nil)},
		{"SUB-09", NotApplicable, silent},
		{"SUB-10", Pass, legacyChanges(one, nil, nil)},
		{"SUB-10", Warn, legacyChanges(one, nil, one)},
	})
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-04", Pass, legacyChanges(one, nil, nil)},
		{"SUB-04", NotApplicable, silent},
		{"SUB-04", Fail, legacyChanges([]string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`}, nil, nil)},
		{"SUB-04", Fail, legacyChanges([]string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":7}}`}, nil, nil)},
	})
}

// TestNeverSubscribed: updates again and again for a resource that is listed on its own, and
// is no part of the subscribed one, are told from those for parts.
func TestNeverSubscribed(t *testing.T) {
	update := func(uri string) string { return strings.Replace(updateOf1, "a:1", uri, 1) }
	next := rt.Line{Step: "subscribe-next", Method: "resources/subscribe", Result: `{}`, Tags: pairs("uri", "c:3", "who", "watcher")}
	for name, c := range map[string]struct {
		updates []string
		listed  string
		before  []rt.Line
		want    Outcome
	}{
		"again and again":  {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "c:3", nil, Warn},
		"instead of it":    {[]string{update("c:3"), update("c:3")}, "c:3", nil, Warn},
		"once":             {[]string{updateOf1, update("c:3"), updateOf1}, "c:3", nil, Pass},
		"not listed":       {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "d:4", nil, Pass},
		"below it, listed": {[]string{updateOf1, update("a:1/x"), updateOf1, update("a:1/x")}, "a:1/x", nil, Pass},
		"subscribed too":   {[]string{updateOf1, update("c:3"), updateOf1, update("c:3")}, "c:3", lines(next), Pass},
	} {
		for _, other := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/%t", name, other), func(t *testing.T) {
				facts := rt.Facts(requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}, subscribing)
				changes := append(legacyChanges(c.updates, nil, nil), c.before...)
				want := c.want
				if !other {
					delete(changes[0].Tags, "other")
					changes = append(changes[:2], changes[3:]...) // without its mark
					if want == Pass {
						want = NotApplicable
					}
				}
				req, _ := requirement.Find("SUB-09")
				k, _ := Find("SUB-09")
				page := rt.Line{Step: "page", Method: "resources/list", Result: `{"resources":[{"uri":"a:1"},{"uri":"b:2"},{"uri":"` + c.listed + `"}]}`}
				got := Evaluate(k, req, facts, Recordings{recording.Changes: rt.New(recording.Changes, facts, changes...),
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
	rec := append(lines(rt.Line{Step: "stream", Status: 405, Outcome: recording.Sent, Tags: pairs("who", "watcher")}), legacyChanges(nil, nil, nil)...)
	rec[0].Method = "" // a GET has none
	c := requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}
	facts := rt.Facts(c, subscribing)
	req, _ := requirement.Find("SUB-03")
	k, _ := Find("SUB-03")
	got := Evaluate(k, req, facts, Recordings{recording.Changes: rt.New(recording.Changes, facts, rec...)})
	if got.Outcome != Warn {
		t.Errorf("%+v", got)
	}
}

func TestListChangeChecks(t *testing.T) {
	look := func(step, n string, uris ...string) rt.Line {
		result := `{"resources":[`
		for i, u := range uris {
			if i > 0 {
				result += ","
			}
			result += `{"uri":"` + u + `","name":"x"}`
		}
		return rt.Line{Step: step, Method: "resources/list", Result: result + `]}`, Tags: pairs("look", n, "who", "watcher", "uri", "a:9")}
	}
	add := func(announced []string, looks ...rt.Line) []rt.Line {
		all := lines(look("listed", "1", "a:1"), rt.Line{Mark: recording.MarkAdd, Incoming: announced})
		return append(all, looks...)
	}
	one := []string{listMoved}
	inLegacy := []requirement.Revision{requirement.R20241105, requirement.R20250326, requirement.R20250618, requirement.R20251125}
	walkRuns(t, recording.Changes, subscribing, []run{
		{"LCH-01", Pass, add(one, look("added", "1", "a:1", "a:9"))},
		{"LCH-01", Warn, add(nil, look("added", "1", "a:1", "a:9"))},
		{"LCH-01", NotApplicable, add(nil, look("added", "1", "a:1"))},
		{"LCH-02", Pass, add(one, look("added", "1", "a:1", "a:9"))},
		{"LCH-02", Fail, add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/list_changed","params":[]}`}, look("added", "1", "a:1", "a:9"))},
		{"LCH-02", Warn, add([]string{`{"jsonrpc":"2.0","method":"notifications/resources/listChanged"}`}, look("added", "1", "a:1", "a:9"))},
		{"LCH-07", Pass, add(one, look("added", "1", "a:1", "a:9"))},
		{"LCH-07", Pass, add(one, look("added", "1", "a:1"), look("added", "2", "a:1", "a:9"))},
		{"LCH-07", Warn, add(one, look("added", "1", "a:1"))},
		{"LCH-07", NotApplicable, add(nil, look("added", "1", "a:1", "a:9"))},
	}, inLegacy...)
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"LCH-04", Fail, lines(rt.Line{Step: "page", Method: "resources/list", Result: onePage, Incoming: one})},
		{"LCH-04", NotApplicable, lines(rt.Line{Step: "page", Method: "resources/list", Result: onePage})},
	})
	walkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`, []run{
		{"LCH-04", Pass, add(nil, look("added", "1", "a:1", "a:9"))},
	})
	walkRuns(t, recording.Everything, subscribing, []run{
		{"LCH-04", NotApplicable, lines(rt.Line{Step: "page", Method: "resources/list", Result: onePage, Incoming: one})},
	})
}

// TestFailedTrigger: where a trigger failed nothing follows from what did not come.
func TestFailedTrigger(t *testing.T) {
	one := []string{updateOf1}
	at := func(all []rt.Line, mark string) []rt.Line {
		for i := range all {
			if all[i].Mark == mark {
				all[i].Mark = "!" + mark
				return all[:i+1]
			}
		}
		t.Fatalf("no mark %q", mark)
		return nil
	}
	update, silenced := at(legacyChanges(nil, nil, nil), recording.MarkUpdate), at(legacyChanges(one, nil, nil), recording.MarkSilenced)
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-03", Blocked, update},
		{"SUB-03", Blocked, at(legacyChanges(nil, nil, nil), recording.MarkOther)},
		{"SUB-03", Pass, silenced},
		{"SUB-06", Blocked, update},
		{"SUB-07", Blocked, silenced},
		{"SUB-09", Blocked, update},
		{"SUB-10", Blocked, update},
	})
	listed := rt.Line{Step: "listed", Method: "resources/list", Result: onePage, Tags: pairs("look", "1", "who", "watcher")}
	inLegacy := []requirement.Revision{requirement.R20241105, requirement.R20250326, requirement.R20250618, requirement.R20251125}
	walkRuns(t, recording.Changes, subscribing, []run{
		{"LCH-01", Blocked, lines(listed, rt.Line{Mark: "!" + recording.MarkAdd})},
		{"LCH-07", Blocked, lines(listed, rt.Line{Mark: "!" + recording.MarkAdd})},
	}, inLegacy...)
	walkRuns(t, recording.Changes, `{"resources":{"listChanged":false}}`, []run{
		{"LCH-04", Blocked, lines(listed, rt.Line{Mark: "!" + recording.MarkAdd})},
	})
}
