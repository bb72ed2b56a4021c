package check

import (
	"net/http"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// What comes without a trigger is judged wherever it comes.
func TestPassiveWatch(t *testing.T) {
	sub := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`, Result: `{}`}
	refused := sub
	refused.Result, refused.Error = "", `{"code":-32602,"message":"no"}`
	other := sub
	other.Params = `{"uri":"b:2"}`
	unsub := rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Params: `{"uri":"a:1"}`, Result: `{}`}
	failed := unsub
	failed.Result, failed.Error = "", `{"code":-32602,"message":"no"}`
	heard := rt.Line{Incoming: []string{updateOf1}}
	foreign := rt.Line{Incoming: []string{updateOf1}, Session: "s2"}
	nameless := rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{}}`}}
	misspelt := rt.Line{Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/listChanged"}`}}
	walkRuns(t, recording.Everything, subscribing, []run{
		{"SUB-04", Pass, lines(sub, heard)},
		{"SUB-04", Fail, lines(sub, nameless)},
		{"SUB-06", Warn, lines(heard, sub)},
		{"SUB-06", Warn, lines(refused, heard)},
		{"SUB-06", Warn, lines(sub, foreign)},
		{"SUB-06", NotApplicable, lines(sub, heard)},
		{"SUB-06", NotApplicable, lines(sub, unsub, heard)}, // that is SUB-07
		{"SUB-07", Warn, lines(sub, unsub, heard)},
		{"SUB-07", NotApplicable, lines(sub, heard, unsub)},
		{"SUB-07", NotApplicable, lines(sub, failed, heard)},
		{"SUB-07", NotApplicable, lines(sub, other, unsub, heard)}, // how the two relate is not known
		{"SUB-07", NotApplicable, lines(sub, unsub, sub, heard)},
		{"SUB-07", NotApplicable, lines(heard)},
		{"LCH-02", Warn, lines(misspelt)},
	}, requirement.R20250618)
	listen := rt.Line{Step: "listen", Method: "subscriptions/listen", Outcome: recording.Sent}
	walkRuns(t, recording.Everything, subscribing, []run{
		{"SUB-43", Fail, lines(heard)},
		{"SUB-43", Fail, lines(listen, foreign)},
		{"SUB-43", NotApplicable, lines(listen, heard)},
	}, requirement.R20260728)
}

// A second subscription, and what another session gives up, take nothing away.
func TestSubscriptionsAreKept(t *testing.T) {
	who := func(l rt.Line, who string) rt.Line { return and(l, "uri", "a:1", "who", who) }
	play := func(first, doubled, foreign bool) []rt.Line {
		came := func(yes bool) []string {
			if yes {
				return []string{updateOf1}
			}
			return nil
		}
		return lines(
			who(rt.Line{Step: "subscribe", Method: "resources/subscribe", Result: `{}`}, "watcher"),
			who(rt.Line{Step: "busy", Method: "ping", Result: `{}`, Session: "s2"}, "bystander"),
			rt.Line{Mark: recording.MarkUpdate, Incoming: came(first)},
			who(rt.Line{Step: "subscribe-again", Method: "resources/subscribe", Result: `{}`}, "watcher"),
			rt.Line{Mark: recording.MarkDoubled, Incoming: came(doubled)},
			who(rt.Line{Step: "foreign-unsubscribe", Method: "resources/unsubscribe", Result: `{}`, Session: "s2"}, "bystander"),
			rt.Line{Mark: recording.MarkForeign, Incoming: came(foreign)},
		)
	}
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-03", Pass, play(true, true, true)},
		{"SUB-03", Pass, play(true, true, false)},
		{"SUB-03", Pass, play(true, false, true)}, // it came, if late
		{"SUB-03", Warn, play(true, false, false)},
		{"SUB-03", Fail, play(false, false, false)},
		{"SUB-10", Pass, play(true, true, true)},
		{"SUB-10", Warn, play(true, true, false)},
		{"SUB-10", Pass, play(true, false, false)}, // that is SUB-03
		{"SUB-10", NotApplicable, play(false, false, false)},
	})
}

// Nor does another subscription of the same session.
func TestSubscriptionsBesideOthers(t *testing.T) {
	play := func(doubled, next, foreign bool) []rt.Line {
		mark := func(name string, came bool) rt.Line {
			if came {
				return rt.Line{Mark: name, Incoming: []string{updateOf1}}
			}
			return rt.Line{Mark: name}
		}
		step := func(name, method, uri string) rt.Line {
			return and(rt.Line{Step: name, Method: "resources/" + method, Result: `{}`}, "uri", uri, "who", "watcher")
		}
		return lines(step("subscribe", "subscribe", "a:1"), mark(recording.MarkUpdate, true),
			step("subscribe-again", "subscribe", "a:1"), mark(recording.MarkDoubled, doubled),
			step("subscribe-next", "subscribe", "a:2"), step("unsubscribe-next", "unsubscribe", "a:2"), mark(recording.MarkNext, next),
			and(rt.Line{Step: "foreign-unsubscribe", Method: "resources/unsubscribe", Result: `{}`, Session: "s2"}, "uri", "a:1", "who", "bystander"),
			mark(recording.MarkForeign, foreign))
	}
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-03", Pass, play(true, true, true)},
		{"SUB-03", Warn, play(true, false, false)},
		{"SUB-03", Warn, play(false, false, false)}, // that is the second subscription
		{"SUB-10", Pass, play(true, false, false)},  // that is SUB-03
		{"SUB-10", Warn, play(true, true, false)},
	})
}

// On Streamable HTTP sessions without an id are none.
func TestPassiveWatchWithoutSessions(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20250618, Transport: requirement.HTTP}, subscribing)
	r := rt.New(recording.Everything, facts, rt.Line{Incoming: []string{updateOf1}})
	h := only(hear(r, "", 0), updated)
	if len(h) != 1 || keepsSessions(h[0], r) {
		t.Errorf("%d updates", len(h))
	}
	r.Sessions = []*recording.Session{{ID: h[0].frame.Session, Initialize: &recording.Exchange{Header: http.Header{"Mcp-Session-Id": {"x"}}}}}
	if !keepsSessions(h[0], r) {
		t.Error("the session is not known")
	}
}

// An update on another connection may have been sent before the response that was read
// first.
func TestUnderWay(t *testing.T) {
	reply := &wire.Frame{Number: 5, Channel: "post-1", At: time.Second}
	for _, test := range []struct {
		frame wire.Frame
		want  bool
	}{
		{wire.Frame{Number: 6, Channel: "post-1", At: time.Second}, true},
		{wire.Frame{Number: 4, Channel: "post-1", At: time.Second}, false},
		{wire.Frame{Number: 6, Channel: "get", At: time.Second + time.Millisecond}, false},
		{wire.Frame{Number: 6, Channel: "get", At: 2 * time.Second}, true},
	} {
		if got := comesAfter(heard{frame: &test.frame}, reply); got != test.want {
			t.Errorf("%+v: %v", test.frame, got)
		}
	}
	if comesAfter(heard{frame: &wire.Frame{Number: 6}}, nil) {
		t.Error("without a response there is nothing to come after")
	}
}
