package read_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/read"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
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
	areatest.WalkRuns(t, recording.Reads, areatest.HasResources,
		areatest.Pass("READ-01", one(``)...),
		areatest.Pass("READ-01", one(`{"uri":"a:1","text":"1"}`)...),
		areatest.NotApplicable("READ-01", input...),
		areatest.NotApplicable("READ-01",
			areatest.Refusal("read", "resources/read", `{"uri":"a:1"}`, "-32002")),
		areatest.Fail("READ-01", whole(`{"contents":{"uri":"a:1","text":"1"}}`)...),
		areatest.Fail("READ-01", whole(`{}`)...),
		areatest.Pass("READ-02", one(`{"uri":"b:2","text":"1"}`)...),
		areatest.NotApplicable("READ-02", one(``)...),
		areatest.Fail("READ-02", one(`{"uri":null,"text":"1"}`)...),
		areatest.Fail("READ-02", one(`{"uri":"a:1","mimeType":null,"text":"1"}`)...),
		areatest.Pass("READ-03", one(`{"uri":"a:1","text":""}`)...),
		areatest.Pass("READ-03", one(`{"uri":"a:1","text":null,"blob":""}`)...),
		areatest.Fail("READ-03", one(`{"uri":"a:1"}`)...),
		areatest.Fail("READ-03", one(`{"uri":"a:1","text":{"a":1}}`)...),
		areatest.Fail("READ-03", one(`{"uri":"a:1","text":"1"},{"uri":"a:2"}`)...),
		areatest.Pass("READ-04", one(`{"uri":"a:1","text":"1"}`)...),
		areatest.Warn("READ-04", one(`{"uri":"a:1","text":"1","blob":"AAAA"}`)...),
		areatest.Warn("READ-04", one(`{"uri":"a:1","text":null,"blob":"AAAA"}`)...),
		areatest.Pass("READ-06", blob(`+/+/AD4//g==`)...),
		areatest.Pass("READ-06", blob(``)...),
		areatest.Pass("READ-06", blob("AAAA\\r\\nAAAA")...),
		areatest.NotApplicable("READ-06", one(`{"uri":"a:1","text":"-_"}`)...),
		areatest.Fail("READ-06", blob(`-_-_AD4__g==`)...),
		areatest.Fail("READ-06", blob(`AA*A`)...),
		areatest.Pass("READ-07", blob(`AA==`)...),
		areatest.Pass("READ-07", blob("AA\\r\\n==")...),
		areatest.NotApplicable("READ-07", blob(`AAAA`)...),
		areatest.Fail("READ-07", blob(`AA`)...),
		areatest.Fail("READ-07", blob(`AA==AAAA`)...),
		areatest.Fail("READ-07", blob(`-_-_AD4__g`)...),
		areatest.NotApplicable("READ-08", blob(`AAAA`)...),
		areatest.Pass("READ-08", blob(`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`)...),
		areatest.Warn("READ-08", blob("AAAA\\nAAAA")...),
		areatest.Warn("READ-08", blob("AAAA ")...),
		areatest.NotApplicable("READ-09", blob(`AAAA`)...),
		areatest.Pass("READ-09", blob(`AA==`)...),
		areatest.Warn("READ-09", blob(`AB==`)...),
		areatest.Pass("READ-12", one(`{"uri":"a:1","mimeType":"image/png","blob":"`+png+`"}`)...),
		areatest.Pass("READ-12", one(`{"uri":"a:1","mimeType":"image/png","text":"drawn by hand"}`)...),
		areatest.Warn("READ-12", one(`{"uri":"a:1","mimeType":"image/png",`+
			`"text":"iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc"}`)...),
		areatest.Warn("READ-12", one(`{"uri":"a:1","mimeType":"image/png","text":"data:image/png;base64,`+
			`iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSnc"}`)...),
		areatest.Pass("READ-12",
			one(`{"uri":"a:1","mimeType":"image/png","text":"abcdefghijklmnopqrstuvwxyz by hand `+
				`in ink"}`)...),
		areatest.NotApplicable("READ-12", one(`{"uri":"a:1","mimeType":"text/plain","text":"\u0000"}`)...),
		areatest.NotApplicable("READ-12", one(`{"uri":"a:1","mimeType":"image/svg+xml","text":"\ufffd"}`)...),
		areatest.Warn("READ-12", one(`{"uri":"a:1","mimeType":"image/png","text":"\ufffdPNG"}`)...),
		areatest.Warn("READ-12",
			areatest.ReadLine("a:1", "application/pdf", `{"uri":"a:1","text":"%PDF\u0000"}`)),
		areatest.Pass("READ-15", one(`{"uri":"a:1","mimeType":"image/png","blob":"`+png+`"}`)...),
		areatest.NotApplicable("READ-15", one(`{"uri":"a:1","mimeType":"image/png","blob":""}`)...),
		areatest.NotApplicable("READ-15", one(`{"uri":"a:1","mimeType":"audio/x-mine","blob":"AAAA"}`)...),
		areatest.Warn("READ-15", one(`{"uri":"a:1","mimeType":"image/png","blob":"aVZCT1J3MEtHZ289"}`)...),
		areatest.Warn("READ-15", one(`{"uri":"a:1","mimeType":"image/jpeg","blob":"`+png+`"}`)...),
	)
	areatest.WalkRuns(t, read.TaskRead, areatest.HasResources,
		areatest.Pass("READ-17", rt.Line{Step: "task", Method: "resources/read", Result: `{"contents":[]}`}),
		areatest.Warn("READ-17",
			rt.Line{Step: "task", Method: "resources/read", Result: `{"task":{"taskId":"1"}}`}),
		areatest.Warn("READ-17", areatest.Refusal("task", "resources/read", "", "-32602")),
	)
	refused, still, gone := areatest.Refusal("task", "resources/read", "", "-32002"),
		rt.Line{Step: "still-there", Method: "resources/read", Result: `{"contents":[]}`},
		areatest.Refusal("still-there", "resources/read", "", "-32002")
	areatest.WalkRuns(t, read.TaskRead, areatest.HasResources,
		areatest.NotApplicable("READ-17", refused, gone),
		areatest.Warn("READ-17", refused, still),
	)
	areatest.WalkRuns(t, read.TaskRead, `{"resources":{},"tasks":{}}`,
		areatest.Pass("READ-17", rt.Line{Step: "task", Method: "resources/read", Result: `{"contents":[]}`}),
		areatest.NotApplicable("READ-17",
			rt.Line{Step: "task", Method: "resources/read", Result: `{"task":{"taskId":"1"}}`}),
	)
}

