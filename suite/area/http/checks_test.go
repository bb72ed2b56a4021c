package http_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	areahttp "github.com/mcpcheck/mcpcheck/suite/area/http"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestHeaderChecks(t *testing.T) {
	listened := func(step recording.Step) rt.Line {
		return areatest.WithTags(areatest.HTTPLine(step, 200, rt.Line{Method: "subscriptions/listen",
			Outcome: recording.Sent}), "form", "subscriptions/listen", "differs", "header", "ack", "4")
	}
	var runs []areatest.Run
	for id, step := range map[string]recording.Step{"HTTP-15": "no-version", "HTTP-20": "no-method",
		"HTTP-21": "other-method",
		"HTTP-22": "no-name", "HTTP-23": "other-name", "HTTP-27": "method-case"} {
		runs = append(runs,
			areatest.Pass(id, areatest.Mismatch(step)),
			areatest.Fail(id, areatest.Listed(step)),
			areatest.Fail(id, areatest.HTTPLine(step, 200, areatest.HeaderErr)),
			areatest.Fail(id, areatest.Bare(step, 400)),
			areatest.Blocked(id, areatest.HTTPLine(step, 0, rt.Line{Outcome: recording.Lost})),
			areatest.NotApplicable(id, areatest.Bare(step, 401)))
	}
	runs = append(runs,
		areatest.Pass("HTTP-03", areatest.Bare("get", 405), areatest.Bare("delete", 405)),
		areatest.Warn("HTTP-03", areatest.Bare("get", 405), areatest.Bare("delete", 204)),
		areatest.Warn("HTTP-03", areatest.HTTPLine("get", 200, rt.Line{Outcome: recording.Sent}),
			areatest.Bare("delete", 405)),
		areatest.Pass("HTTP-16", areatest.Mismatch("mismatch")),
		areatest.Warn("HTTP-16", areatest.HTTPLine("mismatch", 400, areatest.WithCode("-32022"))),
		areatest.Fail("HTTP-16", areatest.Listed("mismatch")),
		areatest.Fail("HTTP-16", areatest.Mismatch("mismatch"), listened("mismatch")),
		areatest.Fail("HTTP-21", areatest.Mismatch("other-method"), listened("other-method")),
		areatest.Pass("HTTP-17", areatest.HTTPLine("unsupported-version", 400, areatest.WithCode("-32022"))),
		areatest.Fail("HTTP-17", areatest.HTTPLine("unsupported-version", 200, areatest.WithCode("-32022"))),
		areatest.Pass("HTTP-18", areatest.HTTPLine("unknown-method", 404, areatest.WithCode("-32601"))),
		areatest.Fail("HTTP-18", areatest.Bare("unknown-method", 404)),
		areatest.Pass("HTTP-19", areatest.HTTPLine("no-capabilities", 400, areatest.WithCode("-32602"))),
		areatest.Fail("HTTP-19", areatest.HTTPLine("no-capabilities", 200, areatest.WithCode("-32602"))),
		areatest.Pass("HTTP-24", areatest.Listed("encoded-name")),
		areatest.Fail("HTTP-24", areatest.Mismatch("encoded-name")),
		areatest.Pass("HTTP-25", areatest.Bare("broken-name", 400), areatest.Mismatch("wrong-name")),
		areatest.Fail("HTTP-25", areatest.Listed("broken-name"), areatest.Mismatch("wrong-name")),
		areatest.NotApplicable("HTTP-24", areatest.Bare("encoded-name", 431)),
		areatest.NotApplicable("HTTP-24", areatest.HTTPLine("encoded-name", 200, areatest.WithCode("-32602")),
			areatest.HTTPLine("still-there", 200, areatest.WithCode("-32602"))),
		areatest.Fail("HTTP-24", areatest.HTTPLine("encoded-name", 200, areatest.WithCode("-32602")),
			areatest.Listed("still-there")),
		areatest.NotApplicable("HTTP-26", areatest.HTTPLine("spelling", 200, areatest.WithCode("-32602")),
			areatest.HTTPLine("still-there", 200, areatest.WithCode("-32602"))),
		areatest.Pass("HTTP-26", areatest.Listed("spelling")),
		areatest.Fail("HTTP-26", areatest.Mismatch("spelling")),
		areatest.Pass("HTTP-28", areatest.Listed("nameless")),
		areatest.Pass("HTTP-28", areatest.HTTPLine("nameless", 404, areatest.WithCode("-32601"))),
		areatest.Fail("HTTP-28", areatest.Mismatch("nameless")),
		areatest.Pass("HTTP-29", areatest.Listed("session-header"), areatest.Listed("last-event")),
		areatest.Warn("HTTP-29", areatest.Bare("session-header", 404), areatest.Listed("last-event")),
		areatest.Fail("HTTP-23", areatest.Mismatch("other-name"),
			areatest.WithTags(areatest.Listed("other-name"), "form", "the uri in capital letters")),
		areatest.Pass("HTTP-34", areatest.Mismatch("no-method")),
		areatest.Fail("HTTP-34", areatest.HTTPLine("no-method", 400,
			rt.Line{Reply: `{"jsonrpc":"2.0","error":` + areatest.Mismatched + `}`})),
		areatest.Pass("HTTP-61", areatest.HTTPLine("no-version-meta", 400, areatest.WithCode("-32602")),
			areatest.Bare("no-meta", 400)),
		areatest.Fail("HTTP-61", areatest.Listed("no-version-meta"), areatest.Bare("no-meta", 400)),
	)
	areatest.WalkRuns(t, areahttp.HTTPHeaders, `{"resources":{}}`, runs...)
}

