package life_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
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
	areatest.WalkRuns(t, life.CapableClient, `{"resources":{}}`,
		areatest.Pass("LIFE-18", ask, open, served),
		areatest.NotApplicable("LIFE-18", served),
		areatest.Fail("LIFE-18", ask, without(open, recording.Silent), served),
		areatest.Fail("LIFE-18", ask, open, without(served, recording.Silent)),
		areatest.Fail("LIFE-18", ask, open, without(served, recording.Lost)),
		areatest.Fail("LIFE-18", without(served, recording.Lost)),
		areatest.NotApplicable("LIFE-18", without(served, recording.Silent)),
		areatest.Warn("LIFE-18", ask, open, refused),
		// started again since
		areatest.Fail("LIFE-18", without(used, recording.Lost), refused),
		areatest.NotApplicable("LIFE-18", without(used, recording.Silent), served),
		areatest.Pass("LIFE-18", open, meanwhile),
	)
	beside, left := rt.Line{Step: "beside", Method: "ping", Result: `{}`}, served
	left.Step = "left"
	areatest.WalkRuns(t, life.CapableClient, `{"resources":{}}`,
		areatest.Pass("LIFE-19", ask, beside, left),
		areatest.NotApplicable("LIFE-19", beside, left),
		areatest.NotApplicable("LIFE-19", ask),
		areatest.NotApplicable("LIFE-19", ask, without(beside, recording.Lost),
			without(left, recording.Lost)),
		areatest.Fail("LIFE-19", beside, without(left, recording.Lost)),
	)
	hello := rt.Line{Method: "initialize", Kind: recording.Capable,
		Result: `{"protocolVersion":"2025-11-25"}`,
		Params: `{"protocolVersion":"2025-11-25","capabilities":{"sampling":{},"roots":{}}}`}
	form := areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"elicitation/create"}`)
	sample := func(params string) rt.Line {
		const method = "sampling/createMessage"
		return areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":{` + params +
			`}}`)
	}
	areatest.WalkRunsIn(t, recording.Everything, `{}`, []areatest.Run{
		areatest.Pass("LIFE-12", hello, ask),
		areatest.Fail("LIFE-12", hello, form),
		areatest.Pass("LIFE-13", hello, sample(`"messages":[],"maxTokens":1`)),
		areatest.Fail("LIFE-13", hello, sample(`"messages":[]`)),
	}, requirement.R20251125)
}
