package check

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

const (
	listOf     = `{"resources":[]}`
	mismatched = `{"code":-32020,"message":"Header mismatch"}`
)

// over is a line that came over HTTP.
func httpLine(step string, status int, l rt.Line) rt.Line {
	l.Step, l.Status = step, status
	if l.Method == "" && l.ID == "" {
		l.Method = "resources/list"
	}
	if l.Outcome == "" && l.Result == "" && l.Error == "" && l.Reply == "" {
		l.Outcome = recording.HTTPOnly
	}
	return l
}

// mime adds a Content-Type.
func mime(kind string, l rt.Line) rt.Line {
	l.Header = http.Header{"Content-Type": {kind}}
	return l
}

func withTags(l rt.Line, pairs ...string) rt.Line {
	l.Tags = map[string]string{}
	for i := 0; i+1 < len(pairs); i += 2 {
		l.Tags[pairs[i]] = pairs[i+1]
	}
	return l
}

var (
	okList    = rt.Line{Result: listOf}
	headerErr = rt.Line{Error: mismatched}
	noMessage = rt.Line{}
	oneway    = rt.Line{ID: "-", Method: "notifications/cancelled", Outcome: recording.Sent}
)

func withCode(code string) rt.Line { return rt.Line{Error: `{"code":` + code + `,"message":"no"}`} }

func TestHeaderChecks(t *testing.T) {
	var runs []run
	for id, step := range map[string]string{"HTTP-15": "no-version", "HTTP-20": "no-method", "HTTP-21": "other-method",
		"HTTP-22": "no-name", "HTTP-23": "other-name", "HTTP-27": "method-case"} {
		runs = append(runs,
			run{id, Pass, lines(httpLine(step, 400, headerErr))},
			run{id, Fail, lines(httpLine(step, 200, okList))},
			run{id, Fail, lines(httpLine(step, 200, headerErr))},
			run{id, Fail, lines(httpLine(step, 400, noMessage))},
			run{id, Blocked, lines(httpLine(step, 0, rt.Line{Outcome: recording.Lost}))},
			run{id, NotApplicable, lines(httpLine(step, 401, noMessage))})
	}
	runs = append(runs, []run{
		{"HTTP-03", Pass, lines(httpLine("get", 405, noMessage), httpLine("delete", 405, noMessage))},
		{"HTTP-03", Warn, lines(httpLine("get", 405, noMessage), httpLine("delete", 204, noMessage))},
		{"HTTP-03", Warn, lines(httpLine("get", 200, rt.Line{Outcome: recording.Sent}), httpLine("delete", 405, noMessage))},
		{"HTTP-16", Pass, lines(httpLine("mismatch", 400, headerErr))},
		{"HTTP-16", Warn, lines(httpLine("mismatch", 400, withCode("-32022")))},
		{"HTTP-16", Fail, lines(httpLine("mismatch", 200, okList))},
		{"HTTP-17", Pass, lines(httpLine("unsupported-version", 400, withCode("-32022")))},
		{"HTTP-17", Fail, lines(httpLine("unsupported-version", 200, withCode("-32022")))},
		{"HTTP-18", Pass, lines(httpLine("unknown-method", 404, withCode("-32601")))},
		{"HTTP-18", Fail, lines(httpLine("unknown-method", 404, noMessage))},
		{"HTTP-19", Pass, lines(httpLine("no-capabilities", 400, withCode("-32602")))},
		{"HTTP-19", Fail, lines(httpLine("no-capabilities", 200, withCode("-32602")))},
		{"HTTP-24", Pass, lines(httpLine("encoded-name", 200, okList))},
		{"HTTP-24", Fail, lines(httpLine("encoded-name", 400, headerErr))},
		{"HTTP-25", Pass, lines(httpLine("broken-name", 400, noMessage), httpLine("wrong-name", 400, headerErr))},
		{"HTTP-25", Fail, lines(httpLine("broken-name", 200, okList), httpLine("wrong-name", 400, headerErr))},
		{"HTTP-26", Pass, lines(httpLine("spelling", 200, okList))},
		{"HTTP-26", Fail, lines(httpLine("spelling", 400, headerErr))},
		{"HTTP-28", Pass, lines(httpLine("nameless", 200, okList))},
		{"HTTP-28", Pass, lines(httpLine("nameless", 404, withCode("-32601")))},
		{"HTTP-28", Fail, lines(httpLine("nameless", 400, headerErr))},
		{"HTTP-29", Pass, lines(httpLine("session-header", 200, okList), httpLine("last-event", 200, okList))},
		{"HTTP-29", Warn, lines(httpLine("session-header", 404, noMessage), httpLine("last-event", 200, okList))},
		{"HTTP-34", Pass, lines(httpLine("no-method", 400, headerErr))},
		{"HTTP-34", Fail, lines(httpLine("no-method", 400, rt.Line{Reply: `{"jsonrpc":"2.0","error":` + mismatched + `}`}))},
		{"HTTP-61", Pass, lines(httpLine("no-version-meta", 400, withCode("-32602")), httpLine("no-meta", 400, noMessage))},
		{"HTTP-61", Fail, lines(httpLine("no-version-meta", 200, okList), httpLine("no-meta", 400, noMessage))},
	}...)
	walkRuns(t, recording.HTTPHeaders, `{"resources":{}}`, runs)
}

