package list_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/list"
	"github.com/mcpcheck/mcpcheck/suite/area/page"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestListChecks(t *testing.T) {
	areatest.WalkRuns(t, recording.WalkResources, areatest.HasResources,
		areatest.Pass("LIST-01", areatest.Listing(``)...),
		areatest.Pass("LIST-01", areatest.Listing(`{"uri":"a:1","name":"1"}`)...),
		areatest.Fail("LIST-01", areatest.Page("1d", `{}`, `{"resources":null}`)),
		areatest.Fail("LIST-01", areatest.Page("1d", `{}`, `{}`)),
		areatest.Fail("LIST-01", areatest.Page("1d", `{}`, `{"Resources":[]}`)),
		areatest.NotApplicable("LIST-01", areatest.Refusal("page", "resources/list", `{}`, "-32603")),
		areatest.Blocked("LIST-01", rt.Line{Step: "page", Method: "resources/list", Outcome: recording.Lost}),
		areatest.Pass("LIST-02", areatest.Listing(`{"uri":"","name":""}`)...),
		areatest.NotApplicable("LIST-02", areatest.Listing(``)...),
		areatest.Fail("LIST-02", areatest.Listing(`{"uri":null,"name":"1"}`)...),
		areatest.Fail("LIST-02", areatest.Listing(`{"uri":"a:1"}`)...),
		areatest.Fail("LIST-02", areatest.Listing(`"a:1"`)...),
		areatest.Pass("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1"}`)...),
		areatest.Pass("LIST-05",
			areatest.Listing(`{"uri":"a:1","name":"1","size":120.0,"description":"","x-rank":null}`)...),
		areatest.Warn("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","size":-1}`)...),
		areatest.Fail("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","size":"1024"}`)...),
		areatest.Fail("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","size":1.5}`)...),
		areatest.Fail("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","description":null}`)...),
		areatest.Fail("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","mimeType":null}`)...),
		areatest.Pass("LIST-14", areatest.Listing(`{"uri":"a:1","name":"1"},{"uri":"a:2","name":"1"}`)...),
		areatest.Pass("LIST-14", areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"x"}`),
			areatest.Page("2d", `{"cursor":"x"}`, areatest.OnePage)),
		areatest.Warn("LIST-14", areatest.Listing(`{"uri":"a:1","name":"1"},{"uri":"a:1","name":"2"}`)...),
		areatest.NotApplicable("LIST-16", areatest.Listing(`{"uri":"https://a/","name":"1"}`)...),
		areatest.Pass("LIST-18",
			areatest.Listing(`{"uri":"a:1","name":"1","mimeType":"inode/directory"}`)...),
		areatest.Pass("LIST-18",
			areatest.Listing(`{"uri":"a:1","name":"1","mimeType":"text/plain; charset=\"utf-8\""}`)...),
		areatest.NotApplicable("LIST-18", areatest.Listing(`{"uri":"a:1","name":"1"}`)...),
		areatest.Warn("LIST-18", areatest.Listing(`{"uri":"a:1","name":"1","mimeType":"markdown"}`)...),
	)
	areatest.WalkRunsIn(t, recording.WalkResources, areatest.HasResources, []areatest.Run{
		areatest.Fail("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","title":null}`)...),
	}, requirement.R20250618, requirement.R20260728)
	areatest.WalkRunsIn(t, recording.WalkResources, areatest.HasResources, []areatest.Run{
		areatest.Pass("LIST-05", areatest.Listing(`{"uri":"a:1","name":"1","title":null}`)...),
	}, requirement.R20241105)
	areatest.WalkRuns(t, recording.WalkTemplates, areatest.HasResources,
		areatest.Warn("LIST-18",
			areatest.Templates(`{"uriTemplate":"a:{x}","name":"1","mimeType":"text"}`)...),
	)
	areatest.WalkRuns(t, recording.WalkResources, `{}`,
		areatest.NotApplicable("LIST-01", areatest.Page("1d", `{}`, `{}`)))
}

