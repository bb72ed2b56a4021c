package sub

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// viewed is the view of a recording.
func viewed(in requirement.Revision, over requirement.Transport, lines ...rt.Line) *view {
	facts := rt.Facts(requirement.Combination{Revision: in, Transport: over}, `{}`)
	return viewOf(verdict.New(rt.New(recording.Changes, facts, lines...), nil))
}

func told(session, params string) rt.Line {
	return rt.Line{Session: session,
		Incoming: []string{`{"method":"` + updated + `","params":{` + params + `}}`}}
}

func ask(method, uri string) rt.Line {
	return rt.Line{Method: "resources/" + method, Params: `{"uri":"` + uri + `"}`, Result: `{}`}
}

func refused(l rt.Line) rt.Line { l.Result, l.Error = "", `{"code":-32602}`; return l }

// Who had subscribed to what when an update came, and by which request it was given up.
func TestSubscriptions(t *testing.T) {
	one, first, part := told("", `"uri":"a:1"`), ask("unsubscribe", "a:1"), ask("unsubscribe", "a:1/x")
	w := viewed(requirement.R20250618, requirement.Stdio,
		one, refused(ask("subscribe", "b:2")), one, ask("subscribe", "a:1"), one, told("s2", `"uri":"a:1"`),
		refused(first), one, first, one, told("", `"uri":"c:3"`),
		ask("subscribe", "a:1"), ask("subscribe", "a:1/x"), one, first, one, part, one, first, one)
	var got []string
	for _, h := range w.sent.of(updated) {
		by := 0
		if x := w.endOf(h); x != nil {
			by = x.Request
		}
		got = append(got, fmt.Sprint(len(w.before(h)), len(w.unrefused(h)), by, len(w.strays(messages{h}))))
	}
	want := []string{"0 0 0 0", "1 0 0 0", "2 1 0 0", "0 0 0 0", "2 1 0 0", "2 1 12 0", "2 1 0 1",
		"4 3 0 0", "4 3 0 0", "4 3 24 0", "4 3 24 0"}
	if !slices.Equal(got, want) {
		t.Errorf("asked for, not refused, given up by, astray:\n%q instead of\n%q", got, want)
	}
	if by := w.subs[1].until.Request; by != 12 {
		t.Errorf("it was given up by %d", by)
	}
}

// What comes for a stream bears its id or, on Streamable HTTP, comes on it.
func TestStreams(t *testing.T) {
	stream := func(id, channel string) rt.Line {
		return rt.Line{Step: recording.StepListen, Method: "subscriptions/listen", ID: id, Channel: channel,
			Outcome: recording.Sent}
	}
	first, second := told("", `"_meta":{"io.modelcontextprotocol/subscriptionId":"7"}`), told("", "")
	first.Channel, second.Channel = "b", "b"
	for over, want := range map[requirement.Transport]string{"stdio": "1 0", "http": "0 2"} {
		w := viewed(requirement.R20260728, over, stream("7", "a"), stream("8", "b"), first, second)
		if got := fmt.Sprint(len(w.subs[0].came(0)), len(w.subs[1].came(0))); got != want {
			t.Errorf("%s: %s instead of %s", over, got, want)
		}
	}
}

// A subscription has lapsed if updates came before a change, and none after it.
func TestLapsed(t *testing.T) {
	one, none := told("", `"uri":"a:1"`), rt.Line{}
	mark := func(name recording.MarkName, l rt.Line) rt.Line { l.Mark = name; return l }
	for i, c := range []struct {
		first, second, third rt.Line
		inTime, late         bool
	}{
		{one, one, one, false, false},
		{one, none, none, true, true},
		{one, none, one, true, false},
		{none, none, one, false, false},
	} {
		w := viewed(requirement.R20250618, requirement.Stdio, ask("subscribe", "a:1"),
			mark(recording.MarkUpdate, c.first), mark(scenario.MarkShared, none),
			mark(scenario.MarkAdd, c.second), mark(scenario.MarkForeign, c.third))
		s := w.subs[0]
		inTime, late := s.lapsed(scenario.MarkShared, false), s.lapsed(scenario.MarkShared, true)
		if inTime != c.inTime || late != c.late {
			t.Errorf("%d: %t and %t", i, inTime, late)
		}
		if s.lapsed(scenario.MarkDoubled, true) {
			t.Errorf("%d: a change that was not made", i)
		}
	}
}

// On Streamable HTTP sessions without an id are none.
func TestKeepsSessions(t *testing.T) {
	w := viewed(requirement.R20250618, requirement.HTTP, told("", ""))
	if w.keepsSessions(w.sent[0]) {
		t.Error("the session has no id")
	}
	w.Sessions[0].Initialize = &recording.Exchange{Header: http.Header{"Mcp-Session-Id": {"x"}}}
	if !w.keepsSessions(w.sent[0]) {
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
		if got := comesAfter(heard{Frame: &test.frame}, reply); got != test.want {
			t.Errorf("%+v: %v", test.frame, got)
		}
	}
}
