package sub_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What comes without a trigger is judged wherever it comes.
func TestPassiveWatch(t *testing.T) {
	sub := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`, Result: `{}`}
	refused := sub
	refused.Result, refused.Error = "", `{"code":-32602,"message":"no"}`
	other := sub
	other.Params = `{"uri":"b:2"}`
	unsub := rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Params: `{"uri":"a:1"}`,
		Result: `{}`}
	failed := unsub
	failed.Result, failed.Error = "", `{"code":-32602,"message":"no"}`
	heard := rt.Line{Incoming: []string{updateOf1}}
	foreign := rt.Line{Incoming: []string{updateOf1}, Session: "s2"}
	nameless := rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
		`"params":{}}`}}
	misspelt := rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/` +
		`listChanged"}`}}
	areatest.WalkRunsIn(t, recording.Everything, subscribing, []areatest.Run{
		areatest.Pass("SUB-04", sub, heard),
		areatest.Fail("SUB-04", sub, nameless),
		areatest.Warn("SUB-06", heard, sub),
		areatest.NotApplicable("SUB-06", refused, heard), // it was asked for
		areatest.Warn("SUB-06", sub, foreign),
		areatest.NotApplicable("SUB-06", sub, heard),
		areatest.NotApplicable("SUB-06", sub, unsub, heard), // that is SUB-07
		areatest.Warn("SUB-07", sub, unsub, heard),
		areatest.NotApplicable("SUB-07", sub, heard, unsub),
		areatest.NotApplicable("SUB-07", sub, failed, heard),
		// how the two relate is not known
		areatest.NotApplicable("SUB-07", sub, other, unsub, heard),
		areatest.NotApplicable("SUB-07", sub, unsub, sub, heard),
		areatest.NotApplicable("SUB-07", heard),
		areatest.Warn("LCH-02", misspelt),
	}, requirement.R20250618)
	listen := rt.Line{Step: "listen", Method: "subscriptions/listen", Outcome: recording.Sent}
	areatest.WalkRunsIn(t, recording.Everything, subscribing, []areatest.Run{
		areatest.Fail("SUB-43", heard),
		areatest.Fail("SUB-43", listen, foreign),
		areatest.NotApplicable("SUB-43", listen, heard),
	}, requirement.R20260728)
}

// A server without sessions may send an update that nobody can have subscribed to on whatever stream, also on
// that of a probe.
func TestUpdatesOfNobody(t *testing.T) {
	list := rt.Line{Step: "page", Method: "resources/list", Result: areatest.OnePage}
	probed := rt.Line{Incoming: []string{updateOf1}, Session: "s2", Kind: recording.Probe}
	sub := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`, Result: `{}`,
		Session: "s3", Kind: recording.Probe}
	refused := sub
	refused.Result, refused.Error = "", `{"code":-32601,"message":"no"}`
	for name, c := range map[string]struct {
		capabilities string
		before       rt.Line
		want         verdict.Outcome
	}{
		"nothing can be subscribed":   {`{"resources":{}}`, list, warn},
		"it is refused":               {`{"resources":{}}`, refused, warn},
		"something was all the same":  {`{"resources":{}}`, sub, idle},
		"resources can be subscribed": {subscribing, list, idle},
	} {
		facts := areatest.HTTP(requirement.R20250618, c.capabilities)
		areatest.Due(t, "SUB-06", name, c.want, rt.New(recording.Everything, facts, list),
			rt.New(recording.Undeclared, facts, c.before, probed))
	}
}

// Updates of what nobody subscribed to are seen without a trigger as well.
func TestUnrelatedUpdates(t *testing.T) {
	sub := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`, Result: `{}`}
	heard := func(uri string) rt.Line {
		return rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
			`"params":{"uri":"` + uri + `"}}`}}
	}
	see := func(rec ...rt.Line) map[string]string {
		facts := areatest.Stdio(requirement.R20251125, subscribing)
		seen := map[string]string{}
		for _, o := range areatest.Judge("SUB-09", rt.New(recording.Everything, facts, rec...)).Observations {
			seen[o.ID] = o.Detail
		}
		return seen
	}
	areatest.Observed(t, see(sub, heard("b:2"), heard("b:2")), "update-unsubscribed", "1 URI in updates",
		"b:2")
	areatest.Observed(t, see(sub, heard("a:1"), heard("a:1/part")), "")
	areatest.Observed(t, see(sub, heard("a:10")), "update-unsubscribed", "1 URI in updates", "a:10")
	areatest.Observed(t, see(heard("b:2"), sub), "") // that is SUB-06
	listen := rt.Line{Step: "listen", Method: "subscriptions/listen", ID: `5`,
		Params: `{"notifications":{"resourceSubscriptions":["a:1"]}}`, Outcome: recording.Sent,
		Tags: areatest.Pairs("ack", "2"),
		Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
			`"params":{"notifications":{"resourceSubscriptions":["a:1"]},` +
			`"_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`}}
	on := func(uri string) rt.Line {
		return rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
			`"params":{"uri":"` + uri + `","_meta":{"io.modelcontextprotocol/subscriptionId":5}}}`}}
	}
	areatest.WalkRunsIn(t, recording.Listening, subscribing, []areatest.Run{
		areatest.Warn("SUB-31", listen, on("b:2")),
		areatest.Warn("SUB-31", listen, on("a:10")),
		areatest.NotApplicable("SUB-31", listen, on("a:1")),
		areatest.NotApplicable("SUB-31", listen, on("a:1/part")),
	}, requirement.R20260728)
}