// Where nothing is listed, reads of what is not served show how names are treated.
func TestNamesWithoutAnythingToRead(t *testing.T) {
	unlisted := func(step string, status int, l rt.Line) rt.Line {
		l.Method = "resources/read"
		return withTags(httpLine(step, status, l), "unlisted", "yes")
	}
	missing := withCode("-32602")
	plain := unlisted("unlisted-read", 200, missing)
	walkRuns(t, recording.HTTPHeaders, `{"resources":{}}`, []run{
		{"HTTP-22", Pass, lines(plain, unlisted("no-name", 400, headerErr))},
		{"HTTP-22", Warn, lines(plain, unlisted("no-name", 200, missing))},
		{"HTTP-22", NotApplicable, lines(unlisted("unlisted-read", 400, headerErr), unlisted("no-name", 400, headerErr))},
		{"HTTP-22", NotApplicable, lines(unlisted("unlisted-read", 404, withCode("-32601")), unlisted("no-name", 400, headerErr))},
		{"HTTP-23", Pass, lines(plain, unlisted("other-name", 400, headerErr))},
		{"HTTP-23", Warn, lines(plain, unlisted("other-name", 200, missing))},
		{"HTTP-24", Pass, lines(plain, unlisted("encoded-name", 200, missing))},
		{"HTTP-24", Fail, lines(plain, unlisted("encoded-name", 400, headerErr))},
		{"HTTP-24", NotApplicable, lines(unlisted("unlisted-read", 400, headerErr), unlisted("encoded-name", 400, headerErr))},
		{"HTTP-25", Pass, lines(plain, unlisted("broken-name", 400, noMessage), unlisted("wrong-name", 400, headerErr))},
		{"HTTP-25", Warn, lines(plain, unlisted("broken-name", 200, missing), unlisted("wrong-name", 400, headerErr))},
	})
}

