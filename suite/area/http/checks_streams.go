package http

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The checks of Streamable HTTP, event streams.
var httpStreamsChecks = verdict.Checks{
	"HTTP-02": {From: recording.Names{HTTPStreams, recording.HTTPResume},
		Judge: verdict.InScenario(HTTPStreams, getStream, resumedStreams)},
	"HTTP-08": {Judge: func(v *verdict.Verdict) {
		for _, x := range v.Streamed() {
			if x.Method != "subscriptions/listen" && (x.Outcome == recording.Replied ||
				x.Outcome == recording.HTTPOnly) {
				v.That(x, x.Outcome == recording.Replied, "the response in the event stream that "+
					"answers the request", "the event stream that answers %s ended without it", x.Method)
			}
		}
	}},
	"HTTP-09": {From: recording.Names{HTTPStreams},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Streamed() {
				if x.Outcome == recording.Replied {
					v.That(x, x.Tags[recording.TagOpen] == "", "the event stream to end after the response",
						"the stream that answers %s by %s was still open two seconds later", x.Method,
						map[bool]string{true: "an error",
							false: "a result"}[x.Failed()])
				}
			}
		}},
	"HTTP-10": {Judge: relatedMessages},
	"HTTP-11": {From: recording.Names{HTTPStreams, recording.Everything},
		Judge: noResponsesOnGet},
	"HTTP-12": {From: recording.Names{HTTPBroadcast, recording.SelfChanges,
		recording.Everything}, With: recording.Names{recording.Changes},
		Judge: verdict.InScenario(recording.SelfChanges, noBroadcastByItself,
			verdict.InScenario(recording.Everything, onOwnStream, noBroadcast))},
	"HTTP-31": {From: recording.Names{HTTPHeaders, recording.Everything},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Streamed() {
				got := x.Header.Get("X-Accel-Buffering")
				v.That(x, strings.EqualFold(got, "no"), "X-Accel-Buffering: no on event streams",
					"the header is %s on the stream that answers %s", judge.Quote(got), x.Method)
			}
		}},
	"HTTP-39": {From: recording.Names{HTTPStreams}, Declared: true, Judge: deliveryChannel},
	"HTTP-40": {From: recording.Names{HTTPStreams}, Judge: foreignProgress},
}

// opened reports whether a GET opened an event stream; if not, it says so.
func opened(x *recording.Exchange, v *verdict.Verdict) bool {
	if x == nil || x.Status == 0 {
		v.NotExercised("no stream was opened by GET")
		return false
	}
	if x.Status != http.StatusOK || !x.EventStream() {
		v.NotExercised("the target offers no stream by GET (HTTP %d)", x.Status)
		return false
	}
	return true
}

// noResponsesOnGet: responses come on the streams of their requests, whatever was asked while a stream by GET
// stood.
func noResponsesOnGet(v *verdict.Verdict) {
	if v.Scenario == HTTPStreams {
		if !opened(v.Step(stepGet), v) {
			return
		}
		v.Holds()
	}
	for i := range v.Frames {
		f := &v.Frames[i]
		if f.Dir != wire.In || !strings.HasPrefix(f.Channel, "get:") || f.Parsed().Marked {
			continue
		}
		for _, m := range f.Parsed().Messages {
			// a notification with a null result is RPC-12's
			if (m.Get("result").Exists() || m.Get("error").Exists()) &&
				m.Get("method").Type != gjson.String && v.OnGet(f) {
				v.Fail(verdict.Several{askedBy(v, recording.Message{Message: &m, Frame: f}), f},
					"no responses on the stream opened by GET", "a response to request %v", m.Get("id"))
			}
		}
	}
}

// askedBy is the frame of the request of its session that a response answers, if there is one.
func askedBy(v *verdict.Verdict, m recording.Message) verdict.Frames {
	sent := recording.Keep(v.Exchanges,
		func(x *recording.Exchange) bool { return x.Session == m.Frame.Session })
	if x := m.Asker(sent); x != nil {
		return verdict.Frames{x.Request}
	}
	return nil
}

// resumedStreams: a GET that names an event has a response, whether or not there was one.
func resumedStreams(v *verdict.Verdict) {
	for _, x := range v.Exchanges {
		if id, named := x.Tags["id"]; named && cutOff(x, "GET with the Last-Event-ID "+judge.Quote(id), v) {
			return
		}
	}
}

// cutOff reports, and states, that the connection ended without a response to a GET, which refuses nothing.
func cutOff(x *recording.Exchange, about string, v *verdict.Verdict) bool {
	if x.Outcome != recording.Lost || x.Status > 0 || x.Request == 0 {
		return false
	}
	v.Fail(x, "text/event-stream, or HTTP 405", "%v to %s", x, about).
		Cause("the connection ends over a GET").
		Hint("answer a GET that is refused with an HTTP status, also where Last-Event-ID names no event")
	return true
}

