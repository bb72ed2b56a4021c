package read_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/read"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

func TestReadChecks(t *testing.T) {
	one := func(content string) []rt.Line { return areatest.Lines(areatest.ReadLine("a:1", "", content)) }
	whole := func(result string) []rt.Line {
		l := areatest.ReadLine("a:1", "", "")
		l.Result = result
		return areatest.Lines(l)
	}
	blob := func(b string) []rt.Line { return one(`{"uri":"a:1","blob":"` + b + `"}`) }
	input := whole(`{"resultType":"input_required","inputRequests":{}}`)
	png := `iVBORw0KGgo=`
	areatest.WalkRuns(t, recording.Reads, areatest.HasResources, []areatest.Run{
		{ID: "READ-01", Want: verdict.Pass, Rec: one(``)},
		{ID: "READ-01", Want: verdict.Pass, Rec: one(`{"uri":"a:1","text":"1"}`)},
		{ID: "READ-01", Want: verdict.NotApplicable, Rec: input},
		{ID: "READ-01", Want: verdict.NotApplicable,
			Rec: areatest.Lines(areatest.Refusal("read", "resources/read", `{"uri":"a:1"}`, "-32002"))},
		{ID: "READ-01", Want: verdict.Fail, Rec: whole(`{"contents":{"uri":"a:1","text":"1"}}`)},
		{ID: "READ-01", Want: verdict.Fail, Rec: whole(`{}`)},
		{ID: "READ-02", Want: verdict.Pass, Rec: one(`{"uri":"b:2","text":"1"}`)},
		{ID: "READ-02", Want: verdict.NotApplicable, Rec: one(``)},
		{ID: "READ-02", Want: verdict.Fail, Rec: one(`{"uri":null,"text":"1"}`)},
		{ID: "READ-02", Want: verdict.Fail, Rec: one(`{"uri":"a:1","mimeType":null,"text":"1"}`)},
		{ID: "READ-03", Want: verdict.Pass, Rec: one(`{"uri":"a:1","text":""}`)},
		{ID: "READ-03", Want: verdict.Pass, Rec: one(`{"uri":"a:1","text":null,"blob":""}`)},
		{ID: "READ-03", Want: verdict.Fail, Rec: one(`{"uri":"a:1"}`)},
		{ID: "READ-03", Want: verdict.Fail, Rec: one(`{"uri":"a:1","text":{"a":1}}`)},
		{ID: "READ-03", Want: verdict.Fail, Rec: one(`{"uri":"a:1","text":"1"},{"uri":"a:2"}`)},
		{ID: "READ-04", Want: verdict.Pass, Rec: one(`{"uri":"a:1","text":"1"}`)},
		{ID: "READ-04", Want: verdict.Warn, Rec: one(`{"uri":"a:1","text":"1","blob":"AAAA"}`)},
		{ID: "READ-04", Want: verdict.Warn, Rec: one(`{"uri":"a:1","text":null,"blob":"AAAA"}`)},
		{ID: "READ-06", Want: verdict.Pass, Rec: blob(`+/+/AD4//g==`)},
		{ID: "READ-06", Want: verdict.Pass, Rec: blob(``)},
		{ID: "READ-06", Want: verdict.Pass, Rec: blob("AAAA\\r\\nAAAA")},
		{ID: "READ-06", Want: verdict.NotApplicable, Rec: one(`{"uri":"a:1","text":"-_"}`)},
		{ID: "READ-06", Want: verdict.Fail, Rec: blob(`-_-_AD4__g==`)},
		{ID: "READ-06", Want: verdict.Fail, Rec: blob(`AA*A`)},
		{ID: "READ-07", Want: verdict.Pass, Rec: blob(`AA==`)},
		{ID: "READ-07", Want: verdict.Pass, Rec: blob("AA\\r\\n==")},
		{ID: "READ-07", Want: verdict.NotApplicable, Rec: blob(`AAAA`)},
		{ID: "READ-07", Want: verdict.Fail, Rec: blob(`AA`)},
		{ID: "READ-07", Want: verdict.Fail, Rec: blob(`AA==AAAA`)},
		{ID: "READ-07", Want: verdict.Fail, Rec: blob(`-_-_AD4__g`)},
		{ID: "READ-08", Want: verdict.NotApplicable, Rec: blob(`AAAA`)},
		{ID: "READ-08", Want: verdict.Pass,
			Rec: blob(`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`)},
		{ID: "READ-08", Want: verdict.Warn, Rec: blob("AAAA\\nAAAA")},
		{ID: "READ-08", Want: verdict.Warn, Rec: blob("AAAA ")},
		{ID: "READ-09", Want: verdict.NotApplicable, Rec: blob(`AAAA`)},
		{ID: "READ-09", Want: verdict.Pass, Rec: blob(`AA==`)},
		{ID: "READ-09", Want: verdict.Warn, Rec: blob(`AB==`)},
		{ID: "READ-12", Want: verdict.Pass,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","blob":"` + png + `"}`)},
		{ID: "READ-12", Want: verdict.Pass,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","text":"drawn by hand"}`)},
		{ID: "READ-12", Want: verdict.Warn,
			Rec: one(`{"uri":"a:1","mimeType":"image/png",` +
				`"text":"iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc"}`)},
		{ID: "READ-12", Want: verdict.Warn,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","text":"data:image/png;base64,` +
				`iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc"}`)},
		{ID: "READ-12", Want: verdict.Pass,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","text":"abcdefghijklmnopqrstuvwxyz by hand ` +
				`in ink"}`)},
		{ID: "READ-12", Want: verdict.NotApplicable,
			Rec: one(`{"uri":"a:1","mimeType":"text/plain","text":"\u0000"}`)},
		{ID: "READ-12", Want: verdict.NotApplicable,
			Rec: one(`{"uri":"a:1","mimeType":"image/svg+xml","text":"\ufffd"}`)},
		{ID: "READ-12", Want: verdict.Warn,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","text":"\ufffdPNG"}`)},
		{ID: "READ-12", Want: verdict.Warn,
			Rec: areatest.Lines(areatest.ReadLine("a:1", "application/pdf",
				`{"uri":"a:1","text":"%PDF\u0000"}`))},
		{ID: "READ-15", Want: verdict.Pass,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","blob":"` + png + `"}`)},
		{ID: "READ-15", Want: verdict.NotApplicable,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","blob":""}`)},
		{ID: "READ-15", Want: verdict.NotApplicable,
			Rec: one(`{"uri":"a:1","mimeType":"audio/x-mine","blob":"AAAA"}`)},
		{ID: "READ-15", Want: verdict.Warn,
			Rec: one(`{"uri":"a:1","mimeType":"image/png","blob":"aVZCT1J3MEtHZ289"}`)},
		{ID: "READ-15", Want: verdict.Warn,
			Rec: one(`{"uri":"a:1","mimeType":"image/jpeg","blob":"` + png + `"}`)},
	})
	areatest.WalkRuns(t, read.TaskRead, areatest.HasResources, []areatest.Run{
		{ID: "READ-17", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "task", Method: "resources/read", Result: `{"contents":[]}`})},
		{ID: "READ-17", Want: verdict.Warn,
			Rec: areatest.Lines(rt.Line{Step: "task", Method: "resources/read",
				Result: `{"task":{"taskId":"1"}}`})},
		{ID: "READ-17", Want: verdict.Warn, Rec: areatest.Lines(areatest.Refusal("task", "resources/read", "",
			"-32602"))},
	})
	refused, still, gone := areatest.Refusal("task", "resources/read", "", "-32002"),
		rt.Line{Step: "still-there", Method: "resources/read", Result: `{"contents":[]}`},
		areatest.Refusal("still-there", "resources/read", "", "-32002")
	areatest.WalkRuns(t, read.TaskRead, areatest.HasResources, []areatest.Run{
		{ID: "READ-17", Want: verdict.NotApplicable, Rec: areatest.Lines(refused, gone)},
		{ID: "READ-17", Want: verdict.Warn, Rec: areatest.Lines(refused, still)},
	})
	areatest.WalkRuns(t, read.TaskRead, `{"resources":{},"tasks":{}}`, []areatest.Run{
		{ID: "READ-17", Want: verdict.Pass,
			Rec: areatest.Lines(rt.Line{Step: "task", Method: "resources/read", Result: `{"contents":[]}`})},
		{ID: "READ-17", Want: verdict.NotApplicable,
			Rec: areatest.Lines(rt.Line{Step: "task", Method: "resources/read",
				Result: `{"task":{"taskId":"1"}}`})},
	})
}

func TestKnownReads(t *testing.T) {
	known := func(step recording.Step, result string, tags ...string) []rt.Line {
		l := rt.Line{Step: step, Method: "resources/read", Params: `{"uri":"a:1"}`, Result: result,
			Tags: recording.Tags{"uri": "a:1"}}
		return areatest.Lines(areatest.And(l, tags...))
	}
	text := func(s string) string { return `{"contents":[{"uri":"a:1","text":"` + s + `"}]}` }
	blob := func(s string) string { return `{"contents":[{"uri":"a:1","blob":"` + s + `"}]}` }
	areatest.WalkRuns(t, recording.KnownReads, areatest.HasResources, []areatest.Run{
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", text(`é\r\n\"`), "text", "é\r\n\"")},
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", text(`long text`), "text", "ng te", "contains",
			"true")},
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", text(`anything`))},
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", text(``), "text", "")},
		{ID: "READ-13", Want: verdict.Fail, Rec: known("text", text(`Ã©`), "text", "é")},
		{ID: "READ-13", Want: verdict.Fail, Rec: known("text", text(`a\nb`), "text", "a\r\nb")},
		{ID: "READ-13", Want: verdict.Fail, Rec: known("text", text(`abc`), "text", "d", "contains", "true")},
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", blob(`w6k=`), "text", "é")},
		{ID: "READ-13", Want: verdict.Pass, Rec: known("text", blob(`dMOpeHQ=`), "text", "é", "contains",
			"true")},
		{ID: "READ-13", Want: verdict.Fail, Rec: known("text", blob(`w6k=`), "text", "è")},
		{ID: "READ-13", Want: verdict.Fail, Rec: known("text", blob(`AAAA`))},
		{ID: "READ-13", Want: verdict.Fail,
			Rec: areatest.Lines(areatest.Refusal("text", "resources/read", `{"uri":"a:1"}`, "-32603", "uri",
				"a:1"))},
		{ID: "READ-13", Want: verdict.NotApplicable, Rec: known("blob", blob(`AAAA`))},
		{ID: "READ-14", Want: verdict.Pass, Rec: known("blob", text("<svg/>"), "base64", "PHN2Zy8+")},
		{ID: "READ-14", Want: verdict.Fail, Rec: known("blob", text("<svg/>\\n"), "base64", "PHN2Zy8+")},
		{ID: "READ-14", Want: verdict.Pass, Rec: known("blob", blob(`AAAA`), "base64", "AAAA")},
		{ID: "READ-14", Want: verdict.Pass, Rec: known("blob", blob(``), "size", "0")},
		{ID: "READ-14", Want: verdict.Pass, Rec: known("blob", blob(`AAAA`), "sha256",
			"709E80C88487A2411E1EE4DFB9F22A861492D20C4765150C0C794ABD70F8147C", "size", "3")},
		{ID: "READ-14", Want: verdict.Fail, Rec: known("blob", blob(`QUFBQQ==`), "base64", "AAAA")},
		{ID: "READ-14", Want: verdict.Fail, Rec: known("blob", blob(`*`), "base64", "AAAA")},
		{ID: "READ-14", Want: verdict.Fail, Rec: known("blob", text(`AAAA`), "base64", "AAAA")},
	})
}
