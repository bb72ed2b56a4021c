package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

func TestCachingHints(t *testing.T) {
	list := func(result string) []rt.Line { return lines(asked("page", "resources/list", "{}", result)) }
	walkRuns(t, recording.WalkResources, `{"resources":{}}`, []run{
		{"CACHE-01", Pass, list(`{"ttlMs":0,"cacheScope":"public"}`)},
		{"CACHE-01", Fail, list(`{"ttlMs":0}`)},
		{"CACHE-01", Fail, list(`{"cacheScope":"private"}`)},
		{"CACHE-01", NotApplicable, list(paramsError)},
		{"CACHE-05", Pass, list(`{"ttlMs":1000.0}`)},
		{"CACHE-05", Pass, list(`{"ttlMs":0}`)},
		{"CACHE-05", Fail, list(`{"ttlMs":"60000"}`)},
		{"CACHE-05", Fail, list(`{"ttlMs":0.5}`)},
		{"CACHE-05", Fail, list(`{"ttlMs":-1}`)},
		{"CACHE-05", NotApplicable, list(`{}`)},
		{"CACHE-07", Pass, list(`{"cacheScope":"private"}`)},
		{"CACHE-07", Fail, list(`{"cacheScope":"shared"}`)},
		{"CACHE-07", Fail, list(`{"cacheScope":"Public"}`)},
	})
	page := func(scope, ttl string) rt.Line {
		return asked("page", "resources/list", "{}", `{"resources":[],"nextCursor":"x","ttlMs":`+ttl+`,"cacheScope":"`+scope+`"}`)
	}
	walkRuns(t, recording.WalkResources, `{"resources":{}}`, []run{
		{"CACHE-08", Pass, lines(page("public", "1"), page("public", "2"))},
		{"CACHE-08", Fail, lines(page("private", "1"), page("public", "1"))},
		{"CACHE-08", NotApplicable, lines(page("public", "1"))},
	})
	walkRuns(t, recording.Reads, `{"resources":{}}`, []run{
		{"CACHE-03", Pass, lines(asked("read", "resources/read", "{}", `{"resultType":"complete","ttlMs":0,"cacheScope":"public"}`))},
		{"CACHE-03", Fail, lines(asked("read", "resources/read", "{}", `{"resultType":"complete"}`))},
		{"CACHE-03", NotApplicable, lines(asked("read", "resources/read", "{}", `{"resultType":"input_required"}`))},
	})
	walkRuns(t, recording.Discovery, `{}`, []run{
		{"CACHE-04", Pass, lines(discovery(`{"ttlMs":0,"cacheScope":"public"}`))},
		{"CACHE-04", Fail, lines(discovery(`{}`))},
	})
	walkRuns(t, recording.InputReads, `{}`, []run{
		{"CACHE-10", Pass, lines(asked("ask", "resources/read", "{}", `{"resultType":"input_required","requestState":"x"}`))},
		{"CACHE-10", Warn, lines(asked("ask", "resources/read", "{}", `{"resultType":"input_required","ttlMs":0}`))},
		{"CACHE-10", NotApplicable, lines(asked("ask", "resources/read", "{}", `{"resultType":"complete","ttlMs":0}`))},
	})
}

func TestCallers(t *testing.T) {
	seen := func(step, scope, text string) rt.Line {
		return asked(step, "resources/read", `{"uri":"a:1"}`, `{"cacheScope":"`+scope+`","contents":[{"uri":"a:1","text":"`+text+`"}]}`, "identity", "guest")
	}
	refused := asked("protected", "resources/read", `{"uri":"a:1"}`, paramsError, "identity", "guest")
	walkRuns(t, recording.Callers, `{"resources":{}}`, []run{
		{"CACHE-11", Pass, lines(seen("mine", "public", "a"), seen("theirs", "public", "a"), seen("mine-again", "public", "a"))},
		{"CACHE-11", Warn, lines(seen("mine", "public", "a"), seen("theirs", "public", "b"), seen("mine-again", "public", "a"))},
		{"CACHE-11", NotApplicable, lines(seen("mine", "private", "a"), seen("theirs", "private", "b"), seen("mine-again", "private", "a"))},
		{"CACHE-11", NotApplicable, lines(seen("mine", "public", "a"), seen("theirs", "public", "b"), seen("mine-again", "public", "c"))},
		{"CACHE-11", NotApplicable, lines(seen("mine", "public", "a"), refused, seen("mine-again", "public", "a"))},
		{"CACHE-12", Pass, lines(seen("mine", "public", "a"), refused)},
		{"CACHE-12", Pass, lines(rt.Line{Step: "protected", Method: "resources/read", Status: 401, Outcome: recording.HTTPOnly})},
		{"CACHE-12", Fail, lines(seen("mine", "public", "a"), seen("protected", "public", "a"))},
		{"CACHE-12", NotApplicable, lines(seen("mine", "public", "a"))},
	})
}
