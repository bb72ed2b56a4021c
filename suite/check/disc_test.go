package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// asked is a request and what came back: a result, or an error if it has a code.
func asked(step, method, params, answer string, tags ...string) rt.Line {
	l := rt.Line{Step: step, Method: method, Params: params, Tags: map[string]string{}}
	for i := 0; i+1 < len(tags); i += 2 {
		l.Tags[tags[i]] = tags[i+1]
	}
	if len(answer) > 8 && answer[:8] == `{"code":` {
		l.Error = answer
	} else {
		l.Result = answer
	}
	return l
}

func discovery(result string) rt.Line { return asked("discover", "server/discover", "{}", result) }

const (
	notFoundError = `{"code":-32601,"message":"Method not found"}`
	paramsError   = `{"code":-32602,"message":"Invalid params"}`
	goodList      = `{"resultType":"complete","resources":[{"uri":"a:1","name":"1"}]}`
)

func TestDiscoveryChecks(t *testing.T) {
	good := discovery(`{"resultType":"complete","supportedVersions":["2026-07-28","DRAFT-1"],"capabilities":{},
		"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"a","version":"1"}}}`)
	walkRuns(t, recording.Discovery, `{}`, []run{
		{"DISC-01", Pass, lines(good)},
		{"DISC-01", Fail, lines(discovery(notFoundError))},
		{"DISC-01", Blocked, lines(rt.Line{Step: "discover", Method: "server/discover", Outcome: recording.Lost})},
		{"DISC-02", Pass, lines(good)},
		{"DISC-02", NotApplicable, lines(discovery(notFoundError))},
		{"DISC-02", Fail, lines(discovery(`{"supportedVersions":"2026-07-28","capabilities":{}}`))},
		{"DISC-02", Fail, lines(discovery(`{"supportedVersions":["2026-07-28",1],"capabilities":{}}`))},
		{"DISC-02", Fail, lines(discovery(`{"supportedVersions":["2026-07-28"],"capabilities":["resources"]}`))},
		{"DISC-02", Fail, lines(discovery(`{"supportedVersions":["2026-07-28"],"capabilities":{},"instructions":null}`))},
		{"DISC-03", Pass, lines(good)},
		{"DISC-03", Fail, lines(discovery(`{"supportedVersions":["2025-11-25"],"capabilities":{}}`))},
		{"DISC-03", Fail, lines(discovery(`{"supportedVersions":[],"capabilities":{}}`))},
		{"DISC-07", Pass, lines(good)},
		{"DISC-07", Warn, lines(discovery(`{"supportedVersions":[],"capabilities":{},"serverInfo":{"name":"a","version":"1"}}`))},
	})
}

