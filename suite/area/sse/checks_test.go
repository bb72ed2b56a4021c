package sse_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sse"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestOriginOfLastEventID: the evidence of a replay begins with the request and the event after
// which the stream was asked for again.
func TestOriginOfLastEventID(t *testing.T) {
	on := func(step recording.Step, channel, id string) rt.Line {
		l := areatest.Listed(step)
		l.Channel, l.Event = channel, &wire.Event{ID: id, HasID: true}
		return l
	}
	resumed := rt.Line{Step: "resume", ID: "-", Status: 200, Outcome: recording.Sent, Channel: "get:1",
		Event: &wire.Event{}, Tags: recording.Tags{"id": "e1"},
		Incoming: []string{`{"jsonrpc":"2.0","id":101,"result":{}}`}}
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	rec := rt.New(recording.HTTPResume, facts, on("first", "post:1", "e1"), on("second", "post:2", "f1"),
		resumed)
	got := areatest.Judge("SSE-07", rec)
	first := rec.Step("first")
	if want := first.Evidence(); !got.Outcome.Red() || len(want) < 2 ||
		!slices.Equal(got.Frames[:2], want[:2]) {
		t.Errorf("%s, the evidence is %v, without %v", got.Outcome, got.Frames, want)
	}
	if event := rec.Frame(got.Frames[1]); event == nil || event.Event == nil || event.Event.ID != "e1" {
		t.Errorf("the second frame is %+v", event)
	}
}

