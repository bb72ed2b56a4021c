package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// hello is a handshake for a version and its result.
func hello(step, version, result string) rt.Line {
	return rt.Line{Step: step, Method: "initialize", Params: `{"protocolVersion":"` + version + `"}`, Result: result}
}

func TestHandshakeChecks(t *testing.T) {
	with := func(info string) rt.Line {
		return hello("initialize", "2025-11-25", `{"protocolVersion":"2025-11-25","capabilities":{}`+info+`}`)
	}
	named := with(`,"serverInfo":{"name":"n","version":"1"},"instructions":"read"`)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"LIFE-01", Pass, lines(named)},
		{"LIFE-01", Fail, lines(with(""))},
		{"LIFE-01", Fail, lines(with(`,"serverInfo":{"name":"n"}`))},
		{"LIFE-03", Pass, lines(named)},
		{"LIFE-01", Fail, lines(hello("initialize", "2025-11-25", `{"protocolVersion":20251125,"capabilities":{},"serverInfo":{"name":"n","version":"1"}}`))},
		{"LIFE-03", Fail, lines(hello("initialize", "2025-11-25", `{"protocolVersion":"2025-06-18"}`))},
		{"LIFE-03", NotApplicable, lines(hello("initialize", "2025-11-25", `{"protocolVersion":20251125}`))},
		{"LIFE-07", Pass, lines(named)},
		{"LIFE-07", Fail, lines(with(`,"instructions":null`))},
		{"LIFE-12", Pass, lines(unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))},
		{"LIFE-12", Fail, lines(unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`))},
	})
	walkRuns(t, recording.Everything, `{}`, []run{
		{"LIFE-13", Pass, lines(said(`{"jsonrpc":"2.0","id":5,"result":{"resources":[],"title":1}}`))},
		{"LIFE-13", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required"}}`))},
	}, requirement.Legacy()...)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"LIFE-07", Fail, lines(with(`,"serverInfo":{"title":null}`))},
		{"LIFE-13", Fail, lines(unasked(`[{"jsonrpc":"2.0","method":"notifications/x"}]`))},
	}, requirement.R20250618, requirement.R20251125)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"LIFE-07", Pass, lines(with(`,"serverInfo":{"title":null,"icons":{}}`))},
		{"LIFE-13", Pass, lines(unasked(`[{"jsonrpc":"2.0","method":"notifications/x"}]`), said(`{"jsonrpc":"2.0","id":5,"result":{}}`))},
	}, requirement.R20250326)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"LIFE-07", Pass, lines(with(`,"serverInfo":{"websiteUrl":"https://example.com/","icons":[]}`))},
		{"LIFE-07", Fail, lines(with(`,"serverInfo":{"websiteUrl":"exa mple"}`))},
		{"LIFE-07", Fail, lines(with(`,"serverInfo":{"icons":{}}`))},
	}, requirement.R20251125)
}

func TestNegotiation(t *testing.T) {
	offer := func(version string) rt.Line {
		return hello("alien", "1900-01-01", `{"protocolVersion":`+version+`}`)
	}
	refused := rt.Line{Step: "alien", Method: "initialize", Params: `{"protocolVersion":"1900-01-01"}`, Error: `{"code":-32602,"message":"Unsupported"}`}
	silent := rt.Line{Step: "alien", Method: "initialize", Outcome: recording.Lost}
	back := rt.Line{Step: "return", Method: "initialize", Tags: map[string]string{"version": "2025-11-25"}, Result: `{"protocolVersion":"2025-06-18"}`}
	failed := back
	failed.Result, failed.Error = "", `{"code":-32602,"message":"Unsupported"}`
	walkRuns(t, recording.Negotiation, `{}`, []run{
		{"LIFE-03", Fail, lines(offer(`"2025-11-25"`), back)},
		{"LIFE-04", Pass, lines(offer(`"2025-11-25"`))},
		{"LIFE-04", Fail, lines(offer(`"1900-01-01"`))},
		{"LIFE-04", Fail, lines(offer(`20250618`))},
		{"LIFE-04", Fail, lines(offer(`"2025-11-25"`), failed)},
		{"LIFE-04", Warn, lines(refused)},
		{"LIFE-04", Blocked, lines(silent)},
		{"LIFE-05", Pass, lines(offer(`"2025-11-25"`))},
		{"LIFE-05", Fail, lines(offer(`"2024-10-07"`))},
		{"LIFE-17", Pass, lines(refused)},
		{"LIFE-17", Fail, lines(silent)},
	})
	walkRuns(t, recording.FaultyHandshake, `{}`, []run{
		{"LIFE-17", Pass, lines(rt.Line{Step: "no-members", Method: "initialize", Result: `{}`})},
		{"LIFE-17", Fail, lines(rt.Line{Step: "no-client-info", Method: "initialize", Outcome: recording.Silent})},
		{"LIFE-17", Fail, lines(rt.Line{Step: "sound", Method: "initialize", Outcome: recording.Lost})},
	})
}

func TestSlowHandshake(t *testing.T) {
	ping := func(step, result string) rt.Line { return rt.Line{Step: step, Method: "ping", Result: result} }
	refusedPing := rt.Line{Step: "early-ping", Method: "ping", Error: `{"code":-32600,"message":"not initialized"}`}
	begun := rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-", Outcome: recording.Sent}
	first := func(step, code string) rt.Line {
		l := rt.Line{Step: step, Method: "resources/list", Error: `{"code":` + code + `,"message":""}`}
		if code == "" {
			l.Error, l.Result = "", `{"resources":[]}`
		}
		return l
	}
	roots := unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	walkRuns(t, recording.Handshake, `{"resources":{}}`, []run{
		{"LIFE-09", Pass, lines(ping("early-ping", `{}`), unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","method":"notifications/message"}`), begun, roots)},
		{"LIFE-09", Fail, lines(roots, begun)},
		{"LIFE-10", Pass, lines(begun, first("first", "-32600"), first("again", ""))},
		{"LIFE-10", NotApplicable, lines(begun, first("first", "-32601"))},
		{"LIFE-10", Fail, lines(begun, first("first", "-32600"), first("again", "-32600"))},
		{"LIFE-16", Pass, lines(ping("early-ping", `{}`))},
		{"LIFE-16", Fail, lines(refusedPing)},
	})
	walkRuns(t, recording.Pings, `{}`, []run{
		{"LIFE-14", Pass, lines(ping("ping", `{}`), ping("ping-meta", `{"_meta":{"a":1}}`))},
		{"LIFE-14", Warn, lines(ping("ping", `{"pong":true}`))},
		{"LIFE-14", Fail, lines(rt.Line{Step: "ping", Method: "ping", Error: `{"code":-32601,"message":""}`})},
	})
}