// Where nothing is listed, reads of what is not served show how names are treated.
func TestNamesWithoutAnythingToRead(t *testing.T) {
	unlisted := func(step recording.Step, status int, l rt.Line) rt.Line {
		l.Method = "resources/read"
		return areatest.WithTags(areatest.HTTPLine(step, status, l), "unlisted", "yes")
	}
	missing := areatest.WithCode("-32602")
	plain := unlisted("unlisted-read", 200, missing)
	areatest.WalkRuns(t, areahttp.HTTPHeaders, `{"resources":{}}`,
		areatest.Pass("HTTP-22", plain, unlisted("no-name", 400, areatest.HeaderErr)),
		areatest.Warn("HTTP-22", plain, unlisted("no-name", 200, missing)),
		areatest.NotApplicable("HTTP-22", unlisted("unlisted-read", 400, areatest.HeaderErr),
			unlisted("no-name", 400, areatest.HeaderErr)),
		areatest.NotApplicable("HTTP-22", unlisted("unlisted-read", 404, areatest.WithCode("-32601")),
			unlisted("no-name", 400, areatest.HeaderErr)),
		areatest.Pass("HTTP-23", plain, unlisted("other-name", 400, areatest.HeaderErr)),
		areatest.Warn("HTTP-23", plain, unlisted("other-name", 200, missing)),
		areatest.Pass("HTTP-24", plain, unlisted("encoded-name", 200, missing)),
		areatest.Fail("HTTP-24", plain, unlisted("encoded-name", 400, areatest.HeaderErr)),
		areatest.NotApplicable("HTTP-24", unlisted("unlisted-read", 400, areatest.HeaderErr),
			unlisted("encoded-name", 400, areatest.HeaderErr)),
		areatest.Pass("HTTP-25", plain, unlisted("broken-name", 400, areatest.NoMessage),
			unlisted("wrong-name", 400, areatest.HeaderErr)),
		areatest.Warn("HTTP-25", plain, unlisted("broken-name", 200, missing),
			unlisted("wrong-name", 400, areatest.HeaderErr)),
	)
}

