package http_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	areahttp "github.com/mcpcheck/mcpcheck/suite/area/http"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestForeignStreams: what belongs to one request does not come on the stream of another one, or of GET, as
// well.
func TestForeignStreams(t *testing.T) {
	const response, progress = `{"jsonrpc":"2.0","id":7,"result":{}}`,
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}`
	asked := func(id, channel, token string, others ...string) rt.Line {
		l := rt.Line{Step: "read", Method: "resources/read", ID: id, Channel: channel, Event: &wire.Event{},
			Result: `{}`, Incoming: others}
		if token != "" {
			l.Params = `{"_meta":{"progressToken":"` + token + `"}}`
		}
		return areatest.Mime("text/event-stream", areatest.HTTPLine("read", 200, l))
	}
	onGet := rt.Line{Channel: "get:1", Event: &wire.Event{}, Incoming: []string{response, progress}}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Fail("HTTP-12", asked("8", "post:1", "", response), asked("7", "post:2", "")),
		// that one is RPC-02's
		areatest.NotApplicable("HTTP-12", asked("8", "post:1", "", response), asked("9", "post:2", "")),
		areatest.Fail("HTTP-12", asked("7", "post:1", "p", progress), onGet),
		// that is HTTP-11's
		areatest.NotApplicable("HTTP-12", asked("7", "post:1", ""), onGet),
		// a token that was used twice
		areatest.NotApplicable("HTTP-12", asked("7", "post:1", "p", progress),
			asked("8", "post:2", "p", progress)),
	)
}

// TestSharedStreams: where each change is told twice on one stream, two streams may have shared the two.
func TestSharedStreams(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{"resources":{"subscribe":true}}`)
	on := func(channel, mark string) rt.Line {
		return rt.Line{Mark: recording.MarkName(mark), Channel: channel, Event: &wire.Event{},
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
				`"params":{"uri":"a:1"}}`}}
	}
	get := func(step recording.Step) rt.Line {
		return areatest.WithTags(areatest.Mime("text/event-stream",
			areatest.HTTPLine(step, 200, rt.Line{ID: "-", Outcome: recording.Sent})), "who", "watcher")
	}
	both := rt.New(areahttp.HTTPBroadcast, facts, get("get-1"), get("get-2"), on("get:1", "triggered"),
		on("get:2", ""))
	for want, told := range map[verdict.Outcome][]rt.Line{
		verdict.Pass: {get("stream"), on("get:1", "update"), on("get:1", "")},
		verdict.Fail: {get("stream"), on("get:1", "update"), on("get:1", "next")},
	} {
		areatest.Due(t, "HTTP-12", told, want, both, rt.New(recording.Changes, facts, told...))
	}
}

// TestCausedByTheRequest: what a tool changes relates to its call, and an update to the subscription that it
// is for.
func TestCausedByTheRequest(t *testing.T) {
	asked := func(method, params string) []rt.Line {
		l := rt.Line{Method: method, Params: params, Channel: "post:1", Event: &wire.Event{}, Result: `{}`,
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/resources/updated",` +
				`"params":{"uri":"a:1"}}`}}
		return areatest.Lines(areatest.Mime("text/event-stream", areatest.HTTPLine("list", 200, l)))
	}
	areatest.WalkRunsIn(t, recording.Everything, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("HTTP-10", asked("tools/call", `{"name":"touch"}`)...),
		areatest.Pass("HTTP-10", asked("resources/subscribe", `{"uri":"a:1"}`)...),
		areatest.Fail("HTTP-10", asked("resources/subscribe", `{"uri":"a:2"}`)...),
		areatest.Fail("HTTP-10", asked("resources/read", `{"uri":"a:1"}`)...),
	}, requirement.R20251125)
	areatest.WalkRunsIn(t, recording.Everything, `{"resources":{}}`,
		[]areatest.Run{areatest.Fail("HTTP-10", asked("tools/call", `{"name":"touch"}`)...)},
		requirement.R20260728)
}