// getStream: an event stream, or 405.
func getStream(v *verdict.Verdict) {
	x := v.Step(stepGet)
	if x == nil {
		v.NotExercised("no stream was opened by GET")
		return
	}
	const expected = "text/event-stream, or HTTP 405"
	silent, end := x.Status == 0 && x.Outcome == recording.Sent, v.Step(scenario.StepDelete)
	if silent || x.Tags[tagLate] != "" { // no text sets a time
		v.Observe(x, "late-stream-head", "GET had no response after a second: clients that wait for its "+
			"head do not know whether there is a stream")
	}
	switch {
	case silent && end != nil && end.Status/100 == 2: // the stream would have ended with the session
		v.Fail(verdict.Several{x, end}, expected, "no response to GET, not even when the session had ended").
			Warn()
		return
	case cutOff(x, "GET", v):
		return
	case silent:
		v.NotExercised("GET was not answered in time, for which there is no limit of the specification's")
		return
	}
	if !v.Responded(x) {
		return
	}
	if x.Status == http.StatusOK {
		v.That(x, x.EventStream(), expected, "HTTP 200 with Content-Type %s to GET",
			judge.Quote(x.Header.Get("Content-Type")))
		return
	}
	about := x.Status == http.StatusForbidden || x.Status == http.StatusConflict ||
		x.Status == http.StatusNotFound && v.Step(recording.StepList).Status == http.StatusNotFound
	v.That(x, x.Status == http.StatusMethodNotAllowed || about, expected, "HTTP %d to GET", x.Status)
}

// relatedMessages: the stream that answers a request carries no notification of
// another matter.
func relatedMessages(v *verdict.Verdict) {
	for _, x := range v.Streamed() {
		if x.Method == "subscriptions/listen" {
			continue
		}
		v.Holds()
		for _, n := range x.Others {
			f := v.Frame(n)
			if f == nil {
				continue
			}
			m := gjson.ParseBytes(f.Raw)
			method := m.Get("method").String()
			stray := strings.HasSuffix(method, "/list_changed") || method == "notifications/resources/updated"
			if method == "notifications/progress" {
				own := x.Param("_meta.progressToken")
				stray = m.Get("params.progressToken").Raw != own.Raw
			}
			stray = stray && (v.Modern() || !causes(x, m))
			v.That(verdict.Frames{x.Request, n}, !stray, "only what belongs to the request on its stream",
				"%s on the stream that answers %s", method, x.Method)
		}
	}
}

// causes reports whether a request may be why there is a notification, so that it relates to it: what a tool
// changes, and what there is to say to who begins to watch a resource.
func causes(x *recording.Exchange, m gjson.Result) bool {
	return x.Method == "tools/call" || x.Method == "resources/subscribe" &&
		m.Get("method").Str == "notifications/resources/updated" &&
		m.Get("params.uri").Str == x.Param("uri").Str
}

// noBroadcast: one change is told on one stream.
func noBroadcast(v *verdict.Verdict) {
	mark, ok := v.Mark(markTriggered)
	one, two := v.Step(stepGet1), v.Step(stepGet2)
	if !opened(one, v) || !opened(two, v) {
		return
	}
	if !ok {
		v.NotExercised("the subscription was refused, or a second stream ended the first")
		return
	}
	notes := v.Notifications("notifications/resources/updated", mark.After)
	if len(notes) == 0 {
		v.NotExercised("no update came after triggers.update")
		return
	}
	v.Holds()
	if repeated(v) {
		return // two streams may have shared what is sent twice
	}
	for i, a := range notes {
		for _, b := range notes[:i] {
			v.That(verdict.Several{b, a},
				a.Channel == b.Channel || a.Session != b.Session || !bytes.Equal(a.Raw, b.Raw),
				"each message on one stream only", "the same notification came on %s and on %s", b.Channel,
				a.Channel)
		}
	}
}

// repeated reports whether one change was told more than once to a session with a single stream.
func repeated(v *verdict.Verdict) bool {
	r := v.Input(recording.Changes)
	if r == nil {
		return false
	}
	mark, _ := r.Mark(recording.MarkUpdate)
	told := map[string]int{}
	for _, h := range verdict.Only(r.Hear(r.Watcher(), mark.After), verdict.Updated) {
		if slices.ContainsFunc(r.Marks, func(m recording.Mark) bool {
			return m.After > mark.After && m.After < h.Frame.Number
		}) {
			break // of the next change
		}
		told[string(h.Frame.Raw)]++
	}
	return slices.ContainsFunc(slices.Collect(maps.Values(told)), func(n int) bool { return n > 1 })
}