func TestStatusChecks(t *testing.T) {
	body := func(raw string, l rt.Line) rt.Line {
		l.Incoming = []string{raw}
		return l
	}
	areatest.WalkRuns(t, areahttp.HTTPStatuses, `{"resources":{}}`,
		areatest.Pass("HTTP-01", areatest.Listed("list"), areatest.HTTPLine("notify", 202, areatest.Oneway),
			areatest.Listed("list-after")),
		areatest.Pass("HTTP-05", areatest.HTTPLine("notify", 202, areatest.Oneway)),
		areatest.Fail("HTTP-05", areatest.HTTPLine("notify", 200, areatest.Oneway)),
		areatest.Fail("HTTP-05", areatest.HTTPLine("notify", 202, body(`{}`, areatest.Oneway))),
		areatest.NotApplicable("HTTP-05", areatest.HTTPLine("notify", 400, areatest.Oneway)),
		areatest.Pass("HTTP-35", areatest.HTTPLine("stray", 202, areatest.Oneway)),
		areatest.Pass("HTTP-35", areatest.HTTPLine("stray", 400, areatest.Oneway)),
		areatest.Warn("HTTP-35", areatest.HTTPLine("stray", 200, areatest.Oneway)),
		areatest.Pass("HTTP-06", areatest.HTTPLine("refused", 404,
			body(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`, areatest.Oneway))),
		areatest.Pass("HTTP-06", areatest.HTTPLine("malformed", 202, areatest.Oneway)),
		areatest.Fail("HTTP-06", areatest.HTTPLine("refused", 200,
			body(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`, areatest.Oneway))),
		areatest.Pass("HTTP-06", areatest.HTTPLine("refused", 404,
			body(`{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`, areatest.Oneway))),
		areatest.Warn("HTTP-06", areatest.HTTPLine("malformed", 200,
			body(`{"jsonrpc":"2.0","error":{"code":-32600,"message":"no"}}`, areatest.Oneway))),
		areatest.Pass("HTTP-32", areatest.Listed("list"),
			areatest.WithTags(areatest.Listed("accept"), "form", "order")),
		areatest.Fail("HTTP-32", areatest.Listed("list"),
			areatest.WithTags(areatest.Bare("accept", 406), "form", "order")),
		areatest.Warn("HTTP-32", areatest.Listed("list"),
			areatest.WithTags(areatest.Bare("accept", 406), "form", "quality")),
		areatest.Warn("HTTP-32", areatest.Listed("list"), areatest.Bare("charset", 415)),
		areatest.NotApplicable("HTTP-32", areatest.Bare("list", 400),
			areatest.WithTags(areatest.Bare("accept", 400), "form", "order")),
		areatest.Pass("HTTP-36", areatest.Bare("body", 400)),
		areatest.Pass("HTTP-36", areatest.Bare("body", 500)),
		areatest.Warn("HTTP-36", areatest.Bare("body", 202)),
		areatest.Warn("HTTP-36", areatest.HTTPLine("body", 0, rt.Line{Outcome: recording.Lost, Fatal: true})),
	)
	elsewhere := areatest.Lines(areatest.Listed("list"),
		areatest.HTTPLine("notify", 404, areatest.Oneway), areatest.Listed("list-after"))
	areatest.WalkRunsIn(t, areahttp.HTTPStatuses, `{"resources":{}}`,
		[]areatest.Run{areatest.Fail("HTTP-01", elsewhere...)}, requirement.R20250326,
		requirement.R20251125)
	areatest.WalkRunsIn(t, areahttp.HTTPStatuses, `{"resources":{}}`,
		[]areatest.Run{areatest.Pass("HTTP-01", elsewhere...)}, requirement.R20260728)
}