// TestReplays: what a stream that is resumed may bring, of what came on other streams, and of what came on it
// before.
func TestReplays(t *testing.T) {
	const primed, answer, another, theirs = "", `{"jsonrpc":"2.0","id":101,"result":{"resources":[]}}`,
		`{"jsonrpc":"2.0","id":102,"result":{}}`,
		`{"jsonrpc":"2.0","id":101,"result":{"resourceTemplates":[]}}`
	const changed, progress = `{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`,
		`{"jsonrpc":"2.0","method":"notifications/progress"}`
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	asked := func(step recording.Step, session, id, event, reply string) rt.Line {
		return rt.Line{Step: step, Session: session, ID: id, Method: "m", Reply: reply,
			Channel: "post:" + string(step), Event: &wire.Event{ID: event, HasID: true}, Status: 200,
			Outcome: recording.Replied}
	}
	for name, c := range map[string]struct {
		step     recording.Step
		session  string
		named    string
		replayed string
		as       string // the id of the event that is replayed
		want     verdict.Outcome
		observed bool
	}{
		"what follows":                     {"resume", "s1", "e1", progress, "e2", verdict.Pass, false},
		"what was received":                {"resume-last", "s1", "e1", answer, "e1", verdict.Pass, true},
		"of another request":               {"resume", "s1", "e1", another, "x", verdict.Fail, false},
		"of another request, by its event": {"resume-last", "s1", "e1", progress, "f1", verdict.Fail, false},
		"of its own, under an id in use": {"resume", "s1", "e1",
			`{"jsonrpc":"2.0","method":"stream/resumed","params":{"resumedFrom":"e1"}}`, "f1", verdict.Pass,
			false},
		"its own, by an id of another": {"resume", "s1", "e1", answer, "f1", verdict.Pass, false},
		"of the other session":         {"resume-last", "s1", "e1", theirs, "x", verdict.Fail, false},
		"to the other session": {"resume-elsewhere", "s2", "e1", answer, "x", verdict.Fail,
			false},
		"the other session's own": {"resume-elsewhere", "s2", "e1", theirs, "x", verdict.Pass,
			false},
		"what is sent to all sessions": {"resume-elsewhere", "s2", "e1", changed, "x", verdict.Pass,
			false},
		"to nobody": {"resume-unknown", "s1", "?", answer, "x", verdict.Fail, false},
		"a ping to nobody": {"resume-unknown", "s1", "?",
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`, "x", verdict.Pass, false},
		"an error to nobody": {"resume-unknown", "s1", "?",
			`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"unknown event"}}`, "x",
			verdict.Pass, false},
		"an error with an id of its own": {"resume-unknown", "s1", "?",
			`{"jsonrpc":"2.0","id":"server-error","error":{"code":-32600,"message":"unknown event"}}`, "x",
			verdict.Pass, false},
		"nothing, under an id in use": {"resume", "s1", "e1", primed, "f1", verdict.Pass, false},
		"nothing":                     {"resume-unknown", "s1", "?", primed, "x", verdict.Pass, false},
	} {
		first, second := asked("first", "s1", "101", "e1", answer), asked("second", "s1", "102", "f1",
			another)
		if c.replayed == changed {
			first.Incoming = []string{changed}
		}
		if c.as == "f1" && c.replayed == progress {
			second.Incoming = []string{progress}
		}
		lines := []rt.Line{first, second, asked("other", "s2", "101", "g1", theirs)}
		if c.step != "resume" {
			lines = append(lines, rt.Line{Step: "resume", Session: "s1", ID: "-", Status: 200,
				Outcome: recording.Sent, Channel: "get:0", Tags: recording.Tags{"id": "e1"}})
		}
		rec := rt.New(recording.HTTPResume, facts,
			append(lines, rt.Line{Step: c.step, Session: c.session, ID: "-", Status: 200,
				Outcome: recording.Sent, Channel: "get:1",
				Event: &wire.Event{ID: c.as, HasID: true}, Tags: recording.Tags{"id": c.named},
				Incoming: []string{c.replayed}})...)
		got := areatest.Judge("SSE-07", rec)
		if got.Outcome != c.want || (len(got.Observations) > 0) != c.observed {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestUnendedResponse: a response in an event that the stream ended within is discarded by clients. What is
// not known to be the server's doing, or leaves nothing unanswered, is remarked upon.
func TestUnendedResponse(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	for name, c := range map[string]struct {
		channel string
		flaws   []wire.Flaw
		want    verdict.Outcome
	}{
		"ended":     {"post:1", []wire.Flaw{}, verdict.Pass},
		"not ended": {"post:1", []wire.Flaw{{Code: wire.FlawUnterminated}}, verdict.Fail},
		"the connection failed": {"post:1", []wire.Flaw{{Code: wire.FlawUnterminated},
			{Code: wire.FlawBrokenOff}}, verdict.Pass},
		"on a stream of its own": {"get:1", []wire.Flaw{{Code: wire.FlawUnterminated}}, verdict.Pass},
	} {
		line := areatest.Listed("list")
		line.Channel, line.Event, line.Flaws = c.channel, &wire.Event{}, c.flaws
		got := areatest.Judge("SSE-01", rt.New(recording.Everything, facts, line))
		if remarked := len(c.flaws) > 0 && c.want == verdict.Pass; got.Outcome != c.want ||
			len(got.Observations) > 0 != remarked {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestReplayThatDidNotBegin: a stream of which nothing came in time is not known to bring nothing.
func TestReplayThatDidNotBegin(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	get := func(step recording.Step, status int) rt.Line {
		return rt.Line{Step: step, ID: "-", Status: status, Outcome: recording.Sent,
			Channel: "get:" + string(step), Tags: recording.Tags{"id": "e1"}}
	}
	for _, step := range []recording.Step{"resume-last", "resume-unknown", "resume-elsewhere"} {
		for status, want := range map[int]verdict.Outcome{0: verdict.NotApplicable, 200: verdict.Pass,
			404: verdict.Pass} {
			rec := rt.New(recording.HTTPResume, facts, areatest.Listed("first"),
				areatest.Listed("second"), get("resume", 200), get(step, status))
			if got := areatest.Judge("SSE-07", rec); got.Outcome != want {
				t.Errorf("%s with status %d: %+v", step, status, got)
			}
		}
	}
}

// TestBeforeTheEndpoint: what has no data is no event that comes before the endpoint (HTML, server-sent
// events, section 9.2.6).
func TestBeforeTheEndpoint(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20241105, Transport: requirement.SSE},
		`{}`)
	for data, want := range map[string]int{"": 0, "{}": 1} {
		open := rt.Line{Step: "open", ID: "-", Status: 200,
			Header: map[string][]string{"Content-Type": {"text/event-stream"}}, Outcome: recording.Sent,
			Channel: "get:1",
			Event:   &wire.Event{}, Incoming: []string{data},
			Tags: recording.Tags{"url": "http://127.0.0.1/sse"}}
		endpoint := rt.Line{Step: "later", ID: "-", Outcome: recording.Sent, Channel: "get:1",
			Event: &wire.Event{Type: "endpoint"}, Incoming: []string{"/message"}}
		got := areatest.Judge("SSE-21", rt.New(sse.SSEEndpoint, facts, open, endpoint))
		if got.Outcome != verdict.Pass || len(got.Observations) != want {
			t.Errorf("%q: %+v", data, got)
		}
	}
}
