package tmpl_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/list"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// expandedRead is a read of a template with values of a kind; without contents it was
// refused.
func expandedRead(step recording.Step, kind, value, uri, contents string, tags ...string) rt.Line {
	result, err := `{"contents":[`+contents+`]}`, ""
	if contents == "" {
		result, err = "", areatest.NoSuch
	}
	return areatest.TaggedRead(step, `{"uri":"`+uri+`"}`, result, err, append(tags, "uri", uri, "template",
		"x://{id}/{+rest}", "kind", kind, "value", value)...)
}

func TestTemplateSweep(t *testing.T) {
	fatal := expandedRead("sweep", "space", "mc pcheck", "x://mc%20pcheck", "")
	fatal.Error, fatal.Outcome, fatal.Fatal = "", recording.Lost, true
	known := func(contents string) []rt.Line {
		return areatest.Lines(expandedRead("known", "known", "", "x://1/2", contents))
	}
	areatest.WalkRuns(t, recording.TemplateSweep, areatest.HasResources,
		areatest.NotApplicable("URI-08", expandedRead("sweep", "ascii", "a", "x://a/a", "")),
		areatest.Fail("URI-08", fatal),
		areatest.Fail("URI-08", expandedRead("sweep", "ascii", "a", "x://a/a", `{"uri":"x://a/a"}`)),
		areatest.Pass("READ-02", known(`{"uri":"x://1/2","text":""}`)...),
		areatest.Fail("READ-02", known(`{"URI":"x://1/2","text":""}`)...),
		areatest.Fail("READ-03", known(`{"uri":"x://1/2","Text":""}`)...),
		areatest.Fail("READ-07", known(`{"uri":"x://1/2","blob":"AA"}`)...),
		areatest.NotApplicable("READ-07",
			expandedRead("sweep", "ascii", "a", "x://a/a", `{"uri":"x://a/a","blob":"AA"}`)),
		areatest.NotApplicable("READ-02", known("")...),
		areatest.Pass("TMPL-11", known(`{"uri":"x://1/2","text":""}`)...),
		areatest.NotApplicable("TMPL-11", known("")...),
	)
}

// A template that is refused without its query variables, and not with them, is remarked upon.
func TestQueryVariables(t *testing.T) {
	read := func(template, kind, contents string) rt.Line {
		return areatest.TaggedRead("sweep", `{"uri":"x://a"}`,
			map[bool]string{true: `{"contents":[` + contents + `]}`}[contents != ""],
			map[bool]string{true: areatest.NoSuch}[contents == ""], "uri", "x://a", "template", template,
			"kind", kind)
	}
	const text, query, both = `{"uri":"x://a","text":""}`, "x://a{?q,limit}", "x://{a}{?q}"
	for want, recs := range map[string][][]rt.Line{
		"query-variable-needed": {
			{read(query, "ascii", text), read(query, "none", "")},
			{read(both, "ascii", text), read(both, "no-query", "")},
		},
		"": {
			{read(query, "ascii", text), read(query, "none", text)},
			{read(query, "ascii", ""), read(query, "none", "")},
			{read(both, "ascii", text), read(both, "none", "")},
		},
	} {
		for _, rec := range recs {
			areatest.Observed(t, areatest.Observations(t, "TMPL-13", recording.TemplateSweep, rec), want)
		}
	}
}

func TestSweepObservations(t *testing.T) {
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "URI-08", recording.TemplateSweep, rec)
	}
	text := func(uri, text string) string { return `{"uri":"` + uri + `","text":"` + text + `"}` }
	sweep := func(kind, value, uri, said string) rt.Line {
		return expandedRead("sweep", kind, value, uri, text(uri, said))
	}
	same := []rt.Line{sweep("ascii", "a", "x://a/a", "one"), sweep("other", "b", "x://b/b", "one"),
		sweep("space", "c c", "x://c%20c/c", "one")}
	areatest.Observed(t, see(same...), "template-values-ignored", "1 template yields", "x://{id}/{+rest}")
	areatest.Observed(t, see(same[0], same[1]), "")
	areatest.Observed(t, see(same[0], same[1], sweep("space", "c", "x://c/c", "other")), "")
	areatest.Observed(t, see(same[0], same[1], sweep("empty", "", "x:///", "one"),
		sweep("none", "", "x:///", "one")), "")
	areatest.Observed(t, see(sweep("ascii", "a", "x://a/a", "see x://{id}/{+rest}")), "template-leak",
		"1 expansion yields")
	areatest.Observed(t, see(expandedRead("sweep", "ascii", "a", "x://a/a", text("x://{id}/a", ""))),
		"template-leak")
	areatest.Observed(t, see(expandedRead("sweep", "ascii", "a", "x://a/a", text("x://a/{+rest}", ""))),
		"template-leak")
	areatest.Observed(t,
		see(expandedRead("sweep", "braces", "{id}", "x://%7Bid%7D/a", text("x://{id}/a", ""))), "")
	areatest.Observed(t, see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "you asked for mc%20pcheck")),
		"value-not-decoded")
	areatest.Observed(t,
		see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "you asked for mc pcheck at x://mc%20pcheck/")),
		"")
	areatest.Observed(t, see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "nothing at x://mc%20pcheck/")),
		"")
	areatest.Observed(t, see(sweep("other", "McP", "x://McP/", "you asked for mcp")), "argument-altered",
		"1 text shows", "x://McP/")
	areatest.Observed(t, see(sweep("other", "McP", "x://McP/", "you asked for McP, not mcp")), "")
	areatest.Observed(t, see(sweep("other", "McP", "x://McP/", "at x://mcp/")), "")
	areatest.Observed(t, see(expandedRead("known", "known", "", "x://a/a", "", "variables", "1")),
		"suggestion-unreadable", "x://a/a")
	areatest.Observed(t, see(expandedRead("known", "known", "", "x://a/a", "")), "")
}