func TestRelistChecks(t *testing.T) {
	reading := func(uri, size, result string) rt.Line {
		tags := recording.Tags{"uri": uri}
		if size != "" {
			tags["size"] = size
		}
		return rt.Line{Step: "read", Method: "resources/read", Params: `{"uri":"` + uri + `"}`, Tags: tags,
			Result: result}
	}
	again := func(entries string) rt.Line {
		return rt.Line{Step: "again", Method: "resources/list", Params: `{}`,
			Result: `{"resources":[` + entries + `]}`, Tags: recording.Tags{"end": "done"}}
	}
	failed := func(step recording.Step, uri, code string) rt.Line {
		return areatest.Refusal(step, "resources/read", `{"uri":"`+uri+`"}`, code, "uri", uri)
	}
	sized := again(`{"uri":"a:1","size":3}`)
	areatest.WalkRuns(t, list.Relist, areatest.HasResources,
		areatest.Pass("LIST-08", reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"é1"}]}`), sized),
		areatest.Pass("LIST-08", reading("a:1", "3", `{"contents":[{"uri":"a:1","blob":"AAAA"}]}`), sized),
		areatest.Warn("LIST-08", reading("a:1", "4", `{"contents":[{"uri":"a:1","blob":"AAAA"}]}`),
			again(`{"uri":"a:1","size":4}`)),
		areatest.NotApplicable("LIST-08", reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"1234"}]}`),
			again(`{"uri":"a:1","size":4}`)),
		areatest.NotApplicable("LIST-08",
			reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"1"},{"uri":"a:2","text":"2"}]}`), sized),
		areatest.NotApplicable("LIST-08", reading("a:1", "", `{"contents":[{"uri":"a:1","text":"1"}]}`)),
		areatest.Pass("LIST-15", reading("a:1", "", `{"contents":[]}`)),
		areatest.Fail("LIST-15", failed("read", "a:1", "-32602"), sized, failed("reread", "a:1", "-32602")),
		areatest.NotApplicable("LIST-15", failed("read", "a:1", "-32602"), again(``),
			failed("reread", "a:1", "-32602")),
		areatest.NotApplicable("LIST-15", failed("read", "a:1", "-32602"), sized, rt.Line{Step: "reread",
			Method: "resources/read", Params: `{"uri":"a:1"}`, Result: `{"contents":[]}`,
			Tags: recording.Tags{"uri": "a:1"}}),
		areatest.NotApplicable("LIST-15", failed("read", "https://a/", "-32602"),
			again(`{"uri":"https://a/"}`), failed("reread", "https://a/", "-32602")),
		areatest.NotApplicable("LIST-15", failed("read", "a:1", "-32603"), sized,
			failed("reread", "a:1", "-32603")),
		areatest.NotApplicable("LIST-15", failed("read", "a:1", "-32021"), sized),
		areatest.Blocked("LIST-15",
			rt.Line{Step: "read", Method: "resources/read", Tags: recording.Tags{"uri": "a:1"}}),
	)
}

func TestListComparisons(t *testing.T) {
	step := func(name recording.Step, entries string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Result: `{"resources":[` + entries + `]}`,
			Tags: recording.Tags{"end": "done"}}
	}
	page := func(name recording.Step, entries string) rt.Line {
		l := step(name, entries)
		l.Result = strings.TrimSuffix(l.Result, "}") + `,"nextCursor":"c"}`
		l.Tags = recording.Tags{"end": "bound"}
		return l
	}
	areatest.WalkRuns(t, list.ListParams, areatest.HasResources,
		areatest.Pass("LIST-13", step("with", `{"uri":"a:1"},{"uri":"a:2"}`),
			step("without", `{"uri":"a:2"},{"uri":"a:1"}`),
			step("with-again", `{"uri":"a:1"},{"uri":"a:2"}`)),
		areatest.Pass("LIST-13", step("with", `{"uri":"a:1"}`), step("without", `{"uri":"a:2"}`),
			step("with-again", `{"uri":"a:3"}`)),
		areatest.Fail("LIST-13", step("with", `{"uri":"a:1"},{"uri":"a:2"},{"uri":"a:3"}`),
			step("without", `{"uri":"a:1"}`),
			step("with-again", `{"uri":"a:1"},{"uri":"a:2"},{"uri":"a:3"}`)),
		// pages of any length
		areatest.Pass("LIST-13", step("with", `{"uri":"a:1"},{"uri":"a:2"},{"uri":"a:3"}`),
			page("without", `{"uri":"a:1"}`),
			step("with-again", `{"uri":"a:1"},{"uri":"a:2"},{"uri":"a:3"}`)),
		areatest.Fail("LIST-13", step("with", `{"uri":"a:1"}`), page("without", `{"uri":"a:2"}`),
			step("with-again", `{"uri":"a:1"}`)),
		areatest.Pass("LIST-13", page("with", ``), step("without", `{"uri":"a:1"}`), page("with-again", ``)),
		areatest.Fail("LIST-13", step("with", `{"uri":"a:1"}`), step("without", ``),
			step("with-again", `{"uri":"a:1"}`)),
		areatest.Fail("LIST-13", step("with", ``),
			areatest.Refusal("without", "resources/list", "", "-32602"), step("with-again", ``)),
		areatest.NotApplicable("LIST-13", areatest.Refusal("with", "resources/list", `{}`, "-32603"),
			step("without", ``), step("with-again", ``)),
	)
	cut := func(name recording.Step, o recording.Outcome) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Outcome: o, Reason: "cut off"}
	}
	a, b := `{"uri":"a:1"}`, `{"uri":"a:2"}`
	looks := func(entries ...string) []rt.Line { // behind a list that has changed
		all := areatest.Lines(step("one", a), step("other", a), step("one-again", b))
		for i, name := range []recording.Step{"other-again", "other-later", "other-later-2", "third",
			"third-again"} {
			all = append(all, step(name, entries[i]))
		}
		return all
	}
	areatest.WalkRuns(t, list.SameList, areatest.HasResources,
		areatest.Pass("LIST-10", step("one", a), step("other", a), step("one-again", a)),
		areatest.NotApplicable("LIST-10", step("one", a), step("other", b), step("one-again", b),
			step("other-again", b)),
		// two processes
		areatest.NotApplicable("LIST-10", step("one", a), step("other", b), step("one-again", a)),
		areatest.Pass("LIST-11", step("one", a), step("other", b), step("one-again", a)),
		areatest.Fail("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", a)),
		areatest.Warn("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", b)),
		areatest.NotApplicable("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", `{"uri":"a:3"}`)),
		areatest.Warn("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", b), step("other-later", b)),
		areatest.NotApplicable("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", b), step("other-later", a)),
		areatest.Blocked("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", b), cut("other-later", recording.Refused)),
		areatest.Blocked("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", a), cut("other-later", recording.Canceled)),
		areatest.NotApplicable("LIST-11", step("one", a), step("other", a), step("one-again", b),
			step("other-again", b), page("other-later", b)),
		areatest.NotApplicable("LIST-11", step("one", a), step("other", a)),
		areatest.Fail("LIST-11", looks(a, a, a, a, b)...),
		areatest.NotApplicable("LIST-11", looks(a, a, a, a, a)...),
		areatest.NotApplicable("LIST-11", looks(a, a, b, a, b)...),
		areatest.Warn("LIST-11", looks(b, b, b, b, a)...),
		areatest.NotApplicable("LIST-11", looks(b, b, b, b, b)...),
	)
	facts := areatest.HTTP(requirement.R20260728, areatest.HasResources)
	got := areatest.Judge("LIST-10", rt.New(list.SameList, facts, step("one", a), step("other", b),
		step("one-again", a)))
	if got.Outcome != verdict.Fail {
		t.Errorf("two connections with different lists: %+v", got)
	}
}

// TestUnreadable: where reads fail without a word of what is missing, the reason says where that is told.
func TestUnreadable(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, areatest.HasResources)
	got := areatest.Judge("LIST-15", rt.New(list.Relist, facts, areatest.Refusal("read", "resources/read",
		`{"uri":"a:1"}`, "-32603", "uri", "a:1")))
	if got.Outcome != verdict.NotApplicable || got.Code != recording.CodeNeedsSubject ||
		!strings.Contains(got.Reason, "observation unreadable") ||
		len(got.Observations) != 1 || got.Observations[0].ID != "unreadable" {
		t.Errorf("got %+v", got)
	}
}

// TestListsAreShown: what contradicts a list rests on the list as well as on the reads.
func TestListsAreShown(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, areatest.HasResources)
	again := rt.Line{Step: "again", Method: "resources/list", Params: `{}`,
		Result: `{"resources":[{"uri":"a:1","size":4}]}`, Tags: recording.Tags{"end": "done"}}
	for id, lines := range map[string][]rt.Line{
		"LIST-08": {{Step: "read", Method: "resources/read", Params: `{"uri":"a:1"}`,
			Result: `{"contents":[{"uri":"a:1","blob":"AAAA"}]}`, Tags: recording.Tags{"uri": "a:1",
				"size": "4"}}, again},
		"LIST-15": {areatest.Refusal("read", "resources/read", `{"uri":"a:1"}`, "-32602", "uri", "a:1"),
			again, areatest.Refusal("reread", "resources/read", `{"uri":"a:1"}`, "-32602", "uri", "a:1")},
	} {
		rec := rt.New(list.Relist, facts, lines...)
		got := areatest.Judge(id, rec)
		for _, x := range rec.Steps("again") {
			for _, n := range x.Evidence() {
				if !slices.Contains(got.Frames, n) || !got.Outcome.Red() {
					t.Errorf("%s: %s rests on %v, without frame %d of the list", id, got.Outcome, got.Frames,
						n)
				}
			}
		}
	}
}

// paging is a page of a list that goes on.
func paging(step recording.Step, params string, names ...string) rt.Line {
	return rt.Line{Step: step, Method: "resources/list", Params: params,
		Result: `{"resources":[{"uri":"a:` + strings.Join(names, `"},{"uri":"a:`) + `"}],"nextCursor":"x"}`}
}

// TestListObservations: each kind of remark is made once per combination.
func TestListObservations(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, areatest.HasResources)
	for id, run := range map[string]struct {
		check string
		name  recording.Name
		rec   []rt.Line
	}{
		"no-description": {"LIST-05", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","name":"1"},{"uri":"a:2","name":"2","description":""}`)},
		"misspelt-member": {"LIST-05", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","name":"1","mime_type":"text/plain"}`)},
		"https-uri": {"LIST-16", recording.WalkResources,
			areatest.Listing(`{"uri":"https://a/","name":"1"},{"uri":"HTTPS://b/","name":"1"}`)},
		"duplicate-across-pages": {"LIST-14", recording.WalkResources,
			areatest.Lines(areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"x"}`),
				areatest.Page("2d", `{"cursor":"x"}`, areatest.OnePage))},
		"repeated-audience": {"ANN-03", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","annotations":{"audience":["user","user"]}}`)},
		"timestamp-unclear": {"ANN-07", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","annotations":{"lastModified":"2025-01-12T15:00:58"}},` +
				`{"uri":"a:2","annotations":{"lastModified":"2025-01-12 15:00:58Z"}},{"uri":"a:3",` +
				`"annotations":{"lastModified":"2025-01-12"}}`)},
		"empty-name": {"LIST-05", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","name":" "}`)},
		"icon-type": {"ICON-08", recording.WalkResources,
			areatest.Listing(`{"uri":"a:1","icons":[{"src":"https://a/b","mimeType":"png"}]},{"uri":"a:2",` +
				`"icons":[{"src":"https://a/b","mimeType":"image"}]}`)},
		"text-begins-with-bom": {"READ-15", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"\ufeffx"}`))},
		"text-not-read": {"READ-15", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"Gr\ufffd\ufffdn"}`))},
		"other-uri": {"READ-02", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:2","text":""}`))},
		"no-contents": {"READ-01", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "", ""))},
		"empty-last-page": {"PAGE-02", recording.WalkResources,
			areatest.Lines(areatest.Page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"x"}`),
				areatest.Page("2d", `{"cursor":"x"}`, `{"resources":[]}`))},
		"completion-always-fails": {"COMP-11", recording.TemplateCompletions, areatest.Lines(
			areatest.Refusal("complete", "completion/complete", "{}", "-32603", "template", "a:{x}",
				"argument", "x"),
			areatest.Refusal("typed", "completion/complete", "{}", "-32603", "template", "a:{x}", "argument",
				"x"),
			rt.Line{Step: "complete", Method: "completion/complete", Params: "{}",
				Result: `{"completion":{"values":[]}}`, Tags: recording.Tags{"template": "a:{x}",
					"argument": "y"}},
		)},
		"mime-type-differs": {"READ-15", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "text/html",
				`{"uri":"a:1","mimeType":"text/plain","text":""}`))},
		"mime-type-vague": {"READ-15", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "",
				`{"uri":"a:1","mimeType":"application/octet-stream","blob":"iVBORw0KGgo="}`))},
		"cursor-drifts": {"PAGE-07", page.Paging, areatest.Lines(paging("first", `{}`, "1"),
			paging("second", `{}`, "1"),
			paging("next", `{"cursor":"x"}`, "2", "3"), paging("next-again", `{"cursor":"x"}`, "3", "4"))},
	} {
		got := areatest.Judge(run.check, rt.New(run.name, facts, run.rec...))
		times := 0
		for _, o := range got.Observations {
			if o.ID == id && len(o.Frames) > 0 {
				times++
			}
		}
		if times != 1 || got.Outcome.Red() {
			t.Errorf("%s: %+v", id, got)
		}
	}
}

// TestMisspeltMembers: also of what is not an entry of a list.
func TestMisspeltMembers(t *testing.T) {
	page := areatest.Lines(areatest.Page("1d", `{}`, `{"resources":[],"next_cursor":"x"}`))
	areatest.Observed(t, areatest.Observations(t, "PAGE-01", recording.WalkResources, page),
		"misspelt-member", "next_cursor for nextCursor in the result of resources/list")
	annotated := areatest.Listing(
		`{"uri":"a:1","name":"1","annotations":{"last_modified":"2025-01-12T15:00:58Z"}}`)
	areatest.Observed(t, areatest.Observations(t, "ANN-01", recording.WalkResources, annotated),
		"misspelt-member", "last_modified for lastModified in the annotations of")
	completion := areatest.Lines(rt.Line{Step: "complete", Method: "completion/complete",
		Result: `{"completion":{"values":[],"has_more":false}}`})
	areatest.Observed(t, areatest.Observations(t, "COMP-04", recording.TemplateCompletions, completion),
		"misspelt-member", "has_more for hasMore")
	areatest.Observed(t, areatest.Observations(t, "PAGE-01", recording.WalkResources,
		areatest.Lines(areatest.Page("1d", `{}`, areatest.OnePage))), "")
}
