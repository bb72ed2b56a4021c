package check

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

const hasResources = `{"resources":{}}`

// listing is a whole list on one page.
func listing(entries string) []rt.Line { return lines(page("1d", `{}`, `{"resources":[`+entries+`]}`)) }

func templates(entries string) []rt.Line {
	return lines(rt.Line{Step: "page", Method: "resources/templates/list", Params: `{}`,
		Result: `{"resourceTemplates":[` + entries + `]}`, Tags: map[string]string{"page": "1", "end": "done"}})
}

// refusal is an exchange that ended with an error of a code.
func refusal(step, method, params, code string, tags ...string) rt.Line {
	l := rt.Line{Step: step, Method: method, Params: params, Error: `{"code":` + code + `,"message":"no"}`, Tags: map[string]string{}}
	for i := 0; i+1 < len(tags); i += 2 {
		l.Tags[tags[i]] = tags[i+1]
	}
	return l
}

func TestListChecks(t *testing.T) {
	walkRuns(t, recording.WalkResources, hasResources, []run{
		{"LIST-01", Pass, listing(``)},
		{"LIST-01", Pass, listing(`{"uri":"a:1","name":"1"}`)},
		{"LIST-01", Fail, lines(page("1d", `{}`, `{"resources":null}`))},
		{"LIST-01", Fail, lines(page("1d", `{}`, `{}`))},
		{"LIST-01", Fail, lines(page("1d", `{}`, `{"Resources":[]}`))},
		{"LIST-01", NotApplicable, lines(refusal("page", "resources/list", `{}`, "-32603"))},
		{"LIST-01", Blocked, lines(rt.Line{Step: "page", Method: "resources/list", Outcome: recording.Lost})},
		{"LIST-02", Pass, listing(`{"uri":"","name":""}`)},
		{"LIST-02", NotApplicable, listing(``)},
		{"LIST-02", Fail, listing(`{"uri":null,"name":"1"}`)},
		{"LIST-02", Fail, listing(`{"uri":"a:1"}`)},
		{"LIST-02", Fail, listing(`"a:1"`)},
		{"LIST-05", Pass, listing(`{"uri":"a:1","name":"1"}`)},
		{"LIST-05", Pass, listing(`{"uri":"a:1","name":"1","size":120.0,"description":"","x-rank":null}`)},
		{"LIST-05", Warn, listing(`{"uri":"a:1","name":"1","size":-1}`)},
		{"LIST-05", Fail, listing(`{"uri":"a:1","name":"1","size":"1024"}`)},
		{"LIST-05", Fail, listing(`{"uri":"a:1","name":"1","size":1.5}`)},
		{"LIST-05", Fail, listing(`{"uri":"a:1","name":"1","description":null}`)},
		{"LIST-05", Fail, listing(`{"uri":"a:1","name":"1","mimeType":null}`)},
		{"LIST-14", Pass, listing(`{"uri":"a:1","name":"1"},{"uri":"a:2","name":"1"}`)},
		{"LIST-14", Pass, lines(page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"x"}`), page("2d", `{"cursor":"x"}`, onePage))},
		{"LIST-14", Warn, listing(`{"uri":"a:1","name":"1"},{"uri":"a:1","name":"2"}`)},
		{"LIST-16", NotApplicable, listing(`{"uri":"https://a/","name":"1"}`)},
		{"LIST-18", Pass, listing(`{"uri":"a:1","name":"1","mimeType":"inode/directory"}`)},
		{"LIST-18", Pass, listing(`{"uri":"a:1","name":"1","mimeType":"text/plain; charset=\"utf-8\""}`)},
		{"LIST-18", NotApplicable, listing(`{"uri":"a:1","name":"1"}`)},
		{"LIST-18", Warn, listing(`{"uri":"a:1","name":"1","mimeType":"markdown"}`)},
	})
	walkRuns(t, recording.WalkResources, hasResources, []run{
		{"LIST-05", Fail, listing(`{"uri":"a:1","name":"1","title":null}`)},
	}, requirement.R20250618, requirement.R20260728)
	walkRuns(t, recording.WalkResources, hasResources, []run{
		{"LIST-05", Pass, listing(`{"uri":"a:1","name":"1","title":null}`)},
	}, requirement.R20241105)
	walkRuns(t, recording.WalkTemplates, hasResources, []run{
		{"LIST-18", Warn, templates(`{"uriTemplate":"a:{x}","name":"1","mimeType":"text"}`)},
	})
	walkRuns(t, recording.WalkResources, `{}`, []run{{"LIST-01", NotApplicable, lines(page("1d", `{}`, `{}`))}})
}

func TestRelistChecks(t *testing.T) {
	reading := func(uri, size, result string) rt.Line {
		tags := map[string]string{"uri": uri}
		if size != "" {
			tags["size"] = size
		}
		return rt.Line{Step: "read", Method: "resources/read", Params: `{"uri":"` + uri + `"}`, Tags: tags, Result: result}
	}
	again := func(entries string) rt.Line {
		return rt.Line{Step: "again", Method: "resources/list", Params: `{}`, Result: `{"resources":[` + entries + `]}`, Tags: map[string]string{"end": "done"}}
	}
	failed := func(step, uri, code string) rt.Line {
		return refusal(step, "resources/read", `{"uri":"`+uri+`"}`, code, "uri", uri)
	}
	sized := again(`{"uri":"a:1","size":3}`)
	walkRuns(t, recording.Relist, hasResources, []run{
		{"LIST-08", Pass, lines(reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"é1"}]}`), sized)},
		{"LIST-08", Pass, lines(reading("a:1", "3", `{"contents":[{"uri":"a:1","blob":"AAAA"}]}`), sized)},
		{"LIST-08", Warn, lines(reading("a:1", "4", `{"contents":[{"uri":"a:1","blob":"AAAA"}]}`), again(`{"uri":"a:1","size":4}`))},
		{"LIST-08", NotApplicable, lines(reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"1234"}]}`), again(`{"uri":"a:1","size":4}`))},
		{"LIST-08", NotApplicable, lines(reading("a:1", "3", `{"contents":[{"uri":"a:1","text":"1"},{"uri":"a:2","text":"2"}]}`), sized)},
		{"LIST-08", NotApplicable, lines(reading("a:1", "", `{"contents":[{"uri":"a:1","text":"1"}]}`))},
		{"LIST-15", Pass, lines(reading("a:1", "", `{"contents":[]}`))},
		{"LIST-15", Fail, lines(failed("read", "a:1", "-32602"), sized, failed("reread", "a:1", "-32602"))},
		{"LIST-15", NotApplicable, lines(failed("read", "a:1", "-32602"), again(``), failed("reread", "a:1", "-32602"))},
		{"LIST-15", NotApplicable, lines(failed("read", "a:1", "-32602"), sized, rt.Line{Step: "reread", Method: "resources/read",
			Params: `{"uri":"a:1"}`, Result: `{"contents":[]}`, Tags: map[string]string{"uri": "a:1"}})},
		{"LIST-15", NotApplicable, lines(failed("read", "https://a/", "-32602"), again(`{"uri":"https://a/"}`), failed("reread", "https://a/", "-32602"))},
		{"LIST-15", NotApplicable, lines(failed("read", "a:1", "-32603"), sized, failed("reread", "a:1", "-32603"))},
		{"LIST-15", NotApplicable, lines(failed("read", "a:1", "-32021"), sized)},
		{"LIST-15", Blocked, lines(rt.Line{Step: "read", Method: "resources/read", Tags: map[string]string{"uri": "a:1"}})},
	})
}

func TestListComparisons(t *testing.T) {
	step := func(name, entries string) rt.Line {
		return rt.Line{Step: name, Method: "resources/list", Result: `{"resources":[` + entries + `]}`, Tags: map[string]string{"end": "done"}}
	}
	walkRuns(t, recording.ListParams, hasResources, []run{
		{"LIST-13", Pass, lines(step("with", `{"uri":"a:1"},{"uri":"a:2"}`), step("without", `{"uri":"a:2"},{"uri":"a:1"}`), step("with-again", `{"uri":"a:1"},{"uri":"a:2"}`))},
		{"LIST-13", Pass, lines(step("with", `{"uri":"a:1"}`), step("without", `{"uri":"a:2"}`), step("with-again", `{"uri":"a:3"}`))},
		{"LIST-13", Fail, lines(step("with", `{"uri":"a:1"}`), step("without", ``), step("with-again", `{"uri":"a:1"}`))},
		{"LIST-13", Fail, lines(step("with", ``), refusal("without", "resources/list", "", "-32602"), step("with-again", ``))},
		{"LIST-13", NotApplicable, lines(refusal("with", "resources/list", `{}`, "-32603"), step("without", ``), step("with-again", ``))},
	})
	a, b := `{"uri":"a:1"}`, `{"uri":"a:2"}`
	walkRuns(t, recording.SameList, hasResources, []run{
		{"LIST-10", Pass, lines(step("one", a), step("other", a), step("one-again", a))},
		{"LIST-10", NotApplicable, lines(step("one", a), step("other", b), step("one-again", b), step("other-again", b))},
		{"LIST-10", NotApplicable, lines(step("one", a), step("other", b), step("one-again", a))}, // two processes
		{"LIST-11", Pass, lines(step("one", a), step("other", b), step("one-again", a))},
		{"LIST-11", Fail, lines(step("one", a), step("other", a), step("one-again", b), step("other-again", a))},
		{"LIST-11", Warn, lines(step("one", a), step("other", a), step("one-again", b), step("other-again", b))},
		{"LIST-11", NotApplicable, lines(step("one", a), step("other", a), step("one-again", b), step("other-again", `{"uri":"a:3"}`))},
		{"LIST-11", NotApplicable, lines(step("one", a), step("other", a))},
	})
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: requirement.HTTP}, hasResources)
	k, _ := Find("LIST-10")
	req, _ := requirement.Find("LIST-10")
	got := Evaluate(k, req, facts, Recordings{recording.SameList: rt.New(recording.SameList, facts, step("one", a), step("other", b), step("one-again", a))})
	if got.Outcome != Fail {
		t.Errorf("two connections with different lists: %+v", got)
	}
}

// paging is a page of a list that goes on.
func paging(step, params string, names ...string) rt.Line {
	return rt.Line{Step: step, Method: "resources/list", Params: params,
		Result: `{"resources":[{"uri":"a:` + strings.Join(names, `"},{"uri":"a:`) + `"}],"nextCursor":"x"}`}
}

// TestListObservations: each kind of remark is made once per combination.
func TestListObservations(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, hasResources)
	for id, run := range map[string]struct {
		check string
		name  recording.Name
		rec   []rt.Line
	}{
		"no-description":         {"LIST-05", recording.WalkResources, listing(`{"uri":"a:1","name":"1"},{"uri":"a:2","name":"2","description":""}`)},
		"misspelt-member":        {"LIST-05", recording.WalkResources, listing(`{"uri":"a:1","name":"1","mime_type":"text/plain"}`)},
		"https-uri":              {"LIST-16", recording.WalkResources, listing(`{"uri":"https://a/","name":"1"},{"uri":"HTTPS://b/","name":"1"}`)},
		"duplicate-across-pages": {"LIST-14", recording.WalkResources, lines(page("1", `{}`, `{"resources":[{"uri":"a:1"}],"nextCursor":"x"}`), page("2d", `{"cursor":"x"}`, onePage))},
		"repeated-audience":      {"ANN-03", recording.WalkResources, listing(`{"uri":"a:1","annotations":{"audience":["user","user"]}}`)},
		"other-uri":              {"READ-02", recording.Reads, lines(readLine("a:1", "", `{"uri":"a:2","text":""}`))},
		"mime-type-differs":      {"READ-15", recording.Reads, lines(readLine("a:1", "text/html", `{"uri":"a:1","mimeType":"text/plain","text":""}`))},
		"mime-type-vague":        {"READ-15", recording.Reads, lines(readLine("a:1", "", `{"uri":"a:1","mimeType":"application/octet-stream","blob":"iVBORw0KGgo="}`))},
		"cursor-drifts": {"PAGE-07", recording.Paging, lines(paging("first", `{}`, "1"), paging("second", `{}`, "1"),
			paging("next", `{"cursor":"x"}`, "2", "3"), paging("next-again", `{"cursor":"x"}`, "3", "4"))},
	} {
		k, _ := Find(run.check)
		req, _ := requirement.Find(run.check)
		got := Evaluate(k, req, facts, Recordings{run.name: rt.New(run.name, facts, run.rec...)})
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
