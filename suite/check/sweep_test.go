package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// expandedRead is a read of a template with values of a kind; without contents it was
// refused.
func expandedRead(step, kind, value, uri, contents string, tags ...string) rt.Line {
	result, err := `{"contents":[`+contents+`]}`, ""
	if contents == "" {
		result, err = "", noSuch
	}
	return taggedRead(step, `{"uri":"`+uri+`"}`, result, err, append(tags, "uri", uri, "template", "x://{id}/{+rest}", "kind", kind, "value", value)...)
}

func TestTemplateSweep(t *testing.T) {
	fatal := expandedRead("sweep", "space", "mc pcheck", "x://mc%20pcheck", "")
	fatal.Error, fatal.Outcome, fatal.Fatal = "", recording.Lost, true
	known := func(contents string) []rt.Line {
		return lines(expandedRead("known", "known", "", "x://1/2", contents))
	}
	walkRuns(t, recording.TemplateSweep, hasResources, []run{
		{"URI-08", NotApplicable, lines(expandedRead("sweep", "ascii", "a", "x://a/a", ""))},
		{"URI-08", Fail, lines(fatal)},
		{"URI-08", Fail, lines(expandedRead("sweep", "ascii", "a", "x://a/a", `{"uri":"x://a/a"}`))},
		{"READ-02", Pass, known(`{"uri":"x://1/2","text":""}`)},
		{"READ-02", Fail, known(`{"URI":"x://1/2","text":""}`)},
		{"READ-03", Fail, known(`{"uri":"x://1/2","Text":""}`)},
		{"READ-07", Fail, known(`{"uri":"x://1/2","blob":"AA"}`)},
		{"READ-07", NotApplicable, lines(expandedRead("sweep", "ascii", "a", "x://a/a", `{"uri":"x://a/a","blob":"AA"}`))},
		{"READ-02", NotApplicable, known("")},
	})
}

func TestSweepObservations(t *testing.T) {
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "URI-08", recording.TemplateSweep, rec)
	}
	text := func(uri, text string) string { return `{"uri":"` + uri + `","text":"` + text + `"}` }
	sweep := func(kind, value, uri, said string) rt.Line {
		return expandedRead("sweep", kind, value, uri, text(uri, said))
	}
	same := []rt.Line{sweep("ascii", "a", "x://a/a", "one"), sweep("other", "b", "x://b/b", "one"), sweep("space", "c c", "x://c%20c/c", "one")}
	observed(t, see(same...), "template-values-ignored", "1 templates", "x://{id}/{+rest}")
	observed(t, see(same[0], same[1]), "")
	observed(t, see(same[0], same[1], sweep("space", "c", "x://c/c", "other")), "")
	observed(t, see(same[0], same[1], sweep("empty", "", "x:///", "one"), sweep("none", "", "x:///", "one")), "")
	observed(t, see(sweep("ascii", "a", "x://a/a", "see x://{id}/{+rest}")), "template-leak", "1 expansions")
	observed(t, see(expandedRead("sweep", "ascii", "a", "x://a/a", text("x://{id}/a", ""))), "template-leak")
	observed(t, see(expandedRead("sweep", "ascii", "a", "x://a/a", text("x://a/{+rest}", ""))), "template-leak")
	observed(t, see(expandedRead("sweep", "braces", "{id}", "x://%7Bid%7D/a", text("x://{id}/a", ""))), "")
	observed(t, see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "you asked for mc%20pcheck")), "value-not-decoded")
	observed(t, see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "you asked for mc pcheck at x://mc%20pcheck/")), "")
	observed(t, see(sweep("space", "mc pcheck", "x://mc%20pcheck/", "nothing at x://mc%20pcheck/")), "")
	observed(t, see(expandedRead("known", "known", "", "x://a/a", "", "variables", "1")), "suggestion-unreadable", "x://a/a")
	observed(t, see(expandedRead("known", "known", "", "x://a/a", "")), "")
}