func TestKnownReads(t *testing.T) {
	known := func(step recording.Step, result string, tags ...string) []rt.Line {
		l := rt.Line{Step: step, Method: "resources/read", Params: `{"uri":"a:1"}`, Result: result,
			Tags: recording.Tags{"uri": "a:1"}}
		return areatest.Lines(areatest.And(l, tags...))
	}
	text := func(s string) string { return `{"contents":[{"uri":"a:1","text":"` + s + `"}]}` }
	blob := func(s string) string { return `{"contents":[{"uri":"a:1","blob":"` + s + `"}]}` }
	areatest.WalkRuns(t, recording.KnownReads, areatest.HasResources,
		areatest.Pass("READ-13", known("text", text(`é\r\n\"`), "text", "é\r\n\"")...),
		areatest.Pass("READ-13", known("text", text(`long text`), "text", "ng te", "contains", "true")...),
		areatest.Pass("READ-13", known("text", text(`anything`))...),
		areatest.Pass("READ-13", known("text", text(``), "text", "")...),
		areatest.Fail("READ-13", known("text", text(`Ã©`), "text", "é")...),
		areatest.Fail("READ-13", known("text", text(`a\nb`), "text", "a\r\nb")...),
		areatest.Fail("READ-13", known("text", text(`abc`), "text", "d", "contains", "true")...),
		areatest.Pass("READ-13", known("text", blob(`w6k=`), "text", "é")...),
		areatest.Pass("READ-13", known("text", blob(`dMOpeHQ=`), "text", "é", "contains", "true")...),
		areatest.Fail("READ-13", known("text", blob(`w6k=`), "text", "è")...),
		areatest.Fail("READ-13", known("text", blob(`AAAA`))...),
		areatest.Fail("READ-13",
			areatest.Refusal("text", "resources/read", `{"uri":"a:1"}`, "-32603", "uri", "a:1")),
		areatest.NotApplicable("READ-13", known("blob", blob(`AAAA`))...),
		areatest.Pass("READ-14", known("blob", text("<svg/>"), "base64", "PHN2Zy8+")...),
		areatest.Fail("READ-14", known("blob", text("<svg/>\\n"), "base64", "PHN2Zy8+")...),
		areatest.Pass("READ-14", known("blob", blob(`AAAA`), "base64", "AAAA")...),
		areatest.Pass("READ-14", known("blob", blob(``), "size", "0")...),
		areatest.Pass("READ-14", known("blob", blob(`AAAA`), "sha256",
			"709E80C88487A2411E1EE4DFB9F22A861492D20C4765150C0C794ABD70F8147C", "size", "3")...),
		areatest.Fail("READ-14", known("blob", blob(`QUFBQQ==`), "base64", "AAAA")...),
		areatest.Fail("READ-14", known("blob", blob(`*`), "base64", "AAAA")...),
		areatest.Fail("READ-14", known("blob", text(`AAAA`), "base64", "AAAA")...),
	)
}
