package life_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestCapableClient(t *testing.T) {
	ask := areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)
	open := rt.Line{Step: "open", Method: "ping", Result: `{}`}
	served := rt.Line{Step: "served", Method: "resources/list", Result: `{"resources":[]}`}
	used, refused, meanwhile := served, served, served
	used.Step = "used"
	refused.Result, refused.Error = "", `{"code":-32603,"message":"no"}`
	meanwhile.Incoming, meanwhile.Result, meanwhile.Error = ask.Incoming, "", refused.Error
	without := func(l rt.Line, o recording.Outcome) rt.Line {
		l.Result, l.Outcome = "", o
		return l
	}
	areatest.WalkRuns(t, life.CapableClient, `{"resources":{}}`, []areatest.Run{
		{ID: "LIFE-18", Want: verdict.Pass, Rec: areatest.Lines(ask, open, served)},
		{ID: "LIFE-18", Want: verdict.NotApplicable, Rec: areatest.Lines(served)},
		{ID: "LIFE-18", Want: verdict.Fail, Rec: areatest.Lines(ask, without(open, recording.Silent),
			served)},
		{ID: "LIFE-18", Want: verdict.Fail,
			Rec: areatest.Lines(ask, open, without(served, recording.Silent))},
		{ID: "LIFE-18", Want: verdict.Fail, Rec: areatest.Lines(ask, open, without(served, recording.Lost))},
		{ID: "LIFE-18", Want: verdict.Fail, Rec: areatest.Lines(without(served, recording.Lost))},
		{ID: "LIFE-18", Want: verdict.NotApplicable, Rec: areatest.Lines(without(served, recording.Silent))},
		{ID: "LIFE-18", Want: verdict.Warn, Rec: areatest.Lines(ask, open, refused)},
		// started again since
		{ID: "LIFE-18", Want: verdict.Fail, Rec: areatest.Lines(without(used, recording.Lost), refused)},
		{ID: "LIFE-18", Want: verdict.NotApplicable, Rec: areatest.Lines(without(used, recording.Silent),
			served)},
		{ID: "LIFE-18", Want: verdict.Pass, Rec: areatest.Lines(open, meanwhile)},
	})
	beside, left := rt.Line{Step: "beside", Method: "ping", Result: `{}`}, served
	left.Step = "left"
	areatest.WalkRuns(t, life.CapableClient, `{"resources":{}}`, []areatest.Run{
		{ID: "LIFE-19", Want: verdict.Pass, Rec: areatest.Lines(ask, beside, left)},
		{ID: "LIFE-19", Want: verdict.NotApplicable, Rec: areatest.Lines(beside, left)},
		{ID: "LIFE-19", Want: verdict.NotApplicable, Rec: areatest.Lines(ask)},
		{ID: "LIFE-19", Want: verdict.NotApplicable, Rec: areatest.Lines(ask, without(beside, recording.Lost),
			without(left, recording.Lost))},
		{ID: "LIFE-19", Want: verdict.Fail, Rec: areatest.Lines(beside, without(left, recording.Lost))},
	})
	hello := rt.Line{Method: "initialize", Kind: recording.Capable,
		Result: `{"protocolVersion":"2025-11-25"}`,
		Params: `{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}}}`}
	form := areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
	sample := func(params string) rt.Line {
		const method = "sampling/createMessage"
		return areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
			`}}`)
	}
	areatest.WalkRuns(t, recording.Everything, `{}`, []areatest.Run{
		{ID: "LIFE-12", Want: verdict.Pass, Rec: areatest.Lines(hello, ask)},
		{ID: "LIFE-12", Want: verdict.Fail, Rec: areatest.Lines(hello, form)},
		{ID: "LIFE-13", Want: verdict.Pass,
			Rec: areatest.Lines(hello, sample(`"messages":[],"maxTokens":1`))},
		{ID: "LIFE-13", Want: verdict.Fail, Rec: areatest.Lines(hello, sample(`"messages":[]`))},
	}, requirement.R20251125)
}