func TestSessionChecks(t *testing.T) {
	open := func(id string) rt.Line {
		return rt.Line{Method: "initialize", Step: "initialize", Status: 200, Result: `{}`,
			Header: http.Header{"Mcp-Session-Id": {id}}, Session: id}
	}
	a, b := open("0123456789abcdef-a"), open("0123456789abcdef-b")
	use := func(name string, status int) rt.Line {
		return areatest.WithTags(areatest.Bare("use", status), "session", name)
	}
	areatest.WalkRuns(t, recording.HTTPSessions, `{"resources":{}}`,
		areatest.Pass("HTTP-13", areatest.Bare("bad-version", 400)),
		areatest.NotApplicable("HTTP-13", areatest.Bare("bad-version", 404)),
		areatest.Fail("HTTP-13", areatest.Listed("bad-version")),
		areatest.Pass("HTTP-14", areatest.Listed("no-version")),
		areatest.NotApplicable("HTTP-14", areatest.Bare("no-version", 400)),
		areatest.Warn("HTTP-14", areatest.Bare("no-version", 404)),
		areatest.Warn("HTTP-14", areatest.Listed("use"), areatest.Bare("no-version", 404)),
		areatest.NotApplicable("HTTP-14", areatest.Bare("use", 307), areatest.Bare("no-version", 307)),
		areatest.Pass("HTTP-60", areatest.Bare("get-bad-version", 405),
			areatest.Bare("delete-bad-version", 501)),
		areatest.Pass("HTTP-60", areatest.Bare("get-bad-version", 405),
			areatest.Bare("delete-bad-version", 400)),
		areatest.Fail("HTTP-60", areatest.Mime("text/event-stream", areatest.HTTPLine("get-bad-version",
			200, rt.Line{Outcome: recording.Sent}))),
		areatest.Fail("HTTP-60", areatest.Bare("delete-bad-version", 204)),
		areatest.NotApplicable("HTTP-60", areatest.Bare("get-bad-version", 409),
			areatest.Bare("delete-bad-version", 404)),
		areatest.NotApplicable("HTTP-60", areatest.Mime("text/html", areatest.Bare("get-bad-version", 200))),
		areatest.Pass("SESS-01", a, b),
		areatest.Fail("SESS-01", open("a b")),
		areatest.NotApplicable("SESS-01", areatest.Listed("use")),
		areatest.Pass("SESS-02", a, b),
		areatest.Warn("SESS-02", open("1"), open("2")),
		areatest.Warn("SESS-02", open("10000000000000001"), open("10000000000000002")),
		areatest.Pass("SESS-02", open("0f5a8e1b73c94d26"), open("7d2b90c4e18f6a35"),
			open("b6913d7fa0528ec4")),
		// too few to tell
		areatest.Pass("SESS-02", open("0f5a8e1b-0000001"), open("0f5a8e1b-9999999")),
		areatest.Warn("SESS-02", open("0f5a8e1b-0000001"), open("0f5a8e1b-5555555"),
			open("0f5a8e1b-9999999")),
		areatest.Pass("SESS-03", a, areatest.Bare("without-id", 400)),
		areatest.Pass("SESS-03", a, areatest.Listed("without-id")),
		areatest.Warn("SESS-03", a, areatest.Bare("without-id", 500)),
		areatest.Warn("SESS-03", a, areatest.Bare("without-id", 401)),
		areatest.Blocked("SESS-03", a,
			areatest.HTTPLine("without-id", 401, rt.Line{Outcome: recording.Canceled})),
		areatest.Pass("SESS-04", a, areatest.Bare("delete", 204), areatest.Listed("after-delete"),
			areatest.Bare("after-delete", 404)),
		areatest.NotApplicable("SESS-04", a, areatest.Bare("delete", 405)),
		areatest.Fail("SESS-04", a, areatest.Bare("delete", 200), areatest.Bare("after-delete", 400)),
		areatest.Fail("SESS-04", a, areatest.Bare("delete", 200), areatest.Bare("after-delete", 404),
			areatest.Mime("text/event-stream", areatest.Bare("get-after-delete", 200))),
		areatest.Pass("SESS-04", a, areatest.Bare("delete", 200), areatest.Bare("after-delete", 404),
			areatest.Bare("get-after-delete", 405)),
		areatest.Warn("SESS-04", a, areatest.Mime("text/event-stream", areatest.HTTPLine("use", 200,
			rt.Line{ID: "-", Outcome: recording.Sent})), areatest.Bare("delete", 200),
			areatest.Bare("after-delete", 404), areatest.Bare("get-after-delete", 400)),
		areatest.Warn("SESS-04", a, areatest.Bare("delete", 200), areatest.Bare("after-delete", 404),
			areatest.Bare("delete-again", 200)),
		areatest.Warn("SESS-03", a, areatest.Bare("without-id", 400),
			areatest.Mime("text/event-stream", areatest.Bare("get-without-id", 200))),
		areatest.Pass("SESS-03", a, areatest.Listed("without-id"),
			areatest.Mime("text/event-stream", areatest.Bare("get-without-id", 200))),
		areatest.Pass("SESS-05", a, areatest.Bare("unknown-id", 404)),
		areatest.Warn("SESS-05", a, areatest.Listed("unknown-id")),
		areatest.NotApplicable("SESS-05", a, areatest.Listed("without-id"), areatest.Listed("unknown-id")),
		areatest.Pass("SESS-08", a, areatest.Listed("reopen")),
		areatest.Warn("SESS-08", a, areatest.Bare("reopen", 500)),
		areatest.Pass("SESS-09", a, b, use("a", 404), use("b", 202)),
		areatest.Fail("SESS-09", a, b, use("a", 404), use("b", 404)),
		areatest.Fail("SESS-09", a, b, use("a", 200), areatest.Bare("after-other", 400)),
	)
}