// What an author of a list wants to know is told once.
func TestListRemarks(t *testing.T) {
	facts := areatest.Stdio(requirement.R20251125, areatest.HasResources)
	walk := rt.New(recording.WalkResources, facts, areatest.Listing(`{"uri":"a:1","name":"1"}`)...)
	tmpl := func(entries string) map[string]string {
		return areatest.Observations(t, "TMPL-09", recording.WalkTemplates, areatest.Templates(entries), walk)
	}
	const whole = `"name":"1","description":"d"}`
	areatest.Observed(t, tmpl(`{"uriTemplate":"b:{x}",`+whole), "")
	areatest.Observed(t,
		tmpl(`{"uriTemplate":"b:{x}","name":"1"},{"uriTemplate":"c:{x}","name":"1","description":""}`),
		"no-description", "2 listed")
	areatest.Observed(t, tmpl(`{"uriTemplate":"b:{x}",`+whole+`,{"uriTemplate":"b:{x}",`+whole),
		"duplicate-template", "1 template listed")
	areatest.Observed(t, tmpl(`{"uriTemplate":"b:1",`+whole), "template-without-variable", `"b:1"`)
	areatest.Observed(t,
		tmpl(`{"uriTemplate":"b:{x}","mime_type":"a/b",`+whole+`,{"uriTemplate":"c:{x}","mimetype":"a/b",`+
			whole), "misspelt-member", "2 written", "mime_type for mimeType")
	both := tmpl(`{"uriTemplate":"a:1",` + whole)
	if len(both) != 2 || both["template-as-resource"] == "" {
		t.Errorf("%v", both)
	}
	areatest.Observed(t, areatest.Observations(t, "READ-02", recording.Reads,
		areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":""},{"uri":"a:1","text":""}`))),
		"content-twice", "1 content comes", "a:1")
	areatest.Observed(t, areatest.Observations(t, "READ-02", recording.Reads,
		areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"","mimetype":"a/b"}`))),
		"misspelt-member", "mimetype for mimeType")
	areatest.Observed(t, areatest.Observations(t, "LIST-05", recording.WalkResources,
		areatest.Listing(`{"uri":"a:1","name":"1","description":"d","x-mime":"a"}`)), "")
}

func TestReadRemarks(t *testing.T) {
	see := func(content string) map[string]string {
		return areatest.Observations(t, "READ-15", recording.Reads,
			areatest.Lines(areatest.ReadLine("a:1", "", content)))
	}
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"{}"}`), "")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"<html>"}`), "not-json")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":""}`), "")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"\"{\\\"a\\\":1}\""}`),
		"encoded-twice", "JSON string")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"\"word\""}`), "")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"text/plain","text":"iVBORw0KGgoAAAANSUhEUgAA"}`),
		"encoded-twice", "base64 of image/png")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"text/plain","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`),
		"mime-type-contradicted", "looks like image/png")
	areatest.Observed(t, see(`{"uri":"a:1","mimeType":"image/bmp","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`), "")
	areatest.Observed(t,
		see(`{"uri":"a:1","mimeType":"application/vnd.oasis.opendocument.text","blob":"UEsDBAAAAAAAAAAA"}`),
		"")
	areatest.Observed(t, see(`{"uri":"a:1","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`), "mime-type-vague")
	areatest.Observed(t,
		see(`{"uri":"a:1","mimeType":"application/octet-stream","blob":"aVZCT1J3MEtHZ29BQUFBTlNVaEVVZ0FB"}`),
		"encoded-twice", "again")
	repeat := func(contents string) map[string]string {
		l := areatest.ReadLine("a:1", "", contents)
		l.Step = "repeat"
		return areatest.Observations(t, "LIST-15", list.Relist,
			areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"1"}`), l))
	}
	areatest.Observed(t, repeat(`{"uri":"a:1","text":"1"}`), "")
	busy := areatest.ReadLine("a:1", "", "")
	busy.Result, busy.Outcome, busy.Status = "", recording.Refused, 429
	again := areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"1"}`)
	again.Step = "repeat"
	areatest.Observed(t, areatest.Observations(t, "LIST-15", list.Relist, areatest.Lines(busy, again)), "")
	areatest.Observed(t, repeat(`{"uri":"a:1","text":"2"}`), "unstable-read", `"a:1"`)
	areatest.Observed(t, areatest.Observations(t, "LIST-15", list.Relist,
		areatest.Lines(areatest.ReadLine("a:1", "", `{"uri":"a:1","text":"1"}`),
			areatest.Refusal("repeat", "resources/read", `{"uri":"a:1"}`, "-32603", "uri", "a:1"))),
		"unstable-read")
}