// A second subscription, and what another session gives up, take nothing away.
func TestSubscriptionsAreKept(t *testing.T) {
	who := func(l rt.Line, who string) rt.Line { return areatest.And(l, "uri", "a:1", "who", who) }
	play := func(first, doubled, foreign bool) []rt.Line {
		came := func(yes bool) []string {
			if yes {
				return []string{updateOf1}
			}
			return nil
		}
		return areatest.Lines(
			who(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`}, "watcher"),
			who(rt.Line{Step: "busy", Method: "ping", Result: `{}`, Session: "s2"}, "bystander"),
			rt.Line{Mark: recording.MarkUpdate, Incoming: came(first)},
			who(rt.Line{Step: "subscribe-again", Method: "resources/subscribe", Result: `{}`}, "watcher"),
			rt.Line{Mark: scenario.MarkDoubled, Incoming: came(doubled)},
			who(rt.Line{Step: "foreign-unsubscribe", Method: "resources/unsubscribe", Result: `{}`,
				Session: "s2"}, "bystander"),
			rt.Line{Mark: scenario.MarkForeign, Incoming: came(foreign)},
		)
	}
	named := func(uri string) []rt.Line { // by the updates that come
		return areatest.Lines(who(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`},
			"watcher"),
			rt.Line{Mark: recording.MarkUpdate,
				Incoming: []string{strings.Replace(updateOf1, "a:1", uri, 1)}})
	}
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-03", play(true, true, true)...),
		areatest.Pass("SUB-03", play(true, true, false)...),
		areatest.Pass("SUB-03", play(true, false, true)...), // it came, if late
		areatest.Warn("SUB-03", play(true, false, false)...),
		areatest.Fail("SUB-03", play(false, false, false)...),
		areatest.Warn("SUB-03", named("zzz:other")...),
		areatest.Warn("SUB-03", named("a:10")...),
		areatest.Warn("SUB-03", named("a:")...),
		areatest.Pass("SUB-03", named("a:1/lines/1")...),
		areatest.Pass("SUB-03", named("A:%31")...),
		areatest.Pass("SUB-10", play(true, true, true)...),
		areatest.Warn("SUB-10", play(true, true, false)...),
		areatest.Pass("SUB-10", play(true, false, false)...), // that is SUB-03
		areatest.NotApplicable("SUB-10", play(false, false, false)...),
	)
}

