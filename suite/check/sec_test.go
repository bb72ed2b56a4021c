package check

import (
	"net/http"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestOriginChecks(t *testing.T) {
	from := func(step string, status int, l rt.Line) rt.Line {
		return withTags(httpLine(step, status, l), "origin", "http://evil.example.invalid")
	}
	lost := rt.Line{Outcome: recording.Lost}
	walkRuns(t, recording.Origins, `{"resources":{}}`, []run{
		{"SEC-01", Pass, lines(from("request", 403, noMessage))},
		{"SEC-01", Fail, lines(from("request", 200, okList))},
		{"SEC-01", Fail, lines(from("request", 400, noMessage))},
		{"SEC-01", Warn, lines(from("request", 401, noMessage))},
		{"SEC-01", Warn, lines(from("request", 403, rt.Line{Reply: `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`}))},
		{"SEC-02", Pass, lines(from("request", 400, noMessage))},
		{"SEC-02", Pass, lines(from("request", 0, lost))},
		{"SEC-02", Fail, lines(from("request", 200, okList))},
		{"SEC-03", Pass, lines(from("request", 403, noMessage), from("read", 403, noMessage), from("get", 405, noMessage))},
		{"SEC-03", NotApplicable, lines(from("get", 0, rt.Line{Outcome: recording.Sent}), from("get", 0, rt.Line{Outcome: recording.Silent}), from("request", 0, rt.Line{Outcome: recording.Unsent}), from("read", 0, rt.Line{Outcome: recording.Canceled}))},
		{"SEC-03", Pass, lines(from("request", 403, noMessage), from("get", 0, rt.Line{Outcome: recording.Sent}), from("listen", 0, rt.Line{Outcome: recording.Silent}))},
		{"SEC-03", NotApplicable, lines(from("request", 200, okList), from("get", 405, noMessage))},
		{"SEC-03", Fail, lines(from("initialize", 403, noMessage), from("request", 200, okList))},
		{"SEC-04", Pass, lines(from("no-origin", 200, okList), from("own-origin", 200, okList))},
		{"SEC-04", Pass, lines(from("no-origin", 400, noMessage), from("own-origin", 400, noMessage))},
		{"SEC-04", Warn, lines(from("no-origin", 403, noMessage), from("own-origin", 200, okList))},
	})
}

// TestOriginPolicy: what is allowed is the operator's choice on servers that are
// not local.
func TestOriginPolicy(t *testing.T) {
	k, _ := Find("SEC-01")
	req, _ := requirement.Find("SEC-01")
	for name, change := range map[string]struct {
		adjust func(*recording.Facts)
		want   Outcome
	}{
		"local":      {func(*recording.Facts) {}, Fail},
		"public":     {func(f *recording.Facts) { f.Local = false }, Warn},
		"configured": {func(f *recording.Facts) { f.Local, f.Configured["origins"] = false, true }, Fail},
		"any-origin": {func(f *recording.Facts) { f.Allowed["any-origin"] = true }, NotApplicable},
	} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}, `{}`)
		change.adjust(facts)
		rec := rt.New(recording.Origins, facts, withTags(httpLine("request", 200, okList), "origin", "http://evil.example.invalid"))
		if got := Evaluate(k, req, facts, Recordings{recording.Origins: rec}); got.Outcome != change.want {
			t.Errorf("%s: %s, expected %s", name, got.Outcome, change.want)
		}
	}
}

func TestCredentialChecks(t *testing.T) {
	challenge := func(l rt.Line, value string) rt.Line {
		l.Header = http.Header{}
		if value != "" {
			l.Header.Set("WWW-Authenticate", value)
		}
		return l
	}
	pointed := challenge(httpLine("anonymous", 401, noMessage), `Bearer resource_metadata="https://a.example/x"`)
	bare := challenge(httpLine("anonymous", 401, noMessage), "")
	document := func(text string) rt.Line { return withTags(httpLine("metadata", 200, noMessage), "text", text) }
	const good = `{"resource":"https://a.example","authorization_servers":["https://b.example"]}`
	open := httpLine("anonymous", 200, okList)
	walkRuns(t, recording.Credentials, `{"resources":{}}`, []run{
		{"SEC-08", Pass, lines(pointed)},
		{"SEC-08", NotApplicable, lines(open)},
		{"SEC-08", Warn, lines(bare)},
		{"SEC-08", Fail, lines(bare, document(good))},
		{"SEC-09", Pass, lines(bare, document(good))},
		{"SEC-09", Warn, lines(bare)},
		{"SEC-10", Pass, lines(pointed, httpLine("invalid", 401, noMessage))},
		{"SEC-10", Fail, lines(pointed, httpLine("invalid", 403, noMessage))},
		{"SEC-10", Fail, lines(pointed, httpLine("invalid", 200, okList))},
		{"SEC-10", NotApplicable, lines(open, httpLine("invalid", 200, okList))},
		{"SEC-15", Pass, lines(pointed)},
		{"SEC-15", NotApplicable, lines(open)},
		{"SEC-15", Warn, lines(httpLine("anonymous", 200, headerErr))},
		{"SEC-15", Fail, lines(httpLine("anonymous", 200, headerErr), pointed)},
		{"SEC-60", Pass, lines(document(good))},
		{"SEC-60", Fail, lines(document(`{"authorization_servers":[]}`))},
		{"SEC-60", NotApplicable, lines(pointed, withTags(httpLine("metadata", 404, noMessage), "text", "not found"))},
		{"SEC-61", Pass, lines(httpLine("foreign", 401, noMessage))},
		{"SEC-61", Fail, lines(httpLine("foreign", 200, okList))},
	})
	read := httpLine("read", 403, noMessage)
	scope := challenge(read, `Bearer error="insufficient_scope", scope="read"`)
	walkRuns(t, recording.Rights, `{"resources":{"subscribe":true}}`, []run{
		{"SEC-11", Pass, lines(scope)},
		{"SEC-11", Warn, lines(challenge(httpLine("read", 401, noMessage), ""))},
		{"SEC-12", Pass, lines(read)},
		{"SEC-12", Pass, lines(httpLine("read", 200, withCode("-32002")))},
		{"SEC-12", Warn, lines(httpLine("read", 200, okList))},
	})
	walkRuns(t, recording.Rights, `{"resources":{"subscribe":true}}`, []run{
		{"SEC-12", Warn, lines(withTags(httpLine("subscribe", 200, rt.Line{Outcome: recording.Sent}), "granted", "yes"))},
	}, requirement.R20260728)
	walkRuns(t, recording.PublicAddress, `{}`, []run{
		{"SEC-06", Pass, lines(httpLine("public", 0, rt.Line{Outcome: recording.Unsent}))},
		{"SEC-06", Warn, lines(httpLine("public", 404, noMessage))},
	})
}