func TestVersionChecks(t *testing.T) {
	supported := asked("supported", "resources/list", "{}", goodList)
	again := asked("supported-again", "resources/list", "{}", goodList)
	refuse := func(method, data string) rt.Line {
		return asked("unsupported", method, "{}", `{"code":-32022,"message":"Unsupported","data":`+data+`}`, "version", "1900-01-01", "main", "yes")
	}
	right := refuse("resources/list", `{"supported":["2026-07-28"],"requested":"1900-01-01"}`)
	served := asked("unsupported", "resources/list", "{}", goodList, "version", "1900-01-01", "main", "yes")
	walkRuns(t, recording.Versions, `{"resources":{}}`, []run{
		{"DISC-08", Pass, lines(supported, right, again)},
		{"DISC-08", Fail, lines(supported, served, again)},
		{"DISC-08", Fail, lines(supported, asked("unsupported", "resources/list", "{}", paramsError, "version", "1900-01-01", "main", "yes"), again)},
		{"DISC-08", NotApplicable, lines(asked("supported", "resources/list", "{}", notFoundError), served)},
		{"DISC-09", Pass, lines(supported, right, again, asked("retry", "resources/list", "{}", goodList))},
		{"DISC-09", Pass, lines(supported, refuse("resources/list", `{"supported":["2026-07-28","2025-11-25"],"requested":"1900-01-01","more":1}`))},
		{"DISC-09", Fail, lines(supported, refuse("resources/list", `null`))},
		{"DISC-09", Fail, lines(supported, refuse("resources/list", `{"supported":["2026-07-28","1900-01-01"],"requested":"1900-01-01"}`))},
		{"DISC-09", Fail, lines(supported, refuse("resources/list", `{"supported":["2025-11-25"],"requested":"1900-01-01"}`))},
		{"DISC-09", Fail, lines(supported, refuse("resources/list", `{"supported":["2026-07-28"]}`))},
		{"DISC-09", Fail, lines(supported, right, asked("retry", "resources/list", "{}", paramsError))},
		{"DISC-09", NotApplicable, lines(supported, served)},
		{"DISC-11", Pass, lines(supported, right, asked("unsupported", "resources/templates/list", "{}", notFoundError, "version", "1900-01-01"), again)},
		{"DISC-11", NotApplicable, lines(supported, served, asked("unsupported", "resources/read", "{}", `{"contents":[]}`, "version", "1900-01-01"), again)}, // see DISC-08
		{"DISC-11", Fail, lines(supported, right, asked("unsupported", "resources/read", "{}", `{"contents":[]}`, "version", "1900-01-01"), again)},
		{"DISC-11", Fail, lines(supported, right, asked("supported-again", "resources/list", "{}", paramsError))},
	})
}

func TestFirstMessageChecks(t *testing.T) {
	list := asked("first-list", "resources/list", "{}", goodList, "walked", "yes")
	refused := asked("first-list", "resources/list", "{}", paramsError)
	gone := asked("first-read", "resources/read", `{"uri":"a:1"}`, paramsError, "uri", "a:1")
	walkRuns(t, recording.FirstMessages, `{"resources":{}}`, []run{
		{"DISC-12", Pass, lines(list)},
		{"DISC-12", Fail, lines(asked("first-list", "resources/list", "{}", paramsError, "walked", "yes"))},
		{"DISC-12", Fail, lines(refused, asked("first-list-again", "resources/list", "{}", goodList))},
		{"DISC-12", NotApplicable, lines(refused, asked("first-list-again", "resources/list", "{}", paramsError))},
		{"DISC-12", NotApplicable, lines(gone, asked("first-read-again", "resources/read", "{}", paramsError))},
		{"DISC-18", Pass, lines(asked("first-read", "resources/read", "{}", `{"contents":[]}`), asked("cursor", "resources/list", "{}", goodList))},
		{"DISC-18", Warn, lines(gone, asked("first-read-again", "resources/read", "{}", paramsError))},
		{"DISC-18", Pass, lines(gone, asked("first-read-again", "resources/read", "{}", `{"contents":[]}`))},
		{"DISC-18", Warn, lines(asked("cursor", "resources/list", "{}", paramsError))},
		{"DISC-18", NotApplicable, lines(list)},
	})
}

func TestHandshakeWithModernOnly(t *testing.T) {
	hello := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Params = "initialize", "initialize", `{}`
		return lines(l)
	}
	walkRuns(t, recording.BareRequests, `{}`, []run{
		{"DISC-13", Pass, hello(rt.Line{Error: `{"code":-32601,"message":"this server speaks 2026-07-28"}`})},
		{"DISC-13", Pass, hello(rt.Line{Error: `{"code":1,"message":"no","data":{"supported":["2026-07-28"]}}`})},
		{"DISC-13", Warn, hello(rt.Line{Error: notFoundError})},
		{"DISC-13", NotApplicable, hello(rt.Line{Result: `{"protocolVersion":"2025-11-25"}`})},
		{"DISC-14", Pass, hello(rt.Line{Error: notFoundError})},
		{"DISC-14", Pass, hello(rt.Line{Error: notFoundError, Status: 404})},
		{"DISC-14", Pass, hello(rt.Line{Status: 400, Outcome: recording.HTTPOnly})},
		{"DISC-14", Warn, hello(rt.Line{Error: notFoundError, Status: 200})},
		{"DISC-14", Warn, hello(rt.Line{Outcome: recording.Silent})},
		{"DISC-14", NotApplicable, hello(rt.Line{Result: `{"protocolVersion":"2025-11-25"}`})},
	})
}

