package check

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
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
		{"PAGE-04", Warn, lines(first, page("2", `{"cursor":"x"}`, `{"resources":[{"uri":"a:2"}],"nextCursor":"y"}`), page("3d", `{"cursor":"y"}`, onePage))},
		{"PAGE-09", NotApplicable, lines(first, second)},
		{"PAGE-09", Pass, lines(page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`), page("2d", `{"cursor":""}`, `{"resources":[{"uri":"a:2"}]}`))},
		{"PAGE-09", Fail, lines(page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`), page("2c", `{"cursor":""}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`))},
		{"PAGE-09", Fail, lines(page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`), refusal("page", "resources/list", `{"cursor":""}`, "-32602"))},
	})
	templates := func(n, params, result string) rt.Line {
		l := page(n, params, result)
		l.Method = "resources/templates/list"
		return l
	}
	one := templates("1", `{}`, `{"resourceTemplates":[{"uriTemplate":"a:{x}"}],"nextCursor":"x"}`)
	walkRuns(t, recording.WalkTemplates, `{"resources":{}}`, []run{
		{"PAGE-01", Fail, lines(templates("1d", `{}`, `{"resourceTemplates":[],"nextCursor":0}`))},
		{"PAGE-12", Pass, lines(one, templates("2d", `{"cursor":"x"}`, `{"resourceTemplates":[{"uriTemplate":"b:{x}"}]}`))},
		{"PAGE-12", NotApplicable, lines(templates("1d", `{}`, `{"resourceTemplates":[]}`))},
		{"PAGE-12", Fail, lines(one, templates("2d", `{"cursor":"x"}`, `{"resourceTemplates":[{"uriTemplate":"a:{x}"}]}`))},
		{"PAGE-12", Fail, lines(one, refusal("page", "resources/templates/list", `{"cursor":"x"}`, "-32602", "end", "refused"))},
	})
}

func TestBadCursors(t *testing.T) {
	list := func(step, cursor, result string) rt.Line {
		params := `{}`
		if cursor != "" {
			params = `{"cursor":` + cursor + `}`
		}
		return rt.Line{Step: step, Method: "resources/list", Params: params, Result: result}
	}
	before, after := list("before", "", onePage), list("after", "", onePage)
	no := func(step, cursor, code string) rt.Line {
		return refusal(step, "resources/list", `{"cursor":`+cursor+`}`, code)
	}
	dead := list("number", `5`, "")
	dead.Outcome, dead.Fatal = recording.Lost, true
	lost := list("after/lost", "", "")
	lost.Outcome = recording.Lost
	ofTemplates := func(l rt.Line) rt.Line {
		l.Method = "resources/templates/list"
		return l
	}
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "PAGE-05", recording.BadCursors, rec)
	}
	observed(t, see(before, list("changed", `"y"`, onePage), list("appended", `"xz"`, onePage)), "altered-cursor", "2 altered", `"y" (changed, in resources/list)`)
	observed(t, see(before, list("foreign", `"y"`, onePage)), "foreign-cursor", "1 of the one list")
	observed(t, see(before, list("old", `"y"`, onePage), no("changed", `"y"`, "-32602")), "")
	walkRuns(t, recording.BadCursors, `{"resources":{}}`, []run{
		{"PAGE-05", Pass, lines(before, no("unknown", `"x"`, "-32602"))},
		{"PAGE-05", Warn, lines(before, no("unknown", `"x"`, "-32603"))},
		{"PAGE-05", Warn, lines(before, list("unknown", `"x"`, onePage))},
		{"PAGE-05", Blocked, lines(before, list("unknown", `"x"`, ""))},
		{"PAGE-05", NotApplicable, lines(refusal("before", "resources/list", `{}`, "-32601"), no("unknown", `"x"`, "-32603"))},
		{"PAGE-05", Pass, lines(before, no("unknown", `"x"`, "-32602"), no("changed", `"y"`, "-32602"), list("old", `"z"`, onePage))},
		{"PAGE-05", Pass, lines(before, no("unknown", `"x"`, "-32602"), list("foreign", `"z"`, onePage))},
		{"PAGE-05", Warn, lines(before, no("unknown", `"x"`, "-32602"), no("truncated", `"y"`, "-32603"))},
		{"PAGE-05", Warn, lines(before, no("unknown", `"x"`, "-32602"), no("old", `"y"`, "-32603"))},
		{"PAGE-05", Warn, lines(before, no("unknown", `"x"`, "-32602"), ofTemplates(before), ofTemplates(list("unknown", `"x"`, `{"resourceTemplates":[]}`)))},
		{"PAGE-05", Pass, lines(before, no("unknown", `"x"`, "-32602"), ofTemplates(refusal("before", "", `{}`, "-32601")))},
		{"PAGE-06", Fail, lines(before, after, ofTemplates(before), ofTemplates(dead), ofTemplates(after))},
		{"PAGE-06", Pass, lines(before, list("null", `null`, onePage), after)},
		{"PAGE-06", Pass, lines(before, no("number", `5`, "-32603"), after)},
		{"PAGE-06", Pass, lines(before, list("long", `"AAAA"`, onePage), after)},
		{"PAGE-06", Pass, lines(before, list("object", `{}`, ""), after)},
		{"PAGE-06", Warn, lines(before, list("number", `5`, onePage), after)},
		{"PAGE-06", Warn, lines(before, refusal("after", "resources/list", `{}`, "-32603"))},
		{"PAGE-06", Fail, lines(before, dead, after)},
		{"PAGE-06", Fail, lines(before, lost, after)},
		{"PAGE-06", Fail, lines(before, list("after", "", ""))},
	})
}

func TestPagingChecks(t *testing.T) {
	step := func(name, cursor, uri string) rt.Line {
		l := rt.Line{Step: name, Method: "resources/list", Params: `{}`, Result: `{"resources":[{"uri":"` + uri + `"}],"nextCursor":"x"}`}
		if cursor != "" {
			l.Params = `{"cursor":"` + cursor + `"}`
		}
		if uri == "" {
			l.Result = `{"resources":[]}`
		}
		return l
	}
	first, second, middle := step("first", "", "a:1"), step("second", "", "a:1"), step("middle", "", "a:1")
	next := step("next", "x", "a:2")
	refused := refusal("next-again", "resources/list", `{"cursor":"x"}`, "-32602")
	walkRuns(t, recording.Paging, `{"resources":{}}`, []run{
		{"PAGE-07", Pass, lines(first, second, next, step("next-again", "x", "a:2"), middle)},
		{"PAGE-07", Warn, lines(first, second, next, step("next-again", "x", "a:3"), middle)},
		{"PAGE-07", Pass, lines(first, second, step("next", "x", `a:2"},{"uri":"a:3`), step("next-again", "x", `a:4"},{"uri":"a:2`), middle)},
		{"PAGE-07", Warn, lines(first, second, next, refusal("next-again", "resources/list", `{"cursor":"x"}`, "-32602"), middle)},
		{"PAGE-07", NotApplicable, lines(first, second, next, step("next-again", "x", "a:3"), step("middle", "", "a:4"))},
		{"PAGE-07", Pass, lines(first, second, next, step("next-again", "x", "a:2"), step("middle", "", "a:4"))},
		// A cursor that was just handed out is refused, where one of the walk was taken.
		{"PAGE-07", Warn, lines(step("page", "x", "a:2"), first, second, refusal("next", "resources/list", `{"cursor":"x"}`, "-32602"), refused, middle)},
		{"PAGE-07", NotApplicable, lines(refusal("page", "resources/list", `{"cursor":"x"}`, "-32602"), first, second, refusal("next", "resources/list", `{"cursor":"x"}`, "-32602"), refused, middle)},
		{"PAGE-05", Pass, lines(first, next, refusal("elsewhere", "resources/list", `{"cursor":"w"}`, "-32602"))},
		{"PAGE-05", Warn, lines(first, next, refusal("elsewhere", "resources/list", `{"cursor":"w"}`, "-32603"))},
		{"PAGE-08", Pass, lines(first, second, next, middle)},
		{"PAGE-08", Fail, lines(first, step("second", "", "a:2"), next, middle)},
		{"PAGE-08", Fail, lines(step("page", "x", "a:2"), first, step("second", "", "a:2"), step("next", "x", "a:3"))},
		{"PAGE-08", Fail, lines(first, second, next, step("middle", "", ""))},
		{"PAGE-08", Warn, lines(first, step("second", "", "a:3"), next, middle)},
		{"PAGE-08", Pass, lines(step("first", "", `a:1"},{"uri":"a:7`), step("second", "", `a:8"},{"uri":"a:1`), next)},
		{"PAGE-08", Warn, lines(step("first", "", `a:1"},{"uri":"a:5"},{"uri":"a:6`), step("second", "", `a:6"},{"uri":"a:7"},{"uri":"a:8`), next)},
		{"PAGE-08", Warn, lines(first, refusal("second", "resources/list", `{}`, "-32603"), next)},
		{"PAGE-08", NotApplicable, lines(refusal("first", "resources/list", `{}`, "-32603"))},
	})
}

// A cursor is good on every connection since 2026-07-28, but maybe not in every process.
func TestCursorElsewhere(t *testing.T) {
	step := func(name, uri string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Params: `{"cursor":"x"}`, Result: `{"resources":[{"uri":"` + uri + `"}],"nextCursor":"y"}`}
	}
	refused := refusal("elsewhere", "resources/list", `{"cursor":"x"}`, "-32602")
	for _, c := range []struct {
		revision  requirement.Revision
		transport requirement.Transport
		last      rt.Line
		want      Outcome
	}{
		{modernOne, requirement.HTTP, step("elsewhere", "a:2"), Pass},
		{modernOne, requirement.HTTP, step("elsewhere", "a:3"), Warn},
		{modernOne, requirement.HTTP, refused, Warn},
		{modernOne, requirement.Stdio, refused, Pass},
		{requirement.R20251125, requirement.HTTP, refused, Pass},
	} {
		req, _ := requirement.Find("PAGE-07")
		k, _ := Find("PAGE-07")
		facts := rt.Facts(requirement.Combination{Revision: c.revision, Transport: c.transport}, hasResources)
		rec := rt.New(recording.Paging, facts, step("page", "a:2"), step("first", "a:1"), step("second", "a:1"), step("next", "a:2"), step("next-again", "a:2"), step("middle", "a:1"), c.last)
		if got := Evaluate(k, req, facts, Recordings{recording.Paging: rec}); got.Outcome != c.want {
			t.Errorf("%s on %s: %+v", c.revision, c.transport, got)
		}
	}
}

// Where the list has changed since the walk, the cursor of the walk proves nothing.
func TestCursorElsewhereOfAnotherList(t *testing.T) {
	step := func(name, uri string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Params: `{"cursor":"x"}`, Result: `{"resources":[{"uri":"` + uri + `"}],"nextCursor":"y"}`}
	}
	for _, last := range []rt.Line{step("elsewhere", "a:3"), refusal("elsewhere", "resources/list", `{"cursor":"x"}`, "-32602")} {
		req, _ := requirement.Find("PAGE-07")
		k, _ := Find("PAGE-07")
		facts := rt.Facts(requirement.Combination{Revision: modernOne, Transport: requirement.HTTP}, hasResources)
		rec := rt.New(recording.Paging, facts, step("page", "a:2"), step("first", "a:1"), step("second", "a:1"), step("next", "a:3"), step("next-again", "a:3"), step("middle", "a:1"), last)
		if got := Evaluate(k, req, facts, Recordings{recording.Paging: rec}); got.Outcome != Pass {
			t.Errorf("%+v", got)
		}
	}
}

// The templates are paged by the same rules, hidden positions included.
func TestTemplatePaging(t *testing.T) {
	step := func(name, cursor, template string) rt.Line {
		l := rt.Line{Step: name, Method: "resources/templates/list", Params: `{}`, Result: `{"resourceTemplates":[{"uriTemplate":"` + template + `"}],"nextCursor":"x"}`}
		if cursor != "" {
			l.Params = `{"cursor":"` + cursor + `"}`
		}
		return l
	}
	first, second, next, middle := step("first", "", "a:{x}"), step("second", "", "a:{x}"), step("next", "x", "b:{x}"), step("middle", "", "a:{x}")
	walkRuns(t, recording.TemplatePaging, hasResources, []run{
		{"PAGE-12", Pass, lines(first, second, next, middle)},
		{"PAGE-12", Fail, lines(first, step("second", "", "b:{x}"), next, middle)},
		{"PAGE-07", Pass, lines(first, second, next, step("next-again", "x", "b:{x}"), middle)},
		{"PAGE-07", Warn, lines(first, second, next, step("next-again", "x", "c:{x}"), middle)},
	})
}

func TestCompleteWalks(t *testing.T) {
	known := func(end, expected, entries string) []rt.Line {
		return lines(rt.Line{Step: "page", Method: "resources/list", Params: `{}`, Result: `{"resources":[` + entries + `]}`,
			Tags: map[string]string{"end": end, "expected": expected}})
	}
	walkRuns(t, recording.CompleteWalks, `{"resources":{}}`, []run{
		{"PAGE-13", Pass, known("done", `["a:1","a:\u00e9"]`, `{"uri":"a:é"},{"uri":"a:1"},{"uri":"a:3"},{"uri":"a:3"}`)},
		{"PAGE-13", Fail, known("done", `["a:1","a:2"]`, `{"uri":"a:1"}`)},
		{"PAGE-13", Warn, known("done", `["a:1"]`, `{"uri":"a:1"},{"uri":"a:1"}`)},
		{"PAGE-13", NotApplicable, known("bound", `["a:1"]`, ``)},
	})
}

// TestCycle: a walk that does not end is shown with both of the pages.
func TestCycle(t *testing.T) {
	const whole = `{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`
	rec := lines(page("1", `{}`, whole), page("2", `{"cursor":"x"}`, `{"resources":[{"uri":"a:2","name":"2"}],"nextCursor":"y"}`), page("3c", `{"cursor":"y"}`, whole))
	req, _ := requirement.Find("PAGE-02")
	k, _ := Find("PAGE-02")
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	got := Evaluate(k, req, facts, Recordings{recording.WalkResources: rt.New(recording.WalkResources, facts, rec...)})
	if !strings.Contains(got.Actual, "page 3 repeats page 1 ") || !slices.Equal(got.Frames, []int{1, 2, 5, 6}) {
		t.Errorf("%+v", got)
	}
}