// onOwnStream: what belongs to a request, its response and its progress, does not come on another stream as
// well. Responses on a stream by GET are HTTP-11's.
func onOwnStream(v *verdict.Verdict) {
	type place struct{ session, channel string }
	asked := map[place]*recording.Exchange{}
	for _, x := range v.Exchanges {
		if f := v.Frame(x.Request); f != nil && len(x.ID) > 0 {
			asked[place{x.Session, f.Channel}] = x
		}
	}
	own, foreign := map[place]int{}, []*wire.Frame(nil) // by what was sent
	for _, m := range v.Received() {
		f, token := m.Frame, m.Get("params.progressToken")
		response, onGet := m.Kind == wire.KindResponse, strings.HasPrefix(f.Channel, "get:")
		if f.Event == nil || !response && (m.Method() != "notifications/progress" || !token.Exists()) ||
			response && onGet || v.Resumes(f) != "" {
			continue
		}
		x := asked[place{f.Session, f.Channel}]
		switch {
		case x != nil && (response && m.HasID(x.ID) || !response &&
			x.Param("_meta.progressToken").Raw == token.Raw):
			own[place{f.Session, string(f.Raw)}] = f.Number
		case x != nil || onGet:
			foreign = append(foreign, f)
		}
	}
	for _, f := range foreign {
		if n := own[place{f.Session, string(f.Raw)}]; n > 0 {
			v.Fail(verdict.Several{verdict.Frames{n}, f}, "each message on one stream only",
				"what came on the stream of its own request came on %s as well: %s", f.Channel,
				wire.Excerpt(f.Raw, 100))
		}
	}
}

// noBroadcastByItself: the updates of a resource that changes by itself do not come on two streams in
// step. Each has its fellow on the other stream, much nearer than any two on the same stream are.
func noBroadcastByItself(v *verdict.Verdict) {
	mark, ok := v.Mark(scenario.MarkDoubled)
	one, two := v.Step(recording.StepStream), v.Step(scenario.StepSecondStream)
	if !ok || one == nil || two == nil || v.Frame(one.Request) == nil || v.Frame(two.Request) == nil {
		v.Skip(recording.CodeNeedsConfig, "nothing changed by itself, again and again, while two streams "+
			"were open: say in the target file how to make a resource change (triggers.update)")
		return
	}
	came := map[string][]*wire.Frame{}
	for _, f := range v.Notifications("notifications/resources/updated", mark.After) {
		came[f.Channel] = append(came[f.Channel], f)
	}
	first, second := came[v.Frame(one.Request).Channel], came[v.Frame(two.Request).Channel]
	if len(first)+len(second) == 0 {
		v.NotExercised("no update came while two streams were open")
		return
	}
	v.Holds()
	const least = 2
	if n := min(len(first), len(second)); n < least || len(first)+len(second)-2*n > 1 {
		return
	}
	var frames verdict.Frames
	for i := range min(len(first), len(second)) {
		if i > 0 && 4*abs(first[i].At-second[i].At) > first[i].At-first[i-1].At ||
			!bytes.Equal(first[i].Raw, second[i].Raw) {
			return // streams may share what changes at the same time
		}
		frames = append(frames, first[i].Number, second[i].Number)
	}
	v.That(frames, 4*abs(first[0].At-second[0].At) > first[1].At-first[0].At,
		"each message on one stream only", "the same notifications came on two streams at the same time")
}

func abs(d time.Duration) time.Duration { return max(d, -d) }

// deliveryChannel: what is announced can arrive.
func deliveryChannel(v *verdict.Verdict) {
	if !v.Facts.Capability("resources.subscribe").Bool() &&
		!v.Facts.Capability("resources.listChanged").Bool() {
		v.Skip(recording.CodeUndeclared, "the target declares neither resources.subscribe nor "+
			"resources.listChanged")
		return
	}
	x := v.Step(stepGet)
	if x == nil || x.Status == 0 {
		v.NotExercised("no stream was opened by GET")
		return
	}
	v.That(x, x.Status != http.StatusMethodNotAllowed, "a stream by GET, on which the declared "+
		"notifications can arrive", "HTTP 405 to GET")
}

// foreignProgress: the progress of a request comes on its own stream, if it has one.
func foreignProgress(v *verdict.Verdict) {
	if !opened(v.Step(stepGet), v) {
		return
	}
	for _, x := range v.Steps(recording.StepRead, stepSlow) {
		token := x.Param("_meta.progressToken")
		if !judge.IsString(token) || !x.EventStream() {
			continue // a plain answer leaves no other way
		}
		v.Holds()
		for _, f := range v.Notifications("notifications/progress", 0) {
			if gjson.GetBytes(f.Raw, "params.progressToken").Raw == token.Raw && v.OnGet(f) {
				v.Fail(verdict.Several{verdict.Frames{x.Request}, f},
					"progress on the stream that answers the request",
					"progress of %s on the stream opened by GET", x.Method)
			}
		}
	}
}
