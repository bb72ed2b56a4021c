package cache_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/cache"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestCachingHints(t *testing.T) {
	list := func(result string) []rt.Line {
		return areatest.Lines(areatest.Asked("page", "resources/list", "{}", result))
	}
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`, []areatest.Run{
		{ID: "CACHE-01", Want: verdict.Pass, Rec: list(`{"ttlMs":0,"cacheScope":"public"}`)},
		{ID: "CACHE-01", Want: verdict.Fail, Rec: list(`{"ttlMs":0}`)},
		{ID: "CACHE-01", Want: verdict.Fail, Rec: list(`{"cacheScope":"private"}`)},
		{ID: "CACHE-01", Want: verdict.NotApplicable, Rec: list(areatest.ParamsError)},
		{ID: "CACHE-05", Want: verdict.Pass, Rec: list(`{"ttlMs":1000.0}`)},
		{ID: "CACHE-05", Want: verdict.Pass, Rec: list(`{"ttlMs":0}`)},
		{ID: "CACHE-05", Want: verdict.Fail, Rec: list(`{"ttlMs":"60000"}`)},
		{ID: "CACHE-05", Want: verdict.Fail, Rec: list(`{"ttlMs":0.5}`)},
		{ID: "CACHE-05", Want: verdict.Fail, Rec: list(`{"ttlMs":-1}`)},
		{ID: "CACHE-05", Want: verdict.NotApplicable, Rec: list(`{}`)},
		{ID: "CACHE-07", Want: verdict.Pass, Rec: list(`{"cacheScope":"private"}`)},
		{ID: "CACHE-07", Want: verdict.Fail, Rec: list(`{"cacheScope":"shared"}`)},
		{ID: "CACHE-07", Want: verdict.Fail, Rec: list(`{"cacheScope":"Public"}`)},
	})
	page := func(scope, ttl string) rt.Line {
		return areatest.Asked("page", "resources/list", "{}", `{"resources":[],"nextCursor":"x","ttlMs":`+ttl+
			`,"cacheScope":"`+scope+`"}`)
	}
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`, []areatest.Run{
		{ID: "CACHE-08", Want: verdict.Pass, Rec: areatest.Lines(page("public", "1"), page("public", "2"))},
		{ID: "CACHE-08", Want: verdict.Fail, Rec: areatest.Lines(page("private", "1"), page("public", "1"))},
		{ID: "CACHE-08", Want: verdict.NotApplicable, Rec: areatest.Lines(page("public", "1"))},
	})
	areatest.WalkRuns(t, recording.Reads, `{"resources":{}}`, []areatest.Run{
		{ID: "CACHE-03", Want: verdict.Pass,
			Rec: areatest.Lines(areatest.Asked("read", "resources/read", "{}",
				`{"resultType":"complete","ttlMs":0,"cacheScope":"public"}`))},
		{ID: "CACHE-03", Want: verdict.Fail,
			Rec: areatest.Lines(areatest.Asked("read", "resources/read", "{}", `{"resultType":"complete"}`))},
		{ID: "CACHE-03", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Asked("read", "resources/read", "{}",
				`{"resultType":"input_required"}`))},
	})
	areatest.WalkRuns(t, recording.Discovery, `{}`, []areatest.Run{
		{ID: "CACHE-04", Want: verdict.Pass,
			Rec: areatest.Lines(areatest.Discovery(`{"ttlMs":0,"cacheScope":"public"}`))},
		{ID: "CACHE-04", Want: verdict.Fail, Rec: areatest.Lines(areatest.Discovery(`{}`))},
	})
	areatest.WalkRuns(t, recording.InputReads, `{}`, []areatest.Run{
		{ID: "CACHE-10", Want: verdict.Pass, Rec: areatest.Lines(areatest.Asked("ask", "resources/read", "{}",
			`{"resultType":"input_required","requestState":"x"}`))},
		{ID: "CACHE-10", Want: verdict.Warn, Rec: areatest.Lines(areatest.Asked("ask", "resources/read", "{}",
			`{"resultType":"input_required","ttlMs":0}`))},
		{ID: "CACHE-10", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Asked("ask", "resources/read", "{}",
				`{"resultType":"complete","ttlMs":0}`))},
	})
}

func TestCallers(t *testing.T) {
	seen := func(step recording.Step, scope, text string) rt.Line {
		return areatest.Asked(step, "resources/read", `{"uri":"a:1"}`,
			`{"cacheScope":"`+scope+`","contents":[{"uri":"a:1","text":"`+text+`"}]}`, "identity", "guest")
	}
	refused := areatest.Asked("protected", "resources/read", `{"uri":"a:1"}`, areatest.ParamsError,
		"identity", "guest")
	areatest.WalkRuns(t, cache.Callers, `{"resources":{}}`, []areatest.Run{
		{ID: "CACHE-11", Want: verdict.Pass, Rec: areatest.Lines(seen("mine", "public", "a"),
			seen("theirs", "public", "a"), seen("mine-again", "public", "a"))},
		{ID: "CACHE-11", Want: verdict.Warn, Rec: areatest.Lines(seen("mine", "public", "a"),
			seen("theirs", "public", "b"), seen("mine-again", "public", "a"))},
		{ID: "CACHE-11", Want: verdict.NotApplicable, Rec: areatest.Lines(seen("mine", "private", "a"),
			seen("theirs", "private", "b"), seen("mine-again", "private", "a"))},
		{ID: "CACHE-11", Want: verdict.NotApplicable, Rec: areatest.Lines(seen("mine", "public", "a"),
			seen("theirs", "public", "b"), seen("mine-again", "public", "c"))},
		{ID: "CACHE-11", Want: verdict.NotApplicable, Rec: areatest.Lines(seen("mine", "public", "a"),
			refused, seen("mine-again", "public", "a"))},
		{ID: "CACHE-12", Want: verdict.Pass, Rec: areatest.Lines(seen("mine", "public", "a"), refused)},
		{ID: "CACHE-12", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "protected", Method: "resources/read", Status: 401,
				Outcome: recording.HTTPOnly})},
		{ID: "CACHE-12", Want: verdict.Fail, Rec: areatest.Lines(seen("mine", "public", "a"),
			seen("protected", "public", "a"))},
		{ID: "CACHE-12", Want: verdict.NotApplicable, Rec: areatest.Lines(seen("mine", "public", "a"))},
	})
}