func TestDualEraChecks(t *testing.T) {
	c := requirement.Combination{Revision: requirement.R20260728, Transport: requirement.Stdio}
	facts := rt.Facts(c, `{}`, requirement.R20251125, requirement.R20260728)
	facts.Declared = []byte(`{"supportedVersions":["2026-07-28","2025-11-25","2025-06-18"],"capabilities":{}}`)
	for i, x := range []struct {
		id   string
		name recording.Name
		want Outcome
		line rt.Line
	}{
		{"DISC-15", recording.AfterHandshake, Pass, asked("after-handshake", "resources/list", "{}", goodList)},
		{"DISC-15", recording.AfterHandshake, Pass, asked("after-handshake", "resources/list", "{}", `{"resources":[]}`)},
		{"DISC-15", recording.AfterHandshake, Warn, asked("after-handshake", "resources/list", "{}", paramsError)},
		{"DISC-04", recording.Advertised, Pass, asked("legacy", "initialize", "{}", `{"protocolVersion":"2025-06-18"}`, "version", "2025-06-18")},
		{"DISC-04", recording.Advertised, Warn, asked("legacy", "initialize", "{}", `{"protocolVersion":"2025-11-25"}`, "version", "2025-06-18")},
		{"DISC-04", recording.Advertised, Warn, asked("legacy", "initialize", "{}", paramsError, "version", "2025-06-18")},
		{"DISC-04", recording.Advertised, Pass, asked("modern", "resources/list", "{}", notFoundError, "version", "2026-07-28")},
		{"DISC-04", recording.Advertised, Warn, asked("modern", "resources/list", "{}", `{"code":-32022,"message":"no"}`, "version", "2026-07-28")},
	} {
		req, _ := requirement.Find(x.id)
		k, _ := Find(x.id)
		got := Evaluate(k, req, facts, Recordings{x.name: rt.New(x.name, facts, asked("plain", "resources/list", "{}", goodList), x.line)})
		if got.Outcome != x.want {
			t.Errorf("%d: %s is %s, expected %s\n%+v", i, x.id, got.Outcome, x.want, got)
		}
	}
}

func TestExtensionsAndClientNames(t *testing.T) {
	read := asked("read", "resources/read", "{}", `{"resultType":"complete"}`)
	task := asked("read", "resources/read", "{}", `{"resultType":"task"}`)
	walkRuns(t, recording.Everything, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`, []run{
		{"DISC-16", Pass, lines(read)}, {"DISC-16", Fail, lines(task)},
	})
	walkRuns(t, recording.Everything, `{"extensions":{"tasks":{}}}`, []run{{"DISC-16", Fail, lines(read)}})
	walkRuns(t, recording.Everything, `{"extensions":{"com.example/a":true}}`, []run{{"DISC-16", Fail, lines(read)}})
	walkRuns(t, recording.Everything, `{}`, []run{{"DISC-16", NotApplicable, lines(task)}})

	two := `{"resources":[{"uri":"a:2","name":"2"},{"uri":"a:1","name":"1"}]}`
	turned := `{"resources":[{"uri":"a:1","name":"1"},{"uri":"a:2","name":"2"}]}`
	list := func(step, result string) rt.Line { return asked(step, "resources/list", `{"_meta":{}}`, result) }
	walkRuns(t, recording.Metadata, `{"resources":{}}`, []run{
		{"DISC-17", Pass, lines(list("plain", two), list("other-client", turned), list("anonymous", two), list("plain-again", turned))},
		{"DISC-17", Warn, lines(list("plain", two), list("other-client", goodList), list("plain-again", two))},
		{"DISC-17", NotApplicable, lines(list("plain", two), list("other-client", goodList), list("plain-again", goodList))},
	})
}