// TestLoggedSecrets: a credential that was sent is looked for in the log.
func TestLoggedSecrets(t *testing.T) {
	k, _ := Find("SEC-14")
	req, _ := requirement.Find("SEC-14")
	for data, want := range map[string]Outcome{"read with secret-token": Fail, "read": Pass} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}, `{}`)
		line := httpLine("list", 200, okList)
		line.Incoming = []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"` + data + `"}}`}
		rec := rt.New(recording.LogSecrets, facts, line)
		rec.Frames[0].HTTP = &wire.HTTP{Header: http.Header{"Authorization": {"Bearer secret-token"}}}
		if got := Evaluate(k, req, facts, Recordings{recording.LogSecrets: rec}); got.Outcome != want {
			t.Errorf("%s: %s, expected %s", data, got.Outcome, want)
		}
	}
}

func TestSSETransportChecks(t *testing.T) {
	open := func(e wire.Event, data string) rt.Line {
		l := httpLine("open", 200, rt.Line{ID: "-", Outcome: recording.Sent, Incoming: []string{data}, Event: &e, Channel: "get:1"})
		return withTags(mime("text/event-stream", l), "url", "http://127.0.0.1/sse")
	}
	named := wire.Event{Type: "endpoint"}
	walkRuns(t, recording.SSEEndpoint, `{}`, []run{
		{"SSE-20", Pass, lines(open(named, "/message?x=1"))},
		{"SSE-20", Fail, lines(mime("application/json", httpLine("open", 200, noMessage)))},
		{"SSE-21", Pass, lines(open(named, "/message?x=1"))},
		{"SSE-21", Pass, lines(open(named, "http://127.0.0.1/message"))},
		{"SSE-21", Warn, lines(open(named, "http://elsewhere.example/message"))},
		{"SSE-21", Fail, lines(open(named, `{"uri": "/message"}`))},
		{"SSE-21", Fail, lines(open(wire.Event{}, "/message"))},
	})
	message := func(event, channel string, l rt.Line) rt.Line {
		l.Event, l.Channel = &wire.Event{Type: event}, channel
		return httpLine("list", 202, l)
	}
	walkRuns(t, recording.Everything, `{}`, []run{
		{"SSE-23", Pass, lines(message("message", "sse", okList))},
		{"SSE-23", Pass, lines(message("", "sse", okList))},
		{"SSE-23", Fail, lines(message("reply", "sse", okList))},
		{"SSE-23", Fail, lines(message("", "post:1", okList))},
		{"SSE-23", Fail, lines(message("message", "sse", rt.Line{Reply: "%7B%7D", Outcome: recording.Silent}))},
		{"SSE-23", Fail, lines(httpLine("list", 404, noMessage))},
	})
	both := func(more ...string) []rt.Line {
		return lines(rt.Line{Step: "first-list", Method: "resources/list", Result: listOf, More: more},
			rt.Line{Step: "second-templates", Method: "resources/templates/list", Result: `{"resourceTemplates":[]}`, Session: "s2"})
	}
	walkRuns(t, recording.TwoClients, `{}`, []run{
		{"SSE-25", Pass, both()},
		{"SSE-25", Fail, both(`{"jsonrpc":"2.0","id":100,"result":{"resourceTemplates":[]}}`)},
		{"HTTP-37", Pass, both()},
		{"HTTP-37", Warn, lines(httpLine("second-client", 500, rt.Line{Method: "initialize"}))},
		{"HTTP-37", Warn, lines(rt.Line{Step: "first-list", Method: "resources/list", Result: `{"resourceTemplates":[]}`})},
	})
	resumed := rt.Line{Step: "resume", ID: "-", Status: 200, Outcome: recording.Sent, Channel: "get:1", Event: &wire.Event{}}
	foreign := resumed
	foreign.Incoming = []string{`{"jsonrpc":"2.0","id":101,"result":{}}`}
	first, second := message("", "post:1", okList), message("", "post:2", okList)
	first.Step, second.Step = "first", "second"
	walkRuns(t, recording.HTTPResume, `{}`, []run{
		{"SSE-07", Pass, lines(first, second, resumed)},
		{"SSE-07", Fail, lines(first, second, foreign)},
		{"SSE-07", NotApplicable, lines(first, second)},
	})
}
