package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// readLine is a read of a URI, listed with a MIME type, that yields contents.
func readLine(uri, listed, contents string) rt.Line {
	tags := map[string]string{"uri": uri}
	if listed != "" {
		tags["type"] = listed
	}
	return rt.Line{Step: "read", Method: "resources/read", Params: `{"uri":"` + uri + `"}`, Tags: tags, Result: `{"contents":[` + contents + `]}`}
}

func TestReadChecks(t *testing.T) {
	one := func(content string) []rt.Line { return lines(readLine("a:1", "", content)) }
	whole := func(result string) []rt.Line {
		l := readLine("a:1", "", "")
		l.Result = result
		return lines(l)
	}
	blob := func(b string) []rt.Line { return one(`{"uri":"a:1","blob":"` + b + `"}`) }
	input := whole(`{"resultType":"input_required","inputRequests":{}}`)
	png := `iVBORw0KGgo=`
	walkRuns(t, recording.Reads, hasResources, []run{
		{"READ-01", Pass, one(``)},
		{"READ-01", Pass, one(`{"uri":"a:1","text":"1"}`)},
		{"READ-01", NotApplicable, input},
		{"READ-01", NotApplicable, lines(refusal("read", "resources/read", `{"uri":"a:1"}`, "-32002"))},
		{"READ-01", Fail, whole(`{"contents":{"uri":"a:1","text":"1"}}`)},
		{"READ-01", Fail, whole(`{}`)},
		{"READ-02", Pass, one(`{"uri":"b:2","text":"1"}`)},
		{"READ-02", NotApplicable, one(``)},
		{"READ-02", Fail, one(`{"uri":null,"text":"1"}`)},
		{"READ-02", Fail, one(`{"uri":"a:1","mimeType":null,"text":"1"}`)},
		{"READ-03", Pass, one(`{"uri":"a:1","text":""}`)},
		{"READ-03", Pass, one(`{"uri":"a:1","text":null,"blob":""}`)},
		{"READ-03", Fail, one(`{"uri":"a:1"}`)},
		{"READ-03", Fail, one(`{"uri":"a:1","text":{"a":1}}`)},
		{"READ-03", Fail, one(`{"uri":"a:1","text":"1"},{"uri":"a:2"}`)},
		{"READ-04", Pass, one(`{"uri":"a:1","text":"1"}`)},
		{"READ-04", Warn, one(`{"uri":"a:1","text":"1","blob":"AAAA"}`)},
		{"READ-04", Warn, one(`{"uri":"a:1","text":null,"blob":"AAAA"}`)},
		{"READ-06", Pass, blob(`+/+/AD4//g==`)},
		{"READ-06", Pass, blob(``)},
		{"READ-06", Pass, blob("AAAA\\r\\nAAAA")},
		{"READ-06", NotApplicable, one(`{"uri":"a:1","text":"-_"}`)},
		{"READ-06", Fail, blob(`-_-_AD4__g==`)},
		{"READ-06", Fail, blob(`AA*A`)},
		{"READ-07", Pass, blob(`AA==`)},
		{"READ-07", Pass, blob("AA\\r\\n==")},
		{"READ-07", NotApplicable, blob(`AAAA`)},
		{"READ-07", Fail, blob(`AA`)},
		{"READ-07", Fail, blob(`AA==AAAA`)},
		{"READ-07", Fail, blob(`-_-_AD4__g`)},
		{"READ-08", NotApplicable, blob(`AAAA`)},
		{"READ-08", Pass, blob(`AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA`)},
		{"READ-08", Warn, blob("AAAA\\nAAAA")},
		{"READ-08", Warn, blob("AAAA ")},
		{"READ-09", NotApplicable, blob(`AAAA`)},
		{"READ-09", Pass, blob(`AA==`)},
		{"READ-09", Warn, blob(`AB==`)},
		{"READ-12", Pass, one(`{"uri":"a:1","mimeType":"image/png","blob":"` + png + `"}`)},
		{"READ-12", Pass, one(`{"uri":"a:1","mimeType":"image/png","text":"drawn by hand"}`)},
		{"READ-12", NotApplicable, one(`{"uri":"a:1","mimeType":"text/plain","text":"\u0000"}`)},
		{"READ-12", NotApplicable, one(`{"uri":"a:1","mimeType":"image/svg+xml","text":"\ufffd"}`)},
		{"READ-12", Warn, one(`{"uri":"a:1","mimeType":"image/png","text":"\ufffdPNG"}`)},
		{"READ-12", Warn, lines(readLine("a:1", "application/pdf", `{"uri":"a:1","text":"%PDF\u0000"}`))},
		{"READ-15", Pass, one(`{"uri":"a:1","mimeType":"image/png","blob":"` + png + `"}`)},
		{"READ-15", NotApplicable, one(`{"uri":"a:1","mimeType":"image/png","blob":""}`)},
		{"READ-15", NotApplicable, one(`{"uri":"a:1","mimeType":"audio/x-mine","blob":"AAAA"}`)},
		{"READ-15", Warn, one(`{"uri":"a:1","mimeType":"image/png","blob":"aVZCT1J3MEtHZ289"}`)},
		{"READ-15", Warn, one(`{"uri":"a:1","mimeType":"image/jpeg","blob":"` + png + `"}`)},
	})
	walkRuns(t, recording.TaskRead, hasResources, []run{
		{"READ-17", Pass, lines(rt.Line{Step: "task", Method: "resources/read", Result: `{"contents":[]}`})},
		{"READ-17", Warn, lines(rt.Line{Step: "task", Method: "resources/read", Result: `{"task":{"taskId":"1"}}`})},
		{"READ-17", Warn, lines(refusal("task", "resources/read", "", "-32602"))},
	})
}