func TestStreamChecks(t *testing.T) {
	const events = "text/event-stream"
	get := areatest.Mime(events, areatest.HTTPLine("get", 200, rt.Line{ID: "-", Outcome: recording.Sent}))
	sse := func(step recording.Step, l rt.Line) rt.Line {
		return areatest.Mime(events, areatest.HTTPLine(step, 200, l))
	}
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p",` +
		`"progress":1}}`
	asked := rt.Line{Result: areatest.ListOf, Params: `{"_meta":{"progressToken":"p"}}`, Channel: "post:1"}
	areatest.WalkRuns(t, areahttp.HTTPStreams, `{"resources":{"subscribe":true}}`,
		areatest.Pass("HTTP-02", get),
		areatest.Pass("HTTP-02", areatest.Bare("get", 405)),
		areatest.Fail("HTTP-02", areatest.Mime("text/html", areatest.Bare("get", 200))),
		areatest.NotApplicable("HTTP-02", areatest.HTTPLine("get", 0, rt.Line{Outcome: recording.Sent})),
		areatest.Pass("HTTP-09", sse("list", areatest.OkList)),
		areatest.Warn("HTTP-09", areatest.WithTags(sse("list", areatest.OkList), "open", "yes")),
		areatest.Warn("HTTP-09", sse("list", areatest.OkList),
			areatest.WithTags(sse("missing", areatest.WithCode("-32602")), "open", "yes")),
		areatest.Pass("HTTP-11", get),
		areatest.NotApplicable("HTTP-11", areatest.Bare("get", 405)),
		areatest.Fail("HTTP-11", get, rt.Line{Channel: "get:1", Event: &wire.Event{},
			Incoming: []string{`{"jsonrpc":"2.0","id":1,"result":{}}`}}),
		areatest.Pass("HTTP-11", get, areatest.HTTPLine("get", 405, rt.Line{Channel: "get:2",
			Incoming: []string{`{"jsonrpc":"2.0","id":null,"error":{"code":-32000,` +
				`"message":"Method not allowed."}}`}})),
		areatest.Pass("HTTP-39", get),
		areatest.Pass("HTTP-39", areatest.Bare("get", 405)),
		areatest.Pass("HTTP-40", get, sse("read", asked),
			rt.Line{Channel: "post:1", Incoming: []string{progress}}),
		areatest.Warn("HTTP-40", get, sse("read", asked),
			rt.Line{Channel: "get:1", Event: &wire.Event{}, Incoming: []string{progress}}),
		areatest.NotApplicable("HTTP-40", get,
			areatest.Mime("application/json", areatest.HTTPLine("read", 200, asked)),
			rt.Line{Channel: "get:1", Event: &wire.Event{}, Incoming: []string{progress}}),
	)
	changed := rt.Line{Channel: "get:1",
		Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
			`"params":{"uri":"a:1"}}`}}
	marked, copied := changed, changed
	marked.Mark, copied.Channel = "triggered", "get:2"
	one, two := get, get
	one.Step, two.Step = "get-1", "get-2"
	areatest.WalkRuns(t, areahttp.HTTPBroadcast, `{"resources":{"subscribe":true}}`,
		areatest.Pass("HTTP-12", one, two, marked),
		areatest.Fail("HTTP-12", one, two, marked, copied),
		areatest.NotApplicable("HTTP-12", one, areatest.Bare("get-2", 409)),
	)
	one.Step, two.Step, one.Channel, two.Channel = recording.StepStream, scenario.StepSecondStream, "get:1",
		"get:2"
	while := slices.Repeat([]rt.Line{{Method: "ping", Result: `{}`}}, 40) // a millisecond for each frame
	ticks := func(uri string) []rt.Line {
		other := copied
		other.Incoming = []string{strings.ReplaceAll(copied.Incoming[0], "a:1", uri)}
		return slices.Concat(while, []rt.Line{changed, other}, while, []rt.Line{changed, other})
	}
	doubled := []rt.Line{one, two, {Mark: scenario.MarkDoubled}}
	areatest.WalkRunsIn(t, recording.SelfChanges, `{"resources":{"subscribe":true}}`, []areatest.Run{
		areatest.Fail("HTTP-12", slices.Concat(doubled, ticks("a:1"))...),
		areatest.Pass("HTTP-12", slices.Concat(doubled, ticks("a:1/part"))...),
		areatest.Pass("HTTP-12",
			slices.Concat(doubled, while, []rt.Line{changed}, while, []rt.Line{copied})...),
	}, requirement.R20250618)
}

