package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

func page(n, params, result string) rt.Line {
	end := map[string]string{"page": n}
	if n[len(n)-1] > '9' {
		end["end"] = map[byte]string{'d': "done", 'c': "cycle", 'b': "bound", 'r': "refused"}[n[len(n)-1]]
	}
	return rt.Line{Step: "page", Method: "resources/list", Params: params, Result: result, Tags: end}
}

const onePage = `{"resources":[{"uri":"a:1","name":"1"}]}`

func TestPageChecks(t *testing.T) {
	first := page("1", `{}`, `{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`)
	second := page("2d", `{"cursor":"x"}`, `{"resources":[{"uri":"a:2","name":"2"}]}`)
	walkRuns(t, recording.WalkResources, `{"resources":{}}`, []run{
		{"PAGE-01", Pass, lines(first, second)},
		{"PAGE-01", Fail, lines(page("1d", `{}`, `{"resources":[],"nextCursor":null}`))},
		{"PAGE-01", Fail, lines(page("1d", `{}`, `{"resources":[],"nextCursor":5}`))},
		{"PAGE-02", Pass, lines(first, second)},
		{"PAGE-02", NotApplicable, lines(page("1d", `{}`, onePage))},
		{"PAGE-02", NotApplicable, lines(first, page("2b", `{"cursor":"x"}`, `{"resources":[],"nextCursor":"y"}`))},
		{"PAGE-02", Fail, lines(first, page("2c", `{"cursor":"x"}`, `{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`))},
		{"PAGE-02", Warn, lines(first, page("2c", `{"cursor":"x"}`, `{"resources":[],"nextCursor":"x"}`))},
		{"PAGE-03", Pass, lines(first, second)},
		{"PAGE-03", Fail, lines(first, rt.Line{Step: "page", Method: "resources/list", Params: `{"cursor":"x"}`, Error: `{"code":-32602,"message":"no"}`})},
		{"PAGE-03", Blocked, lines(first, rt.Line{Step: "page", Method: "resources/list", Params: `{"cursor":"x"}`, Outcome: recording.Lost})},
		{"PAGE-04", Pass, lines(first, second)},
		{"PAGE-04", Pass, lines(first, page("2d", `{"cursor":"x"}`, `{"resources":[]}`))},
		{"PAGE-04", Fail, lines(first, page("2d", `{"cursor":"x"}`, onePage))},
	})
}