func TestKnownReads(t *testing.T) {
	known := func(step, result string, tags ...string) []rt.Line {
		l := rt.Line{Step: step, Method: "resources/read", Params: `{"uri":"a:1"}`, Result: result, Tags: map[string]string{"uri": "a:1"}}
		for i := 0; i+1 < len(tags); i += 2 {
			l.Tags[tags[i]] = tags[i+1]
		}
		return lines(l)
	}
	text := func(s string) string { return `{"contents":[{"uri":"a:1","text":"` + s + `"}]}` }
	blob := func(s string) string { return `{"contents":[{"uri":"a:1","blob":"` + s + `"}]}` }
	walkRuns(t, recording.KnownReads, hasResources, []run{
		{"READ-13", Pass, known("text", text(`é\r\n\"`), "text", "é\r\n\"")},
		{"READ-13", Pass, known("text", text(`long text`), "text", "ng te", "contains", "true")},
		{"READ-13", Pass, known("text", text(`anything`))},
		{"READ-13", Pass, known("text", text(``), "text", "")},
		{"READ-13", Fail, known("text", text(`Ã©`), "text", "é")},
		{"READ-13", Fail, known("text", text(`a\nb`), "text", "a\r\nb")},
		{"READ-13", Fail, known("text", text(`abc`), "text", "d", "contains", "true")},
		{"READ-13", Pass, known("text", blob(`w6k=`), "text", "é")},
		{"READ-13", Fail, known("text", blob(`w6k=`), "text", "è")},
		{"READ-13", Fail, known("text", blob(`AAAA`))},
		{"READ-13", Fail, lines(refusal("text", "resources/read", `{"uri":"a:1"}`, "-32603", "uri", "a:1"))},
		{"READ-13", NotApplicable, known("blob", blob(`AAAA`))},
		{"READ-14", Pass, known("blob", blob(`AAAA`), "base64", "AAAA")},
		{"READ-14", Pass, known("blob", blob(``), "size", "0")},
		{"READ-14", Pass, known("blob", blob(`AAAA`), "sha256", "709E80C88487A2411E1EE4DFB9F22A861492D20C4765150C0C794ABD70F8147C", "size", "3")},
		{"READ-14", Fail, known("blob", blob(`QUFBQQ==`), "base64", "AAAA")},
		{"READ-14", Fail, known("blob", blob(`*`), "base64", "AAAA")},
		{"READ-14", Fail, known("blob", text(`AAAA`), "base64", "AAAA")},
	})
}
