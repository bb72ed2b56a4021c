package page_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/page"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestPageChecks(t *testing.T) {
	first := areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`)
	second := areatest.Page("2d", `{"cursor":"x"}`, `{"resources":[{"uri":"a:2","name":"2"}]}`)
	areatest.WalkRuns(t, recording.WalkResources, `{"resources":{}}`,
		areatest.Pass("PAGE-01", first, second),
		areatest.Fail("PAGE-01", areatest.Page("1d", `{}`, `{"resources":[],"nextCursor":null}`)),
		areatest.Fail("PAGE-01", areatest.Page("1d", `{}`, `{"resources":[],"nextCursor":5}`)),
		areatest.Pass("PAGE-02", first, second),
		areatest.NotApplicable("PAGE-02", areatest.Page("1d", `{}`, areatest.OnePage)),
		areatest.NotApplicable("PAGE-02", first,
			areatest.Page("2b", `{"cursor":"x"}`, `{"resources":[],"nextCursor":"y"}`)),
		areatest.Fail("PAGE-02", first, areatest.Page("2c", `{"cursor":"x"}`,
			`{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`)),
		areatest.Warn("PAGE-02", first,
			areatest.Page("2c", `{"cursor":"x"}`, `{"resources":[],"nextCursor":"x"}`)),
		areatest.NotApplicable("PAGE-02", first,
			areatest.Page("2", `{"cursor":"x"}`, `{"resources":[],"nextCursor":"y"}`),
			areatest.Page("3i", `{"cursor":"y"}`, `{"resources":[],"nextCursor":"z"}`)),
		areatest.NotApplicable("PAGE-02", first, areatest.Page("2i", `{"cursor":"x"}`,
			`{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"y"}`)),
		areatest.Pass("PAGE-03", first, second),
		areatest.Fail("PAGE-03", first, rt.Line{Step: "page", Method: "resources/list",
			Params: `{"cursor":"x"}`, Error: `{"code":-32602,"message":"no"}`}),
		areatest.Blocked("PAGE-03", first, rt.Line{Step: "page", Method: "resources/list",
			Params: `{"cursor":"x"}`, Outcome: recording.Lost}),
		areatest.Pass("PAGE-04", first, second),
		areatest.Pass("PAGE-04", first, areatest.Page("2d", `{"cursor":"x"}`, `{"resources":[]}`)),
		areatest.Fail("PAGE-04",
			areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"},{"uri":"a:2"}],"nextCursor":"x"}`),
			areatest.Page("2d", `{"cursor":"x"}`, `{"resources":[{"uri":"a:1"},{"uri":"a:2"}]}`)),
		areatest.Fail("PAGE-04", first,
			areatest.Page("2i", `{"cursor":"x"}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"y"}`)),
		areatest.Warn("PAGE-04", first, areatest.Page("2d", `{"cursor":"x"}`, areatest.OnePage)),
		areatest.Warn("PAGE-04", first,
			areatest.Page("2", `{"cursor":"x"}`, `{"resources":[{"uri":"a:2"}],"nextCursor":"y"}`),
			areatest.Page("3d", `{"cursor":"y"}`, areatest.OnePage)),
		areatest.NotApplicable("PAGE-09", first, second),
		areatest.Pass("PAGE-09", areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`),
			areatest.Page("2d", `{"cursor":""}`, `{"resources":[{"uri":"a:2"}]}`)),
		areatest.Fail("PAGE-09", areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`),
			areatest.Page("2c", `{"cursor":""}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`)),
		areatest.Fail("PAGE-09", areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":""}`),
			areatest.Refusal("page", "resources/list", `{"cursor":""}`, "-32602")),
	)
	templates := func(n, params, result string) rt.Line {
		l := areatest.Page(n, params, result)
		l.Method = "resources/templates/list"
		return l
	}
	one := templates("1", `{}`, `{"resourceTemplates":[{"uriTemplate":"a:{x}"}],"nextCursor":"x"}`)
	areatest.WalkRuns(t, recording.WalkTemplates, `{"resources":{}}`,
		areatest.Fail("PAGE-01", templates("1d", `{}`, `{"resourceTemplates":[],"nextCursor":0}`)),
		areatest.Pass("PAGE-12", one,
			templates("2d", `{"cursor":"x"}`, `{"resourceTemplates":[{"uriTemplate":"b:{x}"}]}`)),
		areatest.NotApplicable("PAGE-12", templates("1d", `{}`, `{"resourceTemplates":[]}`)),
		areatest.Fail("PAGE-12", one, templates("2c", `{"cursor":"x"}`,
			`{"resourceTemplates":[{"uriTemplate":"a:{x}"}],"nextCursor":"x"}`)),
		areatest.Fail("PAGE-12", one, areatest.Refusal("page", "resources/templates/list",
			`{"cursor":"x"}`, "-32602", "end", "refused")),
	)
}