// Two sessions that have subscribed the same resource are both told.
func TestSubscriptionsOfTwoSessions(t *testing.T) {
	who := func(l rt.Line, who string) rt.Line { return areatest.And(l, "uri", "a:1", "who", who) }
	play := func(first, second bool) []rt.Line {
		all := areatest.Lines(
			who(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`}, "watcher"),
			who(rt.Line{Step: "busy", Method: "ping", Result: `{}`, Session: "s2"}, "bystander"),
			rt.Line{Mark: recording.MarkUpdate, Incoming: []string{updateOf1}},
			who(rt.Line{Step: "foreign-subscribe", Method: "resources/subscribe", Result: `{}`,
				Session: "s2"}, "bystander"),
			rt.Line{Mark: scenario.MarkShared})
		if first {
			all = append(all, rt.Line{Incoming: []string{updateOf1}})
		}
		if second {
			all = append(all, rt.Line{Incoming: []string{updateOf1}, Session: "s2"})
		}
		return append(all, who(rt.Line{Step: "foreign-unsubscribe", Method: "resources/unsubscribe",
			Result: `{}`, Session: "s2"}, "bystander"),
			rt.Line{Mark: scenario.MarkForeign, Incoming: []string{updateOf1}})
	}
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-03", play(true, true)...),
		areatest.Warn("SUB-03", play(true, false)...),
		areatest.Pass("SUB-03", play(false, true)...),  // that is SUB-10
		areatest.Pass("SUB-03", play(false, false)...), // there may have been no change
		areatest.Pass("SUB-06", play(true, true)...),
		areatest.Pass("SUB-10", play(true, true)...),
		areatest.Warn("SUB-10", play(false, true)...),
		areatest.Pass("SUB-10", play(true, false)...),
	)
}

// Nor does another subscription of the same session.
func TestSubscriptionsBesideOthers(t *testing.T) {
	play := func(doubled, next, foreign bool) []rt.Line {
		mark := func(name recording.MarkName, came bool) rt.Line {
			if came {
				return rt.Line{Mark: name, Incoming: []string{updateOf1}}
			}
			return rt.Line{Mark: name}
		}
		step := func(name recording.Step, method, uri string) rt.Line {
			return areatest.And(rt.Line{Step: name, Method: "resources/" + method, Result: `{}`}, "uri", uri,
				"who", "watcher")
		}
		return areatest.Lines(step("subscribe", "subscribe", "a:1"), mark(recording.MarkUpdate, true),
			step("subscribe-next", "subscribe", "a:2"), step("unsubscribe-next", "unsubscribe", "a:2"),
			mark(scenario.MarkNext, next),
			step("subscribe-again", "subscribe", "a:1"), mark(scenario.MarkDoubled, doubled),
			areatest.And(rt.Line{Step: "foreign-unsubscribe", Method: "resources/unsubscribe", Result: `{}`,
				Session: "s2"}, "uri", "a:1", "who", "bystander"),
			mark(scenario.MarkForeign, foreign))
	}
	areatest.WalkRuns(t, recording.Changes, subscribing,
		areatest.Pass("SUB-03", play(true, true, true)...),
		areatest.Warn("SUB-03", play(false, true, false)...),
		areatest.Warn("SUB-03", play(true, false, true)...), // the second subscription restores it
		areatest.Warn("SUB-03", play(false, false, false)...),
		areatest.Pass("SUB-10", play(false, true, false)...), // that is SUB-03
		areatest.Warn("SUB-10", play(true, true, false)...),
	)
}

// TestCancelledByItself: what a cancelled stream brings is judged without a trigger as well, if it comes
// when it can no longer have been under way.
func TestCancelledByItself(t *testing.T) {
	facts := areatest.Stdio(requirement.R20260728, subscribing)
	for name, c := range map[string]struct {
		id   string
		late time.Duration
		want verdict.Outcome
	}{
		"for the cancelled one":  {"7", time.Second, fail},
		"for the other one":      {"8", time.Second, pass},
		"may be under way":       {"7", time.Millisecond, idle},
		"nothing for any stream": {"9", 0, idle},
	} {
		s := new(areatest.Script).Listen("8", "full", areatest.URIFilter, areatest.URIFilter).Listen("7",
			"uris", areatest.URIFilter, areatest.URIFilter, "stopped", "4")
		s.Add(rt.Line{Step: scenario.StepSettled, Method: "server/discover", Result: `{}`})
		if c.late > 0 {
			s.Add(rt.Line{Incoming: []string{areatest.Sent(verdict.Updated, c.id, `"uri":"a:1"`)}})
		}
		r := rt.New(recording.Listening, facts, s.Lines...)
		r.Frames[len(r.Frames)-1].At += c.late
		areatest.Due(t, "SUB-33", name, c.want, r)
	}
}

// What changes by itself and is no longer told of warns where it was told of again and again; else it is a
// remark.
func TestChangesThatAreNotTold(t *testing.T) {
	read := func(step recording.Step, name, text string) rt.Line {
		return areatest.And(rt.Line{Step: step, Method: "resources/read", Params: `{"uri":"a:1"}`,
			Result: `{"contents":[{"uri":"a:1","text":"` + text + `"}]}`}, "uri", "a:1", "name", name)
	}
	told := areatest.And(read("unchanged", "next", "0"), "heard", "yes")
	areatest.WalkRunsIn(t, recording.SelfChanges, subscribing, []areatest.Run{
		areatest.Pass("SUB-03", told),
		areatest.Warn("SUB-03", told, read("unchanged", "again", "0"), read("later", "again", "1"),
			read("later", "again", "1")),
		areatest.Pass("SUB-03", told, read("unchanged", "again", "0"), read("later", "again", "0"),
			read("later", "again", "0")),
		// as a clock does
		areatest.Pass("SUB-03", told, read("unchanged", "again", "0"), read("later", "again", "1"),
			read("later", "again", "2")),
		areatest.NotApplicable("SUB-03", read("unchanged", "untold", "0"), read("later", "untold", "1"),
			read("later", "untold", "1")),
		areatest.Warn("SUB-10", told, read("unchanged", "foreign", "0"), read("later", "foreign", "1"),
			read("later", "foreign", "1")),
	}, requirement.R20250618)
}

// Two streams that watch what changes by itself both get its updates.
func TestStreamsThatWatchTheSame(t *testing.T) {
	id := func(of string) string {
		return `"_meta":{"io.modelcontextprotocol/subscriptionId":` + of + `}`
	}
	listen := func(of, ack string) rt.Line {
		return rt.Line{Step: "listen", Method: "subscriptions/listen", ID: of, Outcome: recording.Sent,
			Tags:   areatest.Pairs("ack", ack, "name", "full"),
			Params: `{"notifications":{"resourceSubscriptions":["a:1"]}}`,
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
				`"params":{"notifications":{"resourceSubscriptions":["a:1"]},` + id(of) + `}}`}}
	}
	// a millisecond for each frame
	while := slices.Repeat([]rt.Line{{Method: "server/discover", Result: `{}`}}, 40)
	update := func(of string) rt.Line {
		return rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
			`"params":{"uri":"a:1",` + id(of) + `}}`}}
	}
	both := []rt.Line{listen("5", "2"), listen("6", "4")}
	areatest.WalkRunsIn(t, recording.Listening, subscribing, []areatest.Run{
		areatest.Pass("SUB-32", slices.Concat(both, areatest.Lines(update("5"), update("6")), while,
			areatest.Lines(update("5"), update("6")))...),
		areatest.Fail("SUB-32",
			slices.Concat(both, areatest.Lines(update("5")), while, areatest.Lines(update("5")))...),
		areatest.NotApplicable("SUB-32", slices.Concat(both, areatest.Lines(update("5")))...),
		areatest.NotApplicable("SUB-32", both...),
	}, requirement.R20260728)
}
