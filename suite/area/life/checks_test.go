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
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("LIFE-01", named),
		areatest.Fail("LIFE-01", with("")),
		areatest.Fail("LIFE-01", with(`,"serverInfo":{"name":"n"}`)),
		areatest.Pass("LIFE-03", named),
		areatest.Fail("LIFE-01", hello("initialize", "2025-11-25",
			`{"protocolVersion":20251125,"capabilities":{},"serverInfo":{"name":"n","version":"1"}}`)),
		areatest.Fail("LIFE-03", hello("initialize", "2025-11-25", `{"protocolVersion":"2025-06-18"}`)),
		areatest.NotApplicable("LIFE-03", hello("initialize", "2025-11-25", `{"protocolVersion":20251125}`)),
		areatest.Pass("LIFE-07", named),
		areatest.Fail("LIFE-07", with(`,"instructions":null`)),
		areatest.Pass("LIFE-12", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)),
		areatest.Fail("LIFE-12", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)),
	)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Pass("LIFE-13",
			areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"resources":[],"title":1}}`)),
		areatest.Fail("LIFE-13",
			areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"resultType":"input_required"}}`)),
	}, requirement.Legacy()...)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Warn("LIFE-13",
			areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/progres","params":{}}`)),
		areatest.Warn("LIFE-13",
			areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`)),
	}, requirement.R20241105)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Fail("LIFE-07", with(`,"serverInfo":{"title":null}`)),
		areatest.Warn("LIFE-13",
			areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}`)),
		areatest.Warn("LIFE-13", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)),
		areatest.NotApplicable("LIFE-13", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`)),
		// BATCH-07
		areatest.Pass("LIFE-13",
			areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`),
			areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`)),
	}, requirement.R20250618, requirement.R20251125)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Pass("LIFE-07", with(`,"serverInfo":{"title":null,"icons":{}}`)),
		areatest.Pass("LIFE-13",
			areatest.Unasked(`[{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}]`),
			areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`)),
	}, requirement.R20250326)
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Pass("LIFE-07", with(`,"serverInfo":{"websiteUrl":"https://example.com/","icons":[]}`)),
		areatest.Fail("LIFE-07", with(`,"serverInfo":{"websiteUrl":"exa mple"}`)),
		areatest.Fail("LIFE-07", with(`,"serverInfo":{"icons":{}}`)),
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
	areatest.WalkRuns(t, life.Negotiation, `{}`,
		areatest.Fail("LIFE-03", offer(`"2025-11-25"`), back),
		areatest.Pass("LIFE-04", offer(`"2025-11-25"`)),
		areatest.Fail("LIFE-04", offer(`"1900-01-01"`)),
		areatest.Fail("LIFE-04", offer(`20250618`)),
		areatest.Fail("LIFE-04", offer(`"2025-11-25"`), failed),
		areatest.Warn("LIFE-04", refused),
		areatest.Warn("LIFE-04", offer(`"2026-07-28"`)),
		areatest.Warn("LIFE-04", offer(`"2025-11-25"`),
			hello("later", "2026-07-28", `{"protocolVersion":"2026-07-28"}`)),
		areatest.Pass("LIFE-04", offer(`"2025-11-25"`),
			hello("later", "2026-07-28", `{"protocolVersion":"2025-11-25"}`)),
		areatest.Warn("LIFE-04", offer(`"2025-11-25"`), refusedLater("2099-12-31")),
		areatest.Pass("LIFE-04", offer(`"2025-11-25"`), refusedLater("2026-07-28")),
		areatest.Fail("LIFE-04", offer(`"2025-11-25"`),
			hello("later", "2099-12-31", `{"protocolVersion":"2099-12-31"}`)),
		areatest.Blocked("LIFE-04", silent),
		areatest.Pass("LIFE-05", offer(`"2025-11-25"`)),
		areatest.Fail("LIFE-05", offer(`"2024-10-07"`)),
		areatest.Pass("LIFE-17", refused),
		areatest.Fail("LIFE-17", silent),
	)
	areatest.WalkRuns(t, life.FaultyHandshake, `{}`,
		areatest.Pass("LIFE-17",
			rt.Line{Step: "no-members", Method: "initialize", Result: `{"protocolVersion":"2025-06-18"}`}),
		areatest.Pass("LIFE-17",
			rt.Line{Step: "no-members", Method: "initialize", Result: `{"protocolVersion":"draft"}`}),
		areatest.Pass("LIFE-17",
			rt.Line{Step: "no-version", Method: "initialize", Result: `{"protocolVersion":"2024-10-07"}`}),
		areatest.Warn("LIFE-17", rt.Line{Step: "no-members", Method: "initialize", Result: `{}`}),
		areatest.Warn("LIFE-17",
			rt.Line{Step: "no-version", Method: "initialize", Result: `{"protocolVersion":"20250618"}`}),
		areatest.Fail("LIFE-17",
			rt.Line{Step: "no-client-info", Method: "initialize", Outcome: recording.Silent}),
		areatest.Fail("LIFE-17", rt.Line{Step: "sound", Method: "initialize", Outcome: recording.Lost}),
		areatest.Blocked("LIFE-17",
			rt.Line{Step: "sound", Method: "initialize", Outcome: recording.Canceled}),
	)
}

// TestNoStartAnyMore: of a program that does not start for a sound handshake either it is not said that a
// faulty one takes it down.
func TestNoStartAnyMore(t *testing.T) {
	lost := func(step recording.Step) rt.Line {
		return rt.Line{Step: step, Method: "initialize", Outcome: recording.Lost}
	}
	for over, want := range map[requirement.Transport]verdict.Outcome{requirement.Stdio: verdict.Blocked,
		requirement.HTTP: verdict.Warn} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: over}, `{}`)
		facts.Owned = true
		rec := rt.New(life.Negotiation, facts, lost("alien"), lost("sound"))
		areatest.Due(t, "LIFE-17", over, want, rec)
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
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("LIFE-09", ping("early-ping", `{}`),
			areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
				`{"jsonrpc":"2.0","method":"notifications/message"}`), begun, roots),
		areatest.Fail("LIFE-09", roots, begun),
	)
	areatest.WalkRuns(t, life.Handshake, `{"resources":{}}`,
		areatest.Pass("LIFE-10", begun, first("first", "-32600"), first("again", "")),
		areatest.NotApplicable("LIFE-10", begun, first("first", "-32601")),
		areatest.Fail("LIFE-10", begun, first("first", "-32600"), first("again", "-32600")),
		areatest.Pass("LIFE-16", ping("early-ping", `{}`)),
		areatest.Fail("LIFE-16", refusedPing),
	)
	areatest.WalkRuns(t, life.Pings, `{}`,
		areatest.Pass("LIFE-14", ping("ping", `{}`), ping("ping-meta", `{"_meta":{"a":1}}`)),
		areatest.Pass("LIFE-14", ping("ping", `{"pong":true}`)),
		areatest.Fail("LIFE-14",
			rt.Line{Step: "ping", Method: "ping", Error: `{"code":-32601,"message":""}`}),
	)
}

// TestArrays: an array where there are no batches is always found, by one requirement.
func TestArrays(t *testing.T) {
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
			got := areatest.Judge("LIFE-13", rec)
			if got.Outcome.Red() != (len(others) == 0 && rev != requirement.R20250326) {
				t.Errorf("%s: %s, beside %q", c, got.Outcome, others)
			}
		}
	}
}