func TestBadCursors(t *testing.T) {
	list := func(step recording.Step, cursor, result string) rt.Line {
		params := `{}`
		if cursor != "" {
			params = `{"cursor":` + cursor + `}`
		}
		return rt.Line{Step: step, Method: "resources/list", Params: params, Result: result}
	}
	before, after := list("before", "", areatest.OnePage), list("after", "", areatest.OnePage)
	no := func(step recording.Step, cursor, code string) rt.Line {
		return areatest.Refusal(step, "resources/list", `{"cursor":`+cursor+`}`, code)
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
		return areatest.Observations(t, "PAGE-05", page.BadCursors, rec)
	}
	areatest.Observed(t, see(before, list("changed", `"y"`, areatest.OnePage),
		list("appended", `"xz"`, areatest.OnePage)), "altered-cursor", "2 altered",
		`"y" (a cursor with one letter changed, in resources/list)`)
	areatest.Observed(t, see(before, list("foreign", `"y"`, areatest.OnePage)), "foreign-cursor",
		"1 of the one list")
	areatest.Observed(t, see(before, list("old", `"y"`, areatest.OnePage), no("changed", `"y"`, "-32602")),
		"")
	areatest.WalkRuns(t, page.BadCursors, `{"resources":{}}`,
		areatest.Pass("PAGE-05", before, no("unknown", `"x"`, "-32602")),
		areatest.Warn("PAGE-05", before, no("unknown", `"x"`, "-32603")),
		areatest.Warn("PAGE-05", before, list("unknown", `"x"`, areatest.OnePage)),
		areatest.Blocked("PAGE-05", before, list("unknown", `"x"`, "")),
		areatest.NotApplicable("PAGE-05", areatest.Refusal("before", "resources/list", `{}`, "-32601"),
			no("unknown", `"x"`, "-32603")),
		areatest.Pass("PAGE-05", before, no("unknown", `"x"`, "-32602"), no("changed", `"y"`, "-32602"),
			list("old", `"z"`, areatest.OnePage)),
		areatest.Pass("PAGE-05", before, no("unknown", `"x"`, "-32602"),
			list("foreign", `"z"`, areatest.OnePage)),
		areatest.Warn("PAGE-05", before, no("unknown", `"x"`, "-32602"), no("truncated", `"y"`, "-32603")),
		areatest.Warn("PAGE-05", before, no("unknown", `"x"`, "-32602"), no("old", `"y"`, "-32603")),
		areatest.Warn("PAGE-05", before, no("unknown", `"x"`, "-32602"), ofTemplates(before),
			ofTemplates(list("unknown", `"x"`, `{"resourceTemplates":[]}`))),
		areatest.Pass("PAGE-05", before, no("unknown", `"x"`, "-32602"),
			ofTemplates(areatest.Refusal("before", "", `{}`, "-32601"))),
		areatest.Fail("PAGE-06", before, after, ofTemplates(before), ofTemplates(dead), ofTemplates(after)),
		areatest.Pass("PAGE-06", before, list("null", `null`, areatest.OnePage), after),
		areatest.Pass("PAGE-06", before, no("number", `5`, "-32603"), after),
		areatest.Pass("PAGE-06", before, list("long", `"AAAA"`, areatest.OnePage), after),
		areatest.Pass("PAGE-06", before, list("object", `{}`, ""), after),
		areatest.Pass("PAGE-06", before, list("number", `5`, areatest.OnePage), after),
		areatest.Warn("PAGE-06", before, areatest.Refusal("after", "resources/list", `{}`, "-32603")),
		areatest.Fail("PAGE-06", before, dead, after),
		areatest.Fail("PAGE-06", before, lost, after),
		areatest.Fail("PAGE-06", before, list("after", "", "")),
	)
}

