package cache_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/cache"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

func TestCachingHints(t *testing.T) {
	list := func(result string) []rt.Line {
		return areatest.Lines(areatest.Asked("page", "resources/list", "{}", result))
	}
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`,
		areatest.Pass("CACHE-01", list(`{"ttlMs":0,"cacheScope":"public"}`)...),
		areatest.Fail("CACHE-01", list(`{"ttlMs":0}`)...),
		areatest.Fail("CACHE-01", list(`{"cacheScope":"private"}`)...),
		areatest.NotApplicable("CACHE-01", list(areatest.ParamsError)...),
		areatest.Pass("CACHE-05", list(`{"ttlMs":1000.0}`)...),
		areatest.Pass("CACHE-05", list(`{"ttlMs":0}`)...),
		areatest.Fail("CACHE-05", list(`{"ttlMs":"60000"}`)...),
		areatest.Fail("CACHE-05", list(`{"ttlMs":0.5}`)...),
		areatest.Fail("CACHE-05", list(`{"ttlMs":-1}`)...),
		areatest.NotApplicable("CACHE-05", list(`{}`)...),
		areatest.Pass("CACHE-07", list(`{"cacheScope":"private"}`)...),
		areatest.Fail("CACHE-07", list(`{"cacheScope":"shared"}`)...),
		areatest.Fail("CACHE-07", list(`{"cacheScope":"Public"}`)...),
	)
	page := func(scope, ttl string) rt.Line {
		return areatest.Asked("page", "resources/list", "{}", `{"resources":[],"nextCursor":"x","ttlMs":`+ttl+
			`,"cacheScope":"`+scope+`"}`)
	}
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`,
		areatest.Pass("CACHE-08", page("public", "1"), page("public", "2")),
		areatest.Fail("CACHE-08", page("private", "1"), page("public", "1")),
		areatest.NotApplicable("CACHE-08", page("public", "1")),
	)
	areatest.WalkRuns(t, recording.Reads, `{"resources":{}}`,
		areatest.Pass("CACHE-03", areatest.Asked("read", "resources/read", "{}",
			`{"resultType":"complete","ttlMs":0,"cacheScope":"public"}`)),
		areatest.Fail("CACHE-03",
			areatest.Asked("read", "resources/read", "{}", `{"resultType":"complete"}`)),
		areatest.NotApplicable("CACHE-03",
			areatest.Asked("read", "resources/read", "{}", `{"resultType":"input_required"}`)),
	)
	areatest.WalkRuns(t, recording.Discovery, `{}`,
		areatest.Pass("CACHE-04", areatest.Discovery(`{"ttlMs":0,"cacheScope":"public"}`)),
		areatest.Fail("CACHE-04", areatest.Discovery(`{}`)),
	)
	areatest.WalkRuns(t, recording.InputReads, `{}`,
		areatest.Pass("CACHE-10", areatest.Asked("ask", "resources/read", "{}",
			`{"resultType":"input_required","requestState":"x"}`)),
		areatest.Warn("CACHE-10",
			areatest.Asked("ask", "resources/read", "{}", `{"resultType":"input_required","ttlMs":0}`)),
		areatest.NotApplicable("CACHE-10",
			areatest.Asked("ask", "resources/read", "{}", `{"resultType":"complete","ttlMs":0}`)),
	)
}

func TestCallers(t *testing.T) {
	seen := func(step recording.Step, scope, text string) rt.Line {
		return areatest.Asked(step, "resources/read", `{"uri":"a:1"}`,
			`{"cacheScope":"`+scope+`","contents":[{"uri":"a:1","text":"`+text+`"}]}`, "identity", "guest")
	}
	refused := areatest.Asked("protected", "resources/read", `{"uri":"a:1"}`, areatest.ParamsError,
		"identity", "guest")
	areatest.WalkRuns(t, cache.Callers, `{"resources":{}}`,
		areatest.Pass("CACHE-11", seen("mine", "public", "a"), seen("theirs", "public", "a"),
			seen("mine-again", "public", "a")),
		areatest.Warn("CACHE-11", seen("mine", "public", "a"), seen("theirs", "public", "b"),
			seen("mine-again", "public", "a")),
		areatest.NotApplicable("CACHE-11", seen("mine", "private", "a"), seen("theirs", "private", "b"),
			seen("mine-again", "private", "a")),
		areatest.NotApplicable("CACHE-11", seen("mine", "public", "a"), seen("theirs", "public", "b"),
			seen("mine-again", "public", "c")),
		areatest.NotApplicable("CACHE-11", seen("mine", "public", "a"), refused,
			seen("mine-again", "public", "a")),
		areatest.Pass("CACHE-12", seen("mine", "public", "a"), refused),
		areatest.Pass("CACHE-12",
			rt.Line{Step: "protected", Method: "resources/read", Status: 401, Outcome: recording.HTTPOnly}),
		areatest.Fail("CACHE-12", seen("mine", "public", "a"), seen("protected", "public", "a")),
		areatest.NotApplicable("CACHE-12", seen("mine", "public", "a")),
	)
}
