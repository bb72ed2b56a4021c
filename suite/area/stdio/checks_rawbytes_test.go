package stdio_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/http"
	"github.com/mcpcheck/mcpcheck/suite/area/sec"
	"github.com/mcpcheck/mcpcheck/suite/area/stdio"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// How messages end on stdio is remarked upon where newlines alone would have served.
func TestOddEnds(t *testing.T) {
	before := part("before", 1, "")
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "STDIO-05", stdio.Framing, rec)
	}
	refused := rt.Line{Step: "crlf", Method: "ping", Error: `{"code":-32700,"message":"no"}`}
	died := part("blank-line", 0, recording.Lost)
	died.Fatal = true
	areatest.Observed(t, see(before, part("crlf", 1, ""), part("blank-line", 1, "")), "")
	areatest.Observed(t, see(before, refused), "crlf-refused", "-32700", "carriage return")
	areatest.Observed(t, see(before, part("crlf", 0, recording.Silent), part("blank-line", 1, "")),
		"crlf-refused", "silence")
	areatest.Observed(t, see(before, died), "blank-line-refused", "sent alone", "empty line")
	diedOfCR := part("crlf", 0, recording.Lost)
	diedOfCR.Fatal = true
	dies := &recording.Recording{Scenario: recording.InvalidMessages,
		Exchanges: []*recording.Exchange{{Step: recording.StepNotJSON, Fatal: true}}}
	// an empty line is RPC-14's
	areatest.Observed(t, areatest.Observations(t, "STDIO-05", stdio.Framing, areatest.Lines(before, diedOfCR,
		died), dies), "crlf-refused", "sent alone", "carriage return")
	areatest.Observed(t, see(before, part("blank-line", 0, recording.Canceled),
		part("crlf", 0, recording.Unsent)), "")
	areatest.Observed(t, see(rt.Line{Step: "before", Method: "ping", Error: `{"code":-32603,"message":"no"}`},
		refused), "")
	areatest.WalkRuns(t, stdio.Framing, `{}`,
		areatest.Pass("STDIO-05", before, part("joined", 2, ""), refused, died))
}

// HTTP's own freedoms are remarked upon where an ordinary request is served.
func TestFramedByHTTP(t *testing.T) {
	list := areatest.Listed("list")
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "HTTP-32", http.HTTPStatuses, rec)
	}
	areatest.Observed(t, see(list, areatest.Listed("chunked"),
		areatest.Listed("header-case")), "")
	areatest.Observed(t, see(list, areatest.Bare("chunked", 411)), "chunked-refused",
		"HTTP 411", "Transfer-Encoding")
	areatest.Observed(t, see(list, areatest.HTTPLine("chunked", 0, rt.Line{Outcome: recording.Silent})),
		"chunked-refused", "silence")
	areatest.Observed(t, see(list, areatest.Bare("header-case", 415)),
		"header-case-refused", "HTTP 415")
	areatest.Observed(t, see(list, areatest.Bare("header-case", 404),
		areatest.HTTPLine("chunked", 503, rt.Line{Outcome: recording.Refused})), "")
	areatest.Observed(t, see(areatest.Bare("list", 400),
		areatest.Bare("chunked", 400)), "")
	areatest.WalkRuns(t, http.HTTPStatuses, `{"resources":{}}`,
		areatest.Pass("HTTP-32", list, areatest.WithTags(areatest.Listed("accept"), "form", "order"),
			areatest.Bare("chunked", 411)),
	)
}

func TestOddMethods(t *testing.T) {
	list := areatest.Listed("list")
	by := func(verb string, status int, l rt.Line) rt.Line {
		return areatest.WithTags(areatest.HTTPLine("odd-method", status, l), "verb", verb)
	}
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "HTTP-01", http.HTTPStatuses, append(areatest.Lines(list), rec...))
	}
	died := rt.Line{Outcome: recording.Lost, Fatal: true}
	areatest.Observed(t, see(by("HEAD", 405, areatest.NoMessage), by("OPTIONS", 204, areatest.NoMessage),
		by("PUT", 400, areatest.WithCode("-32600")), by("PATCH", 501, areatest.NoMessage)), "")
	areatest.Observed(t, see(by("HEAD", 200, rt.Line{Outcome: recording.Sent}),
		by("PUT", 503, rt.Line{Outcome: recording.Refused})), "")
	areatest.Observed(t, see(by("PUT", 200, areatest.OkList), by("PATCH", 200, areatest.OkList)),
		"odd-method-served", "PUT and PATCH")
	areatest.Observed(t, see(by("PUT", 500, areatest.NoMessage), by("PATCH", 0, died)), "odd-method-failed",
		"PUT (HTTP 500", "PATCH (the connection ended")
	areatest.WalkRuns(t, http.HTTPStatuses, `{"resources":{}}`,
		areatest.Pass("HTTP-01", list, areatest.HTTPLine("notify", 202, areatest.Oneway),
			areatest.Listed("list-after"), by("PUT", 500, areatest.NoMessage),
			by("PATCH", 200, areatest.OkList)),
	)
}

func TestForeignHost(t *testing.T) {
	refused := areatest.WithTags(areatest.Bare("request", 403), "origin",
		"http://evil.example.invalid")
	host := func(status int, l rt.Line) rt.Line {
		return areatest.WithTags(areatest.HTTPLine("foreign-host", status, l), "host", "evil.example.invalid")
	}
	see := func(rec ...rt.Line) map[string]string {
		return areatest.Observations(t, "SEC-01", sec.Origins, rec)
	}
	areatest.Observed(t, areatest.Observations(t, "SEC-02", sec.Origins,
		areatest.Lines(refused, host(200, areatest.OkList))), "host-unchecked")
	areatest.Observed(t, see(refused, host(403, areatest.NoMessage)), "")
	areatest.Observed(t, see(refused, host(421, areatest.NoMessage)), "")
	areatest.Observed(t, see(refused, host(200, areatest.WithCode("-32600"))), "")
	areatest.Observed(t, see(refused, host(200, areatest.OkList)), "host-unchecked", "evil.example.invalid",
		"DNS rebinding")
	areatest.WalkRuns(t, sec.Origins, `{"resources":{}}`,
		areatest.Pass("SEC-01", refused, host(200, areatest.OkList)))
}