func TestPagingChecks(t *testing.T) {
	step := func(name recording.Step, cursor, uri string) rt.Line {
		l := rt.Line{Step: name, Method: "resources/list", Params: `{}`, Result: `{"resources":[{"uri":"` +
			uri + `"}],"nextCursor":"x"}`}
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
	refused := areatest.Refusal("next-again", "resources/list", `{"cursor":"x"}`, "-32602")
	areatest.WalkRuns(t, page.Paging, `{"resources":{}}`,
		areatest.Pass("PAGE-07", first, second, next, step("next-again", "x", "a:2"), middle),
		areatest.Warn("PAGE-07", first, second, next, step("next-again", "x", "a:3"), middle),
		areatest.Pass("PAGE-07", first, second, step("next", "x", `a:2"},{"uri":"a:3`),
			step("next-again", "x", `a:4"},{"uri":"a:2`), middle),
		areatest.Warn("PAGE-07", first, second, next,
			areatest.Refusal("next-again", "resources/list", `{"cursor":"x"}`, "-32602"), middle),
		areatest.NotApplicable("PAGE-07", first, second, next, step("next-again", "x", "a:3"),
			step("middle", "", "a:4")),
		areatest.Pass("PAGE-07", first, second, next, step("next-again", "x", "a:2"),
			step("middle", "", "a:4")),
		// A cursor that was just handed out is refused, where one of the walk was taken.
		areatest.Warn("PAGE-07", step("page", "x", "a:2"), first, second,
			areatest.Refusal("next", "resources/list", `{"cursor":"x"}`, "-32602"), refused, middle),
		areatest.NotApplicable("PAGE-07",
			areatest.Refusal("page", "resources/list", `{"cursor":"x"}`, "-32602"), first, second,
			areatest.Refusal("next", "resources/list", `{"cursor":"x"}`, "-32602"), refused, middle),
		areatest.Pass("PAGE-05", first, next,
			areatest.Refusal("elsewhere", "resources/list", `{"cursor":"w"}`, "-32602")),
		areatest.Warn("PAGE-05", first, next,
			areatest.Refusal("elsewhere", "resources/list", `{"cursor":"w"}`, "-32603")),
		areatest.Pass("PAGE-08", first, second, next, middle),
		areatest.Fail("PAGE-08", first, step("second", "", "a:2"), next, middle),
		areatest.Fail("PAGE-08", step("page", "x", "a:2"), first, step("second", "", "a:2"),
			step("next", "x", "a:3")),
		areatest.Fail("PAGE-08", first, second, next, step("middle", "", "")),
		areatest.Warn("PAGE-08", first, step("second", "", "a:3"), next, middle),
		areatest.Pass("PAGE-08", step("first", "", `a:1"},{"uri":"a:7`),
			step("second", "", `a:8"},{"uri":"a:1`), next),
		areatest.Warn("PAGE-08", step("first", "", `a:1"},{"uri":"a:5"},{"uri":"a:6`),
			step("second", "", `a:6"},{"uri":"a:7"},{"uri":"a:8`), next),
		areatest.Warn("PAGE-08", first, areatest.Refusal("second", "resources/list", `{}`, "-32603"), next),
		areatest.NotApplicable("PAGE-08", areatest.Refusal("first", "resources/list", `{}`, "-32603")),
	)
}

// A cursor is good on every connection since 2026-07-28, but maybe not in every process.
func TestCursorElsewhere(t *testing.T) {
	step := func(name recording.Step, uri string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Params: `{"cursor":"x"}`,
			Result: `{"resources":[{"uri":"` + uri + `"}],"nextCursor":"y"}`}
	}
	refused := areatest.Refusal("elsewhere", "resources/list", `{"cursor":"x"}`, "-32602")
	for _, c := range []struct {
		revision  requirement.Revision
		transport requirement.Transport
		last      rt.Line
		want      verdict.Outcome
	}{
		{areatest.ModernOne, requirement.HTTP, step("elsewhere", "a:2"), verdict.Pass},
		{areatest.ModernOne, requirement.HTTP, step("elsewhere", "a:3"), verdict.Warn},
		{areatest.ModernOne, requirement.HTTP, refused, verdict.Warn},
		{areatest.ModernOne, requirement.Stdio, refused, verdict.Pass},
		{requirement.R20251125, requirement.HTTP, refused, verdict.Pass},
	} {
		facts := rt.Facts(requirement.Combination{Revision: c.revision, Transport: c.transport},
			areatest.HasResources)
		rec := rt.New(page.Paging, facts, step("page", "a:2"), step("first", "a:1"), step("second", "a:1"),
			step("next", "a:2"), step("next-again", "a:2"), step("middle", "a:1"), c.last)
		areatest.Due(t, "PAGE-07", c, c.want, rec)
	}
}

