package life_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// hello is a handshake for a version and its result.
func hello(step recording.Step, version, result string) rt.Line {
	return rt.Line{Step: step, Method: "initialize", Params: `{"protocolVersion":"` + version + `"}`,
		Result: result}
}

func TestHandshakeChecks(t *testing.T) {
	with := func(info string) rt.Line {
		return hello("initialize", "2025-11-25", `{"protocolVersion":"2025-11-25","capabilities":{}`+info+`}`)
	}
	named := with(`,"serverInfo":{"name":"n","version":"1"},"instructions":"read"`)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-01", Want: verdict.Pass, Rec: areatest.Lines(named)},
		{ID: "LIFE-01", Want: verdict.Fail, Rec: areatest.Lines(with(""))},
		{ID: "LIFE-01", Want: verdict.Fail, Rec: areatest.Lines(with(`,"serverInfo":{"name":"n"}`))},
		{ID: "LIFE-03", Want: verdict.Pass, Rec: areatest.Lines(named)},
		{ID: "LIFE-01", Want: verdict.Fail,
			Rec: areatest.Lines(hello("initialize", "2025-11-25",
				`{"protocolVersion":20251125,"capabilities":{},"serverInfo":{"name":"n","version":"1"}}`))},
		{ID: "LIFE-03", Want: verdict.Fail,
			Rec: areatest.Lines(hello("initialize", "2025-11-25", `{"protocolVersion":"2025-06-18"}`))},
		{ID: "LIFE-03", Want: verdict.NotApplicable,
			Rec: areatest.Lines(hello("initialize", "2025-11-25", `{"protocolVersion":20251125}`))},
		{ID: "LIFE-07", Want: verdict.Pass, Rec: areatest.Lines(named)},
		{ID: "LIFE-07", Want: verdict.Fail, Rec: areatest.Lines(with(`,"instructions":null`))},
		{ID: "LIFE-12", Want: verdict.Pass,
			Rec: areatest.Lines(areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))},
		{ID: "LIFE-12", Want: verdict.Fail,
			Rec: areatest.Lines(areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`))},
	})
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-13", Want: verdict.Pass,
			Rec: areatest.Lines(
				areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"resources":[],"title":1}}`))},
		{ID: "LIFE-13", Want: verdict.Fail,
			Rec: areatest.Lines(
				areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required"}}`))},
	}, requirement.Legacy()...)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-13", Want: verdict.Warn,
			Rec: areatest.Lines(
				areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/progres","params":{}}`))},
		{ID: "LIFE-13", Want: verdict.Warn,
			Rec: areatest.Lines(
				areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`))},
	}, requirement.R20241105)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-07", Want: verdict.Fail, Rec: areatest.Lines(with(`,"serverInfo":{"title":null}`))},
		{ID: "LIFE-13", Want: verdict.Warn,
			Rec: areatest.Lines(
				areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`))},
		{ID: "LIFE-13", Want: verdict.Warn,
			Rec: areatest.Lines(areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`))},
		{ID: "LIFE-13", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))},
		// BATCH-07
		{ID: "LIFE-13", Want: verdict.Pass,
			Rec: areatest.Lines(
				areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`),
				areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`))},
	}, requirement.R20250618, requirement.R20251125)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-07", Want: verdict.Pass,
			Rec: areatest.Lines(with(`,"serverInfo":{"title":null,"icons":{}}`))},
		{ID: "LIFE-13", Want: verdict.Pass,
			Rec: areatest.Lines(
				areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`),
				areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`))},
	}, requirement.R20250326)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-07", Want: verdict.Pass,
			Rec: areatest.Lines(with(`,"serverInfo":{"websiteUrl":"https://example.com/","icons":[]}`))},
		{ID: "LIFE-07", Want: verdict.Fail,
			Rec: areatest.Lines(with(`,"serverInfo":{"websiteUrl":"exa mple"}`))},
		{ID: "LIFE-07", Want: verdict.Fail, Rec: areatest.Lines(with(`,"serverInfo":{"icons":{}}`))},
	}, requirement.R20251125)
}

func TestNegotiation(t *testing.T) {
	offer := func(version string) rt.Line {
		return hello("alien", "1900-01-01", `{"protocolVersion":`+version+`}`)
	}
	refused := rt.Line{Step: "alien", Method: "initialize", Params: `{"protocolVersion":"1900-01-01"}`,
		Error: `{"code":-32602,"message":"Unsupported"}`}
	refusedLater := func(version string) rt.Line {
		return rt.Line{Step: "later", Method: "initialize", Params: `{"protocolVersion":"` + version + `"}`,
			Error: refused.Error}
	}
	silent := rt.Line{Step: "alien", Method: "initialize", Outcome: recording.Lost}
	back := rt.Line{Step: "return", Method: "initialize", Tags: recording.Tags{"version": "2025-11-25"},
		Result: `{"protocolVersion":"2025-06-18"}`}
	failed := back
	failed.Result, failed.Error = "", `{"code":-32602,"message":"Unsupported"}`
	areatest.WalkRuns(t, life.Negotiation, `{}`, []areatest.Run{
		{ID: "LIFE-03", Want: verdict.Fail, Rec: areatest.Lines(offer(`"2025-11-25"`), back)},
		{ID: "LIFE-04", Want: verdict.Pass, Rec: areatest.Lines(offer(`"2025-11-25"`))},
		{ID: "LIFE-04", Want: verdict.Fail, Rec: areatest.Lines(offer(`"1900-01-01"`))},
		{ID: "LIFE-04", Want: verdict.Fail, Rec: areatest.Lines(offer(`20250618`))},
		{ID: "LIFE-04", Want: verdict.Fail, Rec: areatest.Lines(offer(`"2025-11-25"`), failed)},
		{ID: "LIFE-04", Want: verdict.Warn, Rec: areatest.Lines(refused)},
		{ID: "LIFE-04", Want: verdict.Warn, Rec: areatest.Lines(offer(`"2026-07-28"`))},
		{ID: "LIFE-04", Want: verdict.Warn, Rec: areatest.Lines(offer(`"2025-11-25"`),
			hello("later", "2026-07-28", `{"protocolVersion":"2026-07-28"}`))},
		{ID: "LIFE-04", Want: verdict.Pass, Rec: areatest.Lines(offer(`"2025-11-25"`),
			hello("later", "2026-07-28", `{"protocolVersion":"2025-11-25"}`))},
		{ID: "LIFE-04", Want: verdict.Warn, Rec: areatest.Lines(offer(`"2025-11-25"`),
			refusedLater("2099-12-31"))},
		{ID: "LIFE-04", Want: verdict.Pass, Rec: areatest.Lines(offer(`"2025-11-25"`),
			refusedLater("2026-07-28"))},
		{ID: "LIFE-04", Want: verdict.Fail, Rec: areatest.Lines(offer(`"2025-11-25"`),
			hello("later", "2099-12-31", `{"protocolVersion":"2099-12-31"}`))},
		{ID: "LIFE-04", Want: verdict.Blocked, Rec: areatest.Lines(silent)},
		{ID: "LIFE-05", Want: verdict.Pass, Rec: areatest.Lines(offer(`"2025-11-25"`))},
		{ID: "LIFE-05", Want: verdict.Fail, Rec: areatest.Lines(offer(`"2024-10-07"`))},
		{ID: "LIFE-17", Want: verdict.Pass, Rec: areatest.Lines(refused)},
		{ID: "LIFE-17", Want: verdict.Fail, Rec: areatest.Lines(silent)},
	})
	areatest.WalkRuns(t, life.FaultyHandshake, `{}`, []areatest.Run{
		{ID: "LIFE-17", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "no-members", Method: "initialize",
				Result: `{"protocolVersion":"2025-06-18"}`})},
		{ID: "LIFE-17", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "no-members", Method: "initialize",
				Result: `{"protocolVersion":"draft"}`})},
		{ID: "LIFE-17", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "no-version", Method: "initialize",
				Result: `{"protocolVersion":"2024-10-07"}`})},
		{ID: "LIFE-17", Want: verdict.Warn,
			Rec: areatest.Lines(rt.Line{Step: "no-members", Method: "initialize", Result: `{}`})},
		{ID: "LIFE-17", Want: verdict.Warn,
			Rec: areatest.Lines(rt.Line{Step: "no-version", Method: "initialize",
				Result: `{"protocolVersion":"20250618"}`})},
		{ID: "LIFE-17", Want: verdict.Fail,
			Rec: areatest.Lines(rt.Line{Step: "no-client-info", Method: "initialize",
				Outcome: recording.Silent})},
		{ID: "LIFE-17", Want: verdict.Fail, Rec: areatest.Lines(rt.Line{Step: "sound", Method: "initialize",
			Outcome: recording.Lost})},
		{ID: "LIFE-17", Want: verdict.Blocked,
			Rec: areatest.Lines(rt.Line{Step: "sound", Method: "initialize", Outcome: recording.Canceled})},
	})
}

// TestNoStartAnyMore: of a program that does not start for a sound handshake either it is not said that a
// faulty one takes it down.
func TestNoStartAnyMore(t *testing.T) {
	lost := func(step recording.Step) rt.Line {
		return rt.Line{Step: step, Method: "initialize", Outcome: recording.Lost}
	}
	req, _ := area.Catalogue().Find("LIFE-17")
	k, _ := area.BuiltIn().Check("LIFE-17")
	for over, want := range map[requirement.Transport]verdict.Outcome{requirement.Stdio: verdict.Blocked,
		requirement.HTTP: verdict.Warn} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: over}, `{}`)
		facts.Owned = true
		rec := rt.New(life.Negotiation, facts, lost("alien"), lost("sound"))
		if got := verdict.Evaluate(k, req, facts,
			verdict.Recordings{life.Negotiation: rec}); got.Outcome != want {
			t.Errorf("over %s: %s, expected %s", over, got.Outcome, want)
		}
	}
}

func TestSlowHandshake(t *testing.T) {
	ping := func(step recording.Step, result string) rt.Line {
		return rt.Line{Step: step, Method: "ping", Result: result}
	}
	refusedPing := rt.Line{Step: "early-ping", Method: "ping",
		Error: `{"code":-32600,"message":"not initialized"}`}
	begun := rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-",
		Outcome: recording.Sent}
	first := func(step recording.Step, code string) rt.Line {
		l := rt.Line{Step: step, Method: "resources/list", Error: `{"code":` + code + `,"message":""}`}
		if code == "" {
			l.Error, l.Result = "", `{"resources":[]}`
		}
		return l
	}
	roots := areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-09", Want: verdict.Pass, Rec: areatest.Lines(ping("early-ping", `{}`),
			areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				`{"jsonrpc":"2.0","method":"notifications/message"}`), begun, roots)},
		{ID: "LIFE-09", Want: verdict.Fail, Rec: areatest.Lines(roots, begun)},
	})
	areatest.WalkRuns(t, life.Handshake, `{"resources":{}}`, []areatest.Run{
		{ID: "LIFE-10", Want: verdict.Pass, Rec: areatest.Lines(begun, first("first", "-32600"),
			first("again", ""))},
		{ID: "LIFE-10", Want: verdict.NotApplicable, Rec: areatest.Lines(begun, first("first", "-32601"))},
		{ID: "LIFE-10", Want: verdict.Fail, Rec: areatest.Lines(begun, first("first", "-32600"),
			first("again", "-32600"))},
		{ID: "LIFE-16", Want: verdict.Pass, Rec: areatest.Lines(ping("early-ping", `{}`))},
		{ID: "LIFE-16", Want: verdict.Fail, Rec: areatest.Lines(refusedPing)},
	})
	areatest.WalkRuns(t, life.Pings, `{}`, []areatest.Run{
		{ID: "LIFE-14", Want: verdict.Pass, Rec: areatest.Lines(ping("ping", `{}`),
			ping("ping-meta", `{"_meta":{"a":1}}`))},
		{ID: "LIFE-14", Want: verdict.Pass, Rec: areatest.Lines(ping("ping", `{"pong":true}`))},
		{ID: "LIFE-14", Want: verdict.Fail,
			Rec: areatest.Lines(rt.Line{Step: "ping", Method: "ping",
				Error: `{"code":-32601,"message":""}`})},
	})
}

// TestArrays: an array where there are no batches is always found, by one requirement.
func TestArrays(t *testing.T) {
	req, _ := area.Catalogue().Find("LIFE-13")
	k, _ := area.BuiltIn().Check("LIFE-13")
	for _, rev := range requirement.Legacy() {
		for _, tr := range []requirement.Transport{requirement.Stdio, requirement.HTTP, requirement.SSE} {
			c := requirement.Combination{Revision: rev, Transport: tr}
			var others []string
			for _, id := range []string{"BATCH-07", "SSE-23"} {
				if other, ok := area.Catalogue().Find(id); ok && other.Names(c) {
					others = append(others, id)
				}
			}
			facts := rt.Facts(c, `{}`)
			rec := rt.New(recording.Everything, facts,
				areatest.Lines(areatest.Unasked(
					`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`))...)
			if tr == requirement.SSE {
				for i := range rec.Frames {
					rec.Frames[i].Event = &wire.Event{}
				}
			}
			got := verdict.Evaluate(k, req, facts, verdict.Recordings{recording.Everything: rec})
			if got.Outcome.Red() != (len(others) == 0 && rev != requirement.R20250326) {
				t.Errorf("%s: %s, beside %q", c, got.Outcome, others)
			}
		}
	}
}