func TestStatusChecks(t *testing.T) {
	body := func(raw string, l rt.Line) rt.Line {
		l.Incoming = []string{raw}
		return l
	}
	walkRuns(t, recording.HTTPStatuses, `{"resources":{}}`, []run{
		{"HTTP-01", Pass, lines(httpLine("list", 200, okList), httpLine("notify", 202, oneway), httpLine("list-after", 200, okList))},
		{"HTTP-05", Pass, lines(httpLine("notify", 202, oneway))},
		{"HTTP-05", Fail, lines(httpLine("notify", 200, oneway))},
		{"HTTP-05", Fail, lines(httpLine("notify", 202, body(`{}`, oneway)))},
		{"HTTP-05", NotApplicable, lines(httpLine("notify", 400, oneway))},
		{"HTTP-06", Pass, lines(httpLine("refused", 404, body(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, oneway)))},
		{"HTTP-06", Pass, lines(httpLine("malformed", 202, oneway))},
		{"HTTP-06", Fail, lines(httpLine("refused", 200, body(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`, oneway)))},
		{"HTTP-06", Fail, lines(httpLine("refused", 404, body(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`, oneway)))},
		{"HTTP-06", Warn, lines(httpLine("malformed", 200, body(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`, oneway)))},
		{"HTTP-32", Pass, lines(httpLine("list", 200, okList), withTags(httpLine("accept", 200, okList), "form", "order"))},
		{"HTTP-32", Fail, lines(httpLine("list", 200, okList), withTags(httpLine("accept", 406, noMessage), "form", "order"))},
		{"HTTP-32", Warn, lines(httpLine("list", 200, okList), withTags(httpLine("accept", 406, noMessage), "form", "quality"))},
		{"HTTP-32", Warn, lines(httpLine("list", 200, okList), httpLine("charset", 415, noMessage))},
		{"HTTP-32", NotApplicable, lines(httpLine("list", 400, noMessage), withTags(httpLine("accept", 400, noMessage), "form", "order"))},
		{"HTTP-36", Pass, lines(httpLine("body", 400, noMessage))},
		{"HTTP-36", Warn, lines(httpLine("body", 500, noMessage))},
		{"HTTP-36", Warn, lines(httpLine("body", 0, rt.Line{Outcome: recording.Lost, Fatal: true}))},
	})
	elsewhere := lines(httpLine("list", 200, okList), httpLine("notify", 404, oneway), httpLine("list-after", 200, okList))
	walkRuns(t, recording.HTTPStatuses, `{"resources":{}}`, []run{{"HTTP-01", Fail, elsewhere}}, requirement.R20250326, requirement.R20251125)
	walkRuns(t, recording.HTTPStatuses, `{"resources":{}}`, []run{{"HTTP-01", Pass, elsewhere}}, requirement.R20260728)
}

func TestSessionChecks(t *testing.T) {
	open := func(id string) rt.Line {
		return rt.Line{Method: "initialize", Step: "initialize", Status: 200, Result: `{}`, Header: http.Header{"Mcp-Session-Id": {id}}, Session: id}
	}
	a, b := open("0123456789abcdef-a"), open("0123456789abcdef-b")
	use := func(name string, status int) rt.Line {
		return withTags(httpLine("use", status, noMessage), "session", name)
	}
	walkRuns(t, recording.HTTPSessions, `{"resources":{}}`, []run{
		{"HTTP-13", Pass, lines(httpLine("bad-version", 400, noMessage))},
		{"HTTP-13", NotApplicable, lines(httpLine("bad-version", 404, noMessage))},
		{"HTTP-13", Fail, lines(httpLine("bad-version", 200, okList))},
		{"HTTP-14", Pass, lines(httpLine("no-version", 200, okList))},
		{"HTTP-14", Warn, lines(httpLine("no-version", 400, noMessage))},
		{"HTTP-60", Pass, lines(httpLine("get-bad-version", 405, noMessage), httpLine("delete-bad-version", 400, noMessage))},
		{"HTTP-60", Fail, lines(mime("text/event-stream", httpLine("get-bad-version", 200, rt.Line{Outcome: recording.Sent})))},
		{"HTTP-60", Fail, lines(httpLine("delete-bad-version", 204, noMessage))},
		{"HTTP-60", NotApplicable, lines(mime("text/html", httpLine("get-bad-version", 200, noMessage)))},
		{"SESS-01", Pass, lines(a, b)},
		{"SESS-01", Fail, lines(open("a b"))},
		{"SESS-01", NotApplicable, lines(httpLine("use", 200, okList))},
		{"SESS-02", Pass, lines(a, b)},
		{"SESS-02", Warn, lines(open("1"), open("2"))},
		{"SESS-02", Warn, lines(open("10000000000000001"), open("10000000000000002"))},
		{"SESS-03", Pass, lines(a, httpLine("without-id", 400, noMessage))},
		{"SESS-03", Pass, lines(a, httpLine("without-id", 200, okList))},
		{"SESS-03", Warn, lines(a, httpLine("without-id", 500, noMessage))},
		{"SESS-04", Pass, lines(a, httpLine("delete", 204, noMessage), httpLine("after-delete", 200, okList), httpLine("after-delete", 404, noMessage))},
		{"SESS-04", NotApplicable, lines(a, httpLine("delete", 405, noMessage))},
		{"SESS-04", Fail, lines(a, httpLine("delete", 200, noMessage), httpLine("after-delete", 400, noMessage))},
		{"SESS-05", Pass, lines(a, httpLine("unknown-id", 404, noMessage))},
		{"SESS-05", Warn, lines(a, httpLine("unknown-id", 200, okList))},
		{"SESS-05", NotApplicable, lines(a, httpLine("without-id", 200, okList), httpLine("unknown-id", 200, okList))},
		{"SESS-08", Pass, lines(a, httpLine("reopen", 200, okList))},
		{"SESS-08", Warn, lines(a, httpLine("reopen", 500, noMessage))},
		{"SESS-09", Pass, lines(a, b, use("a", 404), use("b", 202))},
		{"SESS-09", Fail, lines(a, b, use("a", 404), use("b", 404))},
		{"SESS-09", Fail, lines(a, b, use("a", 200), httpLine("after-other", 400, noMessage))},
	})
}

func TestStreamChecks(t *testing.T) {
	const events = "text/event-stream"
	get := mime(events, httpLine("get", 200, rt.Line{ID: "-", Outcome: recording.Sent}))
	sse := func(step string, l rt.Line) rt.Line { return mime(events, httpLine(step, 200, l)) }
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	asked := rt.Line{Result: listOf, Params: `{"_meta":{"progressToken":"p"}}`, Channel: "post:1"}
	walkRuns(t, recording.HTTPStreams, `{"resources":{"subscribe":true}}`, []run{
		{"HTTP-02", Pass, lines(get)},
		{"HTTP-02", Pass, lines(httpLine("get", 405, noMessage))},
		{"HTTP-02", Fail, lines(mime("text/html", httpLine("get", 200, noMessage)))},
		{"HTTP-02", Warn, lines(httpLine("get", 0, rt.Line{Outcome: recording.Sent}))},
		{"HTTP-09", Pass, lines(sse("list", okList))},
		{"HTTP-09", Warn, lines(withTags(sse("list", okList), "open", "yes"))},
		{"HTTP-11", Pass, lines(get)},
		{"HTTP-11", NotApplicable, lines(httpLine("get", 405, noMessage))},
		{"HTTP-11", Fail, lines(get, rt.Line{Channel: "get:1", Incoming: []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}})},
		{"HTTP-39", Pass, lines(get)},
		{"HTTP-39", Warn, lines(httpLine("get", 405, noMessage))},
		{"HTTP-40", Pass, lines(get, sse("read", asked), rt.Line{Channel: "post:1", Incoming: []string{progress}})},
		{"HTTP-40", Warn, lines(get, sse("read", asked), rt.Line{Channel: "get:1", Incoming: []string{progress}})},
		{"HTTP-40", NotApplicable, lines(get, mime("application/json", httpLine("read", 200, asked)), rt.Line{Channel: "get:1", Incoming: []string{progress}})},
	})
	changed := rt.Line{Channel: "get:1", Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"a:1"}}`}}
	marked, copied := changed, changed
	marked.Mark, copied.Channel = "triggered", "get:2"
	one, two := get, get
	one.Step, two.Step = "get-1", "get-2"
	walkRuns(t, recording.HTTPBroadcast, `{"resources":{"subscribe":true}}`, []run{
		{"HTTP-12", Pass, lines(one, two, marked)},
		{"HTTP-12", Fail, lines(one, two, marked, copied)},
		{"HTTP-12", NotApplicable, lines(one, httpLine("get-2", 409, noMessage))},
	})
}

func TestEverythingOverHTTP(t *testing.T) {
	const events = "text/event-stream"
	event := func(e wire.Event, l rt.Line) rt.Line {
		l.Event, l.Channel = &e, "post:1"
		return mime(events, httpLine("list", 200, l))
	}
	stray := okList
	stray.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`}
	answer := rt.Line{ID: "-", Outcome: recording.Sent, Incoming: []string{""}, Tags: map[string]string{"method": "ping"}}
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"HTTP-07", Pass, lines(mime("Application/JSON; charset=utf-8", httpLine("list", 200, okList)))},
		{"HTTP-07", Fail, lines(mime("text/plain", httpLine("list", 200, okList)))},
		{"HTTP-08", Pass, lines(event(wire.Event{}, okList))},
		{"HTTP-08", Warn, lines(event(wire.Event{}, noMessage))},
		{"HTTP-10", Pass, lines(event(wire.Event{}, okList))},
		{"HTTP-10", Fail, lines(event(wire.Event{}, stray))},
		{"HTTP-31", Warn, lines(event(wire.Event{}, okList))},
		{"HTTP-35", Pass, lines(httpLine(recording.StepAnswer, 202, answer))},
		{"HTTP-35", Warn, lines(httpLine(recording.StepAnswer, 400, answer))},
		{"SSE-01", Pass, lines(event(wire.Event{}, okList))},
		{"SSE-01", Fail, lines(event(wire.Event{}, rt.Line{Result: listOf, Flaws: []wire.Flaw{{Code: wire.FlawFraming}}}))},
		{"SSE-02", Pass, lines(event(wire.Event{}, okList))},
		{"SSE-02", Fail, lines(event(wire.Event{}, rt.Line{Reply: "{} {}"}))},
		{"SSE-03", Pass, lines(event(wire.Event{Type: "message"}, okList))},
		{"SSE-03", Warn, lines(event(wire.Event{Type: "response"}, okList))},
		{"SSE-06", Pass, lines(event(wire.Event{ID: "1", HasID: true}, okList))},
		{"SSE-06", Warn, lines(event(wire.Event{ID: "1", HasID: true}, okList), event(wire.Event{ID: "1", HasID: true}, okList))},
	})
	primed := okList
	primed.Incoming = []string{""}
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"SSE-02", Warn, lines(event(wire.Event{ID: "0", HasID: true, Lines: 1}, primed))},
		{"SSE-02", Pass, lines(event(wire.Event{ID: "0", HasID: true}, primed))},
	}, requirement.R20250618)
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"SSE-02", Pass, lines(event(wire.Event{ID: "0", HasID: true, Lines: 1}, primed))},
	}, requirement.R20251125)
}

// TestPrimingEventsAreCounted: streams that begin in the same way make one observation.
func TestPrimingEventsAreCounted(t *testing.T) {
	var all []rt.Line
	stream := func(channel int, e wire.Event, reply rt.Line) {
		reply.Event, reply.Channel = &e, fmt.Sprintf("post:%d", channel)
		all = append(all, mime("text/event-stream", httpLine("list", 200, reply)))
	}
	for i := range 40 {
		stream(i, wire.Event{}, rt.Line{Result: `{"resources":[],"x":"` + strings.Repeat("y", i) + `"}`})
		stream(100+i, wire.Event{ID: fmt.Sprint(i), HasID: true}, okList)
	}
	logged := okList
	logged.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`}
	stream(200, wire.Event{}, logged)
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}, `{"resources":{}}`)
	req, _ := requirement.Find("SSE-04")
	k, _ := Find("SSE-04")
	got := Evaluate(k, req, facts, Recordings{recording.Everything: rt.New(recording.Everything, facts, all...)})
	if got.Outcome != Pass || len(got.Observations) != 3 {
		t.Fatalf("%s with %d observations: %+v", got.Outcome, len(got.Observations), got.Observations)
	}
	for i, want := range []string{"40 streams begin with a response, in an event without an id", "40 streams begin with a response, in an event with an id", "a stream begins with a notification, in an event without an id"} {
		if o := got.Observations[i]; !strings.HasSuffix(o.Detail, want) || len(o.Frames) > 3 {
			t.Errorf("%+v, expected %s", o, want)
		}
	}
}