// What an author of a list wants to know is told once.
func TestListRemarks(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, hasResources)
	walk := rt.New(recording.WalkResources, facts, listing(`{"uri":"a:1","name":"1"}`)...)
	tmpl := func(entries string) map[string]string {
		return observations(t, "TMPL-09", recording.WalkTemplates, templates(entries), walk)
	}
	const whole = `"name":"1","description":"d"}`
	observed(t, tmpl(`{"uriTemplate":"b:{x}",`+whole), "")
	observed(t, tmpl(`{"uriTemplate":"b:{x}","name":"1"},{"uriTemplate":"c:{x}","name":"1","description":""}`), "no-description", "2 listed")
	observed(t, tmpl(`{"uriTemplate":"b:{x}",`+whole+`,{"uriTemplate":"b:{x}",`+whole), "duplicate-template", "1 templates")
	observed(t, tmpl(`{"uriTemplate":"b:1",`+whole), "template-without-variable", `"b:1"`)
	observed(t, tmpl(`{"uriTemplate":"b:{x}","mime_type":"a/b",`+whole+`,{"uriTemplate":"c:{x}","mimetype":"a/b",`+whole), "misspelt-member", "2 written", "mime_type for mimeType")
	both := tmpl(`{"uriTemplate":"a:1",` + whole)
	if len(both) != 2 || both["template-as-resource"] == "" {
		t.Errorf("%v", both)
	}
	observed(t, observations(t, "READ-02", recording.Reads, lines(readLine("a:1", "", `{"uri":"a:1","text":"","mimetype":"a/b"}`))), "misspelt-member", "mimetype for mimeType")
	observed(t, observations(t, "LIST-05", recording.WalkResources, listing(`{"uri":"a:1","name":"1","description":"d","x-mime":"a"}`)), "")
}

func TestReadRemarks(t *testing.T) {
	see := func(content string) map[string]string {
		return observations(t, "READ-15", recording.Reads, lines(readLine("a:1", "", content)))
	}
	observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"{}"}`), "")
	observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"<html>"}`), "not-json")
	observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":""}`), "")
	observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"\"{\\\"a\\\":1}\""}`), "encoded-twice", "JSON string")
	observed(t, see(`{"uri":"a:1","mimeType":"application/json","text":"\"word\""}`), "")
	observed(t, see(`{"uri":"a:1","mimeType":"text/plain","text":"iVBORw0KGgoAAAANSUhEUgAA"}`), "encoded-twice", "base64 of image/png")
	observed(t, see(`{"uri":"a:1","mimeType":"text/plain","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`), "mime-type-contradicted", "looks like image/png")
	observed(t, see(`{"uri":"a:1","mimeType":"image/bmp","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`), "")
	observed(t, see(`{"uri":"a:1","mimeType":"application/vnd.oasis.opendocument.text","blob":"UEsDBAAAAAAAAAAA"}`), "")
	observed(t, see(`{"uri":"a:1","blob":"iVBORw0KGgoAAAANSUhEUgAA"}`), "mime-type-vague")
	observed(t, see(`{"uri":"a:1","mimeType":"application/octet-stream","blob":"aVZCT1J3MEtHZ29BQUFBTlNVaEVVZ0FB"}`), "encoded-twice", "again")
	repeat := func(contents string) map[string]string {
		l := readLine("a:1", "", contents)
		l.Step = "repeat"
		return observations(t, "LIST-15", recording.Relist, lines(readLine("a:1", "", `{"uri":"a:1","text":"1"}`), l))
	}
	observed(t, repeat(`{"uri":"a:1","text":"1"}`), "")
	observed(t, repeat(`{"uri":"a:1","text":"2"}`), "unstable-read", `"a:1"`)
	observed(t, observations(t, "LIST-15", recording.Relist, lines(readLine("a:1", "", `{"uri":"a:1","text":"1"}`), refusal("repeat", "resources/read", `{"uri":"a:1"}`, "-32603", "uri", "a:1"))), "unstable-read")
}