func TestEverythingOverHTTP(t *testing.T) {
	const events = "text/event-stream"
	event := func(e wire.Event, l rt.Line) rt.Line {
		l.Event, l.Channel = &e, "post:1"
		return areatest.Mime(events, areatest.HTTPLine("list", 200, l))
	}
	onGet := areatest.OkList
	onGet.Channel, onGet.Event = "get:1", &wire.Event{}
	stray := areatest.OkList
	stray.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}`}
	answer := rt.Line{ID: "-", Outcome: recording.Sent, Incoming: []string{""},
		Tags: recording.Tags{"method": "ping"}}
	over := rt.Line{Error: `{"code":-32001,"message":"Session not found"}`}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("HTTP-07", areatest.Mime("Application/JSON; charset=utf-8", areatest.Listed("list"))),
		areatest.Fail("HTTP-07", areatest.Mime("text/plain", areatest.Listed("list"))),
		areatest.Warn("HTTP-07", areatest.HTTPLine("list", 202, areatest.OkList)),
		// HTTP-11 has it
		areatest.Pass("HTTP-07", areatest.HTTPLine("list", 202, onGet),
			areatest.Mime("application/json", areatest.Listed("list"))),
		areatest.Pass("HTTP-08", event(wire.Event{}, areatest.OkList)),
		areatest.Warn("HTTP-08", event(wire.Event{}, areatest.NoMessage)),
		areatest.Pass("HTTP-10", event(wire.Event{}, areatest.OkList)),
		areatest.Fail("HTTP-10", event(wire.Event{}, stray)),
		areatest.Warn("HTTP-31", event(wire.Event{}, areatest.OkList)),
		areatest.Pass("HTTP-35", areatest.HTTPLine(recording.StepAnswer, 202, answer)),
		areatest.Warn("HTTP-35", areatest.HTTPLine(recording.StepAnswer, 400, answer)),
		// as the session may be over
		areatest.NotApplicable("HTTP-35", areatest.HTTPLine(recording.StepAnswer, 404, answer)),
		areatest.Warn("HTTP-35", areatest.HTTPLine(recording.StepAnswer, 404, answer),
			areatest.Listed("list")),
		areatest.NotApplicable("HTTP-35", areatest.HTTPLine(recording.StepAnswer, 404, answer),
			areatest.HTTPLine("list", 404, over)),
		areatest.Pass("SSE-01", event(wire.Event{}, areatest.OkList)),
		areatest.Fail("SSE-01", event(wire.Event{}, rt.Line{Result: areatest.ListOf,
			Flaws: []wire.Flaw{{Code: wire.FlawFraming}}})),
		areatest.Pass("SSE-02", event(wire.Event{}, areatest.OkList)),
		areatest.Fail("SSE-02", event(wire.Event{}, rt.Line{Reply: "{} {}"})),
		areatest.Warn("SSE-02", event(wire.Event{}, rt.Line{Reply: "{}"})),
		areatest.Pass("SSE-03", event(wire.Event{Type: "message"}, areatest.OkList)),
		areatest.Pass("SSE-02", event(wire.Event{}, areatest.OkList),
			event(wire.Event{Type: "ping"}, rt.Line{Reply: "12:00", Outcome: recording.Silent})),
		areatest.Pass("SSE-03", event(wire.Event{}, areatest.OkList),
			event(wire.Event{Type: "ping"}, rt.Line{Reply: "5", Outcome: recording.Silent})),
		areatest.Warn("SSE-03", event(wire.Event{Type: "response"}, areatest.OkList)),
		areatest.Pass("SSE-06", event(wire.Event{ID: "1", HasID: true}, areatest.OkList)),
		areatest.Warn("SSE-06", event(wire.Event{ID: "1", HasID: true}, areatest.OkList),
			event(wire.Event{ID: "1", HasID: true}, areatest.OkList)),
	)
	primed := areatest.OkList
	primed.Incoming = []string{""}
	areatest.WalkRunsIn(t, recording.Everything, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("SSE-02", event(wire.Event{ID: "0", HasID: true, Lines: 1}, primed)),
		areatest.Pass("SSE-02", event(wire.Event{ID: "0", HasID: true}, primed)),
	}, requirement.R20250618)
	areatest.WalkRunsIn(t, recording.Everything, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("SSE-02", event(wire.Event{ID: "0", HasID: true, Lines: 1}, primed)),
	}, requirement.R20251125)
}

// TestFramingIsObserved: bodies that end elsewhere than HTTP says break no rule of the protocol.
func TestFramingIsObserved(t *testing.T) {
	flawed := func(code wire.FlawCode) []rt.Line {
		l := areatest.OkList
		l.Flaws = []wire.Flaw{{Code: code, Detail: "5 bytes"}}
		return []rt.Line{areatest.HTTPLine("list", 200, l)}
	}
	for code, want := range map[wire.FlawCode]string{wire.FlawSurplus: "bytes-behind-response",
		wire.FlawUnterminated: "body-incomplete", wire.FlawBOM: ""} {
		for _, id := range []string{"HTTP-07", "SSE-23"} {
			areatest.Observed(t, areatest.Observations(t, id, recording.Everything, flawed(code)), want,
				"5 bytes")
		}
	}
}

// TestPrimingEventsAreCounted: streams that begin in the same way make one observation.
func TestPrimingEventsAreCounted(t *testing.T) {
	var all []rt.Line
	stream := func(channel int, e wire.Event, reply rt.Line) {
		reply.Event, reply.Channel = &e, fmt.Sprintf("post:%d", channel)
		all = append(all, areatest.Mime("text/event-stream", areatest.HTTPLine("list", 200, reply)))
	}
	for i := range 40 {
		stream(i, wire.Event{}, rt.Line{Result: `{"resources":[],"x":"` + strings.Repeat("y", i) + `"}`})
		stream(100+i, wire.Event{ID: fmt.Sprint(i), HasID: true}, areatest.OkList)
	}
	logged := areatest.OkList
	logged.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{}}`}
	stream(200, wire.Event{}, logged)
	facts := areatest.HTTP(requirement.R20251125, `{"resources":{}}`)
	got := areatest.Judge("SSE-04", rt.New(recording.Everything, facts, all...))
	if got.Outcome != verdict.Pass || len(got.Observations) != 3 {
		t.Fatalf("%s with %d observations: %+v", got.Outcome, len(got.Observations), got.Observations)
	}
	for i, want := range []string{"40 streams begin with a response, in an event without an id",
		"40 streams begin with a response, in an event with an id",
		"a stream begins with a notification, in an event without an id"} {
		if o := got.Observations[i]; !strings.HasSuffix(o.Detail, want) || len(o.Frames) > 3 {
			t.Errorf("%+v, expected %s", o, want)
		}
	}
}

// TestMalformedBodyFails: 5xx is an error status as well, and said to say too much.
func TestMalformedBodyFails(t *testing.T) {
	body := func(form string, status int) rt.Line {
		return areatest.WithTags(areatest.Bare("body", status), "form", form)
	}
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "HTTP-36", areahttp.HTTPStatuses, areatest.Lines(rec...))
	}
	areatest.Observed(t, see(body("brace", 400), body("empty", 413)), "")
	areatest.Observed(t, see(body("brace", 500), body("empty", 400), body("number", 503)),
		"malformed-body-failed", "first brace (HTTP 500)", "a number (HTTP 503)")
}

// TestOneClientAtATime: where a second client is refused, what to change names the setting of a target file
// that a server for one client needs.
func TestOneClientAtATime(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{"resources":{}}`)
	refused := areatest.HTTPLine(scenario.StepSecondClient, 400,
		rt.Line{Method: "initialize", Error: `{"code":-32600,"message":"already initialized"}`})
	got := areatest.Judge("HTTP-37", rt.New(recording.TwoClients, facts, refused))
	if got.Outcome != verdict.Warn || !strings.Contains(got.Hint, "instances: 1") {
		t.Errorf("%s: %q", got.Outcome, got.Hint)
	}
}
