// Package sse is the area SSE: event streams and the HTTP+SSE transport
// (basic/transports#http-with-sse and basic/transports/streamable-http).
package sse

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The scenarios of the area.
const (
	SSEEndpoint recording.Name = "sse-endpoint" // the event stream of HTTP+SSE, opened by hand
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{sseEndpointScenario, httpResumeScenario}

// The steps of the area's scripts. "open" opens the stream of HTTP+SSE; "first" and "second", unlike "json",
// are answered by streams, which are asked for again behind the last event ("resume-last"), behind one that
// never was ("resume-unknown", "resume-raised") and in another session ("resume-elsewhere"), where "other"
// has the id of a request of the first one.
const (
	stepOpen, stepFirst, stepSecond, stepOther recording.Step = "open", "first", "second", "other"
	stepLast, stepUnknown, stepElsewhere       recording.Step = "resume-last", "resume-unknown",
		"resume-elsewhere"
	stepJSON, stepListen                   recording.Step = "json", "listen"
	stepThird, stepListenAgain, stepRaised recording.Step = "third", "listen-again", "resume-raised"
)

// The tags of the area's scripts.
const (
	tagURL, tagID recording.Tag = "url", "id"
)

// Checks lists the checks of event streams and of HTTP+SSE (2024-11-05).
var Checks = verdict.Checks{
	"SSE-01": {Judge: eventFraming},
	"SSE-02": {Judge: func(v *verdict.Verdict) { eventMessages(v, "post:", "get:") }},
	"SSE-03": {Judge: func(v *verdict.Verdict) {
		for _, f := range events(v) {
			if f.Parsed().Kind != wire.KindOther {
				v.That(f, forMessages(f), "no event type, or message", "a message in an event of type %s",
					judge.Quote(f.Event.Type))
			}
		}
	}},
	"SSE-04": {Judge: primingEvents},
	"SSE-06": {Judge: uniqueEventIDs},
	"SSE-07": {From: recording.Names{recording.HTTPResume}, Judge: ownReplay},
	"SSE-20": {From: recording.Names{SSEEndpoint},
		Judge: func(v *verdict.Verdict) {
			if x := v.Step(stepOpen); v.Responded(x) {
				v.That(x, x.Status == http.StatusOK && x.EventStream(), "HTTP 200 with text/event-stream",
					"HTTP %d with Content-Type %s to GET", x.Status,
					judge.Quote(x.Header.Get("Content-Type")))
			}
		}},
	"SSE-21": {From: recording.Names{SSEEndpoint}, Judge: endpointEvent},
	"SSE-23": {Judge: answersOnStream},
	"SSE-25": {From: recording.Names{recording.TwoClients}, With: verdict.BothWalks,
		Judge: verdict.SideBySide},
}

// events lists the incoming server-sent events.
func events(v *verdict.Verdict) []*wire.Frame {
	var all []*wire.Frame
	for i := range v.Frames {
		if f := &v.Frames[i]; f.Dir == wire.In && f.Event != nil {
			all = append(all, f)
		}
	}
	return all
}

// forMessages reports whether an event is of the type that messages travel in. What a
// server sends in events of other types, such as a sign of life, is no message.
func forMessages(f *wire.Frame) bool { return f.Event.Type == "" || f.Event.Type == "message" }

// eventFraming: fields, blank lines, UTF-8. A last event that was not ended is
// dropped by every reader (WHATWG HTML#event-stream-interpretation), and may be the work of the network
// where the connection failed.
func eventFraming(v *verdict.Verdict) {
	for _, x := range v.Streamed() {
		_, params, _ := strings.Cut(strings.ToLower(x.Header.Get("Content-Type")), "charset=")
		params = strings.Trim(params, `"' `)
		v.That(x, params == "" || params == "utf-8" || params == "utf8", "UTF-8",
			"the stream is declared to be %s", params)
	}
	for _, f := range events(v) {
		v.Holds()
		for _, flaw := range f.Flaws {
			switch flaw.Code {
			case wire.FlawFraming, wire.FlawUTF8, wire.FlawBOM:
				v.Fail(f, "an event stream by the rules of server-sent events", "%s: %s", flaw.Code,
					flaw.Detail)
			case wire.FlawUnterminated:
				if x := onlyAnswer(v, f); x != nil && !f.HasFlaw(wire.FlawBrokenOff) {
					v.Fail(verdict.Frames{x.Request, f.Number},
						"a blank line after the event with the response", "the stream ended without it, so "+
							"that clients discard the event, and have no response to %s", x.Method).
						Hint("write an empty line after each event, the last one too")
					continue
				}
				v.Observe(f, "unterminated-event", "an event stream ended without the blank line that ends "+
					"its last event")
			}
		}
	}
}

// onlyAnswer is the request whose only response is in an event on the stream of its POST; nil if there is
// none.
func onlyAnswer(v *verdict.Verdict, f *wire.Frame) *recording.Exchange {
	for _, x := range v.Exchanges {
		if len(x.Replies) == 1 && x.Replies[0] == f.Number && strings.HasPrefix(f.Channel, "post:") {
			return x
		}
	}
	return nil
}

// eventMessages: the data of an event on one of the channels is one message.
func eventMessages(v *verdict.Verdict, channels ...string) {
	var priming verdict.Sightings
	defer func() {
		priming.Observe(v, "priming-event",
			"%d event {stream begins|streams begin} with an event without data, as only 2025-11-25 has "+
				"it: clients of other revisions that parse the data of every event trip over it: %s")
	}()
	for _, f := range events(v) {
		ours := slices.ContainsFunc(channels, func(c string) bool { return strings.HasPrefix(f.Channel, c) })
		const expected = "one JSON-RPC message in each event"
		if len(f.Raw) == 0 && f.Event.Lines > 0 && f.Event.HasID && ours &&
			v.Revision() != requirement.R20251125 && answeredOn(v, f) {
			priming.Add(f, "the id %s", judge.Quote(f.Event.ID))
		}
		if len(f.Raw) == 0 || f.Truncated || !ours || !forMessages(f) {
			continue
		}
		v.Holds()
		for _, flaw := range f.Flaws {
			if flaw.Code == wire.FlawNotJSON || flaw.Code == wire.FlawTrailing ||
				flaw.Code == wire.FlawNotObject {
				v.Fail(f, expected, "%s: %s", flaw.Code, wire.Excerpt(f.Raw, 120))
			}
		}
		p := f.Parsed()
		if p.Stray() && !p.Marked { // with jsonrpc, it is RPC-12's
			v.Fail(f, expected, "an object that is none: %s", wire.Excerpt(f.Raw, 120)).
				Warn("no sentence forbids events that hold no message, but clients take what is in those " +
					"without a type for one").
				Hint("give events that are no messages a type of their own, or send a comment (a line that " +
					"begins with a colon)")
		}
		if p.Kind == wire.KindBatch && !p.Marked {
			v.That(f, v.Revision() == requirement.R20250326, expected, "an array: %s",
				wire.Excerpt(f.Raw, 120))
		}
	}
}

// answeredOn reports whether the channel of an event brought the response after it. A
// stream that broke off before needed an id to be resumed by.
func answeredOn(v *verdict.Verdict, e *wire.Frame) bool {
	return slices.ContainsFunc(events(v), func(f *wire.Frame) bool {
		return f.Number > e.Number && f.Session == e.Session && f.Channel == e.Channel &&
			f.Parsed().Kind == wire.KindResponse
	})
}

// primingEvents: the first event of a request's stream has an id and no data. Streams that
// begin otherwise tend to be many, and alike: they are counted by what they begin with.
func primingEvents(v *verdict.Verdict) {
	seen, frames := map[string]bool{}, map[string]verdict.Frames{}
	var beginnings []string // in the order in which they came
	for _, f := range events(v) {
		channel := f.Session + " " + f.Channel
		if seen[channel] || !strings.HasPrefix(f.Channel, "post:") {
			continue
		}
		seen[channel] = true
		if f.Event.HasID && len(f.Raw) == 0 {
			v.Holds()
			continue
		}
		begins := beginning(f)
		if frames[begins] == nil {
			beginnings = append(beginnings, begins)
		}
		frames[begins] = append(frames[begins], f.Number)
	}
	for _, begins := range beginnings {
		const shown = 3
		all := frames[begins]
		count := "a stream begins"
		if len(all) > 1 {
			count = strconv.Itoa(len(all)) + " streams begin"
		}
		v.Fail(all[:min(len(all), shown)], "a first event with an id and without data", "%s with %s", count,
			begins)
	}
}

// beginning says what the first event of a stream is, in words that are the same for all
// of a kind.
func beginning(f *wire.Frame) string {
	id := "without an id"
	if f.Event.HasID {
		id = "with an id"
	}
	switch f.Parsed().Kind {
	case wire.KindResponse:
		return "a response, in an event " + id
	case wire.KindRequest:
		return "a request, in an event " + id
	case wire.KindNotification:
		return "a notification, in an event " + id
	}
	if len(f.Raw) == 0 {
		return "an event without data and " + id
	}
	return "something else, in an event " + id
}

// uniqueEventIDs: no two events of a session share an id, replays apart.
func uniqueEventIDs(v *verdict.Verdict) {
	seen := map[string]*wire.Frame{}
	for _, f := range events(v) {
		if !f.Event.HasID || f.Event.ID == "" || v.Resumes(f) != "" {
			continue
		}
		key := f.Session + "\x00" + f.Event.ID
		other := seen[key]
		if other == nil {
			seen[key] = f
			v.Holds()
			continue
		}
		if len(f.Raw) == 0 && other.Channel == f.Channel {
			continue // nothing but a reminder of the last id, say with a retry time
		}
		known := v.Session(f.Session)
		v.Fail(verdict.Several{other, f}, "event ids that differ within a session",
			"the id %s occurs on %s and on %s", judge.Quote(f.Event.ID), other.Channel, f.Channel).
			WarnIf(known == nil || known.Initialize == nil ||
				known.Initialize.Header.Get("Mcp-Session-Id") == "")
	}
}

// elsewhere is the cause of all that is wrong with a replay: which of it shows first depends on what a
// revision has of streams.
const elsewhere = "a stream that is resumed brings what belongs elsewhere"

// ownReplay: what is replayed belongs to the stream that was named.
func ownReplay(v *verdict.Verdict) {
	ofRequests(v)
	second, resumed := v.Step(stepSecond), v.Step(recording.StepResume)
	if second == nil || resumed == nil || resumed.Status == 0 {
		v.NotExercised("no stream was resumed")
		return
	}
	if slices.ContainsFunc(v.Steps(stepLast, stepUnknown, stepElsewhere), func(x *recording.Exchange) bool {
		return x.Status == 0
	}) {
		v.NotExercised("a stream was asked for again, and no response began in time, so that what it " +
			"brings is not known")
	} else {
		v.Holds()
	}
	sentElsewhere(v.Step(stepElsewhere), v, v.Steps(stepFirst, stepSecond)...)
	for _, x := range v.Steps(recording.StepResume, stepLast) {
		sentElsewhere(x, v, v.Steps(stepOther)...)
	}
	ofNobody(v)
	receivedAgain(v)
	ids := map[string]bool{}
	for _, n := range second.Evidence() {
		if f := v.Frame(n); f != nil && f.Event != nil && f.Event.HasID {
			ids[f.Event.ID] = true
		}
	}
	for _, x := range v.Steps(recording.StepResume, stepLast) {
		for _, f := range replayed(v, x) {
			all := f.Parsed().Messages
			strange := f.Event.HasID && ids[f.Event.ID] && sentOn(v, second, f) &&
				!sentOn(v, v.Step(stepFirst), f) ||
				len(all) == 1 && all[0].HasID(second.ID) && !all[0].Get("method").Exists()
			if strange {
				v.Fail(slices.Concat(namedEvent(v, x), second.Evidence(), []int{x.Request, f.Number}),
					"only messages of the stream that is resumed", "a message of another stream: %s",
					wire.Excerpt(f.Raw, 100)).Cause(elsewhere)
				return // it replays one, or all of them
			}
		}
	}
}

// ofRequests: what goes on from a stream that was opened by GET brings no responses, which belong to the
// streams of their requests.
func ofRequests(v *verdict.Verdict) {
	x := v.Step(stepListenAgain)
	if x == nil || x.Status == 0 {
		return
	}
	for _, f := range replayed(v, x) {
		if f.Parsed().Kind == wire.KindResponse {
			v.Fail(verdict.Frames{x.Request, f.Number}, "only messages of the stream that is resumed",
				"a response, which belongs to the stream of its request, on one that GET had opened: %s",
				wire.Excerpt(f.Raw, 100)).Cause(elsewhere)
			return
		}
	}
}

// sentOn reports whether an event holds what was sent on the stream of a request: where two streams number
// their events alike, its id does not tell. That it does not is SSE-06's. What a server adds when a stream
// goes on, as its own notification, was sent on none.
func sentOn(v *verdict.Verdict, x *recording.Exchange, f *wire.Frame) bool {
	return x != nil && slices.ContainsFunc(x.Evidence(), func(n int) bool {
		own := v.Frame(n)
		return own != nil && own.Dir == wire.In && len(f.Raw) > 0 && bytes.Equal(own.Raw, f.Raw)
	})
}

// receivedAgain remarks upon events that a client named, or that came before them: a stream goes on after
// the one that is named, but no sentence forbids to send more of it.
func receivedAgain(v *verdict.Verdict) {
	received := map[string]int{}
	for _, n := range v.Step(stepFirst).Evidence() {
		if f := v.Frame(n); f != nil && f.Event != nil && f.Event.HasID && len(f.Raw) > 0 {
			received[f.Event.ID] = n
		}
	}
	for _, x := range v.Steps(recording.StepResume, stepLast) {
		named := namedEvent(v, x)
		for _, f := range replayed(v, x) {
			if n := received[f.Event.ID]; n > 0 && len(f.Raw) > 0 && len(named) > 0 &&
				n <= slices.Max(named) {
				v.Observe(verdict.Several{named, verdict.Frames{x.Request}, f}, "event-replayed-again",
					"the event %s comes once more, although Last-Event-ID, %s, says that it was received: "+
						"a stream goes on after the event that is named", judge.Quote(f.Event.ID),
					judge.Quote(x.Tags[tagID]))
				return
			}
		}
	}
}

// ofNobody: an id that no event had names no stream, so that there is nothing to replay. Responses
// belong to the streams of their requests; one with an id that no request had belongs to none.
func ofNobody(v *verdict.Verdict) {
	x := v.Step(stepUnknown)
	for _, f := range replayed(v, x) {
		p := f.Parsed()
		if p.Kind == wire.KindResponse && slices.ContainsFunc(v.Exchanges,
			func(x *recording.Exchange) bool { return p.Messages[0].HasID(x.ID) }) {
			v.Fail(verdict.Frames{x.Request, f.Number}, "no messages of other streams to an id that no "+
				"event had", "a response that belongs to another stream: %s", wire.Excerpt(f.Raw, 100)).
				Cause(elsewhere).Hint("take an event that is not known for none, and replay nothing")
			return
		}
	}
}

// namedEvent are the frames that show where the Last-Event-ID of a request for a stream is from: the
// request whose stream it was, and the event.
func namedEvent(v *verdict.Verdict, resumed *recording.Exchange) verdict.Frames {
	first := v.Step(stepFirst)
	if first == nil {
		return nil
	}
	for _, n := range first.Evidence() {
		if f := v.Frame(n); f != nil && f.Event != nil && f.Event.HasID && f.Event.ID == resumed.Tags[tagID] {
			return verdict.Frames{first.Request, n}
		}
	}
	return nil
}

// sentElsewhere: a stream that is resumed brings no responses that were sent to another session; the
// same notification may have been sent to all of them.
func sentElsewhere(x *recording.Exchange, v *verdict.Verdict,
	others ...*recording.Exchange) {
	for _, theirs := range others {
		for _, n := range theirs.Replies {
			sent := v.Frame(n)
			if sent == nil || x == nil || sent.Session == x.Session {
				continue
			}
			for _, f := range replayed(v, x) {
				if bytes.Equal(f.Whole(), sent.Whole()) && !brought(v, x, f) {
					v.Fail(append(namedEvent(v, x), theirs.Request, n, x.Request, f.Number),
						"nothing of the streams of another session", "what was sent to the session that "+
							"made the request: %s", wire.Excerpt(f.Raw, 100)).Cause(elsewhere).
						Hint("look for the event in the session that Mcp-Session-Id names")
					return
				}
			}
		}
	}
}

// brought reports whether the session of a request had got the same message before.
func brought(v *verdict.Verdict, x *recording.Exchange, f *wire.Frame) bool {
	return slices.ContainsFunc(events(v), func(own *wire.Frame) bool {
		return own.Session == x.Session && own.Number < x.Request && bytes.Equal(own.Whole(), f.Whole())
	})
}

// replayed are the events on the stream that a GET resumes.
func replayed(v *verdict.Verdict, x *recording.Exchange) []*wire.Frame {
	if x == nil || x.Status != http.StatusOK {
		return nil
	}
	request := v.Frame(x.Request)
	return slices.DeleteFunc(events(v), func(f *wire.Frame) bool {
		return request == nil || f.Channel != request.Channel || f.Session != x.Session ||
			f.Number < x.Request
	})
}

// endpointEvent: it comes, and its data is a URI.
func endpointEvent(v *verdict.Verdict) {
	x := v.Step(stepOpen)
	if !v.Responded(x) {
		return
	}
	if x.Status != http.StatusOK || !x.EventStream() {
		v.NotExercised("there is no event stream")
		return
	}
	// clients drop what has no data
	dispatched := slices.DeleteFunc(events(v), func(f *wire.Frame) bool { return len(f.Raw) == 0 })
	for i, f := range dispatched {
		if f.Event.Type != "endpoint" {
			continue
		}
		if i > 0 {
			v.Observe(f, "endpoint-not-first", plural.Of(i,
				"%d {event comes|events come} before the endpoint event, without which no client can "+
					"send anything"), i)
		}
		base, err := url.Parse(x.Tags[tagURL])
		if err != nil {
			return // our own address; it was dialled
		}
		text := strings.TrimSpace(string(f.Raw))
		u, err := base.Parse(text)
		usable := text != "" && err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" &&
			!strings.ContainsAny(text, " {}\"<>")
		if v.That(f, usable, "a URI as the data of the endpoint event", "the data is %s",
			wire.Excerpt(f.Raw, 120)).Held() && !wire.SameOrigin(u, base) {
			v.Observe(f, "endpoint-elsewhere", "the endpoint event names an address of another origin than "+
				"that of the stream, %s, which was not called: messages and credentials would go there", text)
		}
		return
	}
	v.Fail(x, "an endpoint event", "none came on the event stream")
}

// answersOnStream: posts are accepted, and answered by message events.
func answersOnStream(v *verdict.Verdict) {
	v.ObserveFraming()
	eventMessages(v, "sse")
	for _, f := range events(v) {
		if f.Channel == "sse" && f.Parsed().Kind != wire.KindOther {
			v.That(f, forMessages(f), "messages in events of type message", "an event of type %s",
				judge.Quote(f.Event.Type))
		}
	}
	for _, x := range v.Exchanges {
		if len(x.ID) == 0 || x.Outcome == recording.Lost || !v.Responded(x) &&
			x.Outcome != recording.Replied {
			continue // to a session that has ended no message is sent; that it ends is RPC-09's
		}
		v.That(x, x.Outcome == recording.Replied || x.Status < 400, "the message to be accepted",
			"HTTP %d to %s at the address of the endpoint event", x.Status, x.Method)
		onStream, inBody := 0, 0
		for _, n := range x.Replies {
			if f := v.Frame(n); f != nil && f.Channel == "sse" {
				onStream++
			} else if f != nil {
				inBody = n
			}
		}
		if inBody > 0 {
			v.Fail(x, "the answer on the event stream", "the answer to %s in the response to the POST",
				x.Method).WarnIf(onStream > 0)
		}
	}
}