// Where the list has changed since the walk, the cursor of the walk proves nothing, and neither does one of a
// page that was not seen.
func TestCursorElsewhereOfAnotherList(t *testing.T) {
	step := func(name recording.Step, uri string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Params: `{"cursor":"x"}`,
			Result: `{"resources":[{"uri":"` + uri + `"}],"nextCursor":"y"}`}
	}
	cut := rt.Line{Step: "page", Method: "resources/list", Params: `{"cursor":"x"}`,
		Outcome: recording.Refused, Status: 429}
	for _, rec := range [][]rt.Line{
		{step("page", "a:2"), step("elsewhere", "a:3")},
		{step("page", "a:2"), areatest.Refusal("elsewhere", "resources/list", `{"cursor":"x"}`, "-32602")},
		{cut, areatest.Refusal("elsewhere", "resources/list", `{"cursor":"x"}`, "-32602")},
	} {
		facts := areatest.HTTP(areatest.ModernOne, areatest.HasResources)
		between := areatest.Lines(step("first", "a:1"), step("second", "a:1"), step("next", "a:3"),
			step("next-again", "a:3"), step("middle", "a:1"))
		paging := rt.New(page.Paging, facts, slices.Concat(rec[:1], between, rec[1:])...)
		areatest.Due(t, "PAGE-07", "a list that moves", verdict.Pass, paging)
	}
}

// The templates are paged by the same rules, hidden positions included.
func TestTemplatePaging(t *testing.T) {
	step := func(name recording.Step, cursor, template string) rt.Line {
		l := rt.Line{Step: name, Method: "resources/templates/list", Params: `{}`,
			Result: `{"resourceTemplates":[{"uriTemplate":"` + template + `"}],"nextCursor":"x"}`}
		if cursor != "" {
			l.Params = `{"cursor":"` + cursor + `"}`
		}
		return l
	}
	first, second, next, middle := step("first", "", "a:{x}"), step("second", "", "a:{x}"),
		step("next", "x", "b:{x}"), step("middle", "", "a:{x}")
	areatest.WalkRuns(t, page.TemplatePaging, areatest.HasResources,
		areatest.Pass("PAGE-12", first, second, next, middle),
		areatest.Fail("PAGE-12", first, step("second", "", "b:{x}"), next, middle),
		areatest.Pass("PAGE-07", first, second, next, step("next-again", "x", "b:{x}"), middle),
		areatest.Warn("PAGE-07", first, second, next, step("next-again", "x", "c:{x}"), middle),
	)
}

func TestCompleteWalks(t *testing.T) {
	known := func(end, expected, entries string) []rt.Line {
		return areatest.Lines(rt.Line{Step: "page", Method: "resources/list", Params: `{}`,
			Result: `{"resources":[` + entries + `]}`,
			Tags:   recording.Tags{"end": end, "expected": expected}})
	}
	areatest.WalkRuns(t, page.CompleteWalks, `{"resources":{}}`,
		areatest.Pass("PAGE-13", known("done", `["a:1","a:\u00e9"]`,
			`{"uri":"a:é"},{"uri":"a:1"},{"uri":"a:3"},{"uri":"a:3"}`)...),
		areatest.Fail("PAGE-13", known("done", `["a:1","a:2"]`, `{"uri":"a:1"}`)...),
		areatest.Warn("PAGE-13", known("done", `["a:1"]`, `{"uri":"a:1"},{"uri":"a:1"}`)...),
		areatest.NotApplicable("PAGE-13", known("bound", `["a:1"]`, ``)...),
	)
}

// TestCycle: a walk that does not end is shown with both of the pages, and with the one whose
// cursor leads back.
func TestCycle(t *testing.T) {
	const whole = `{"resources":[{"uri":"a:1","name":"1"}],"nextCursor":"x"}`
	rec := areatest.Lines(areatest.Page("1", `{}`, whole), areatest.Page("2", `{"cursor":"x"}`,
		`{"resources":[{"uri":"a:2","name":"2"}],"nextCursor":"y"}`), areatest.Page("3c", `{"cursor":"y"}`,
		whole))
	facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
	got := areatest.Judge("PAGE-02", rt.New(recording.WalkResources, facts, rec...))
	if !strings.Contains(got.Actual, "page 3 repeats page 1 ") ||
		!slices.Equal(got.Frames, []int{1, 2, 3, 4, 5, 6}) {
		t.Errorf("%+v", got)
	}
}
