package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// How messages end on stdio is remarked upon where newlines alone would have served.
func TestOddEnds(t *testing.T) {
	before := part("before", 1, "")
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "STDIO-05", recording.Framing, rec)
	}
	refused := rt.Line{Step: "crlf", Method: "ping", Error: `{"code":-32700,"message":"no"}`}
	died := part("blank-line", 0, recording.Lost)
	died.Fatal = true
	observed(t, see(before, part("crlf", 1, ""), part("blank-line", 1, "")), "")
	observed(t, see(before, refused), "crlf-refused", "-32700", "carriage return")
	observed(t, see(before, part("crlf", 0, recording.Silent), part("blank-line", 1, "")), "crlf-refused", "silence")
	observed(t, see(before, died), "blank-line-refused", "sent alone", "empty line")
	observed(t, see(before, part("blank-line", 0, recording.Canceled), part("crlf", 0, recording.Unsent)), "")
	observed(t, see(rt.Line{Step: "before", Method: "ping", Error: `{"code":-32603,"message":"no"}`}, refused), "")
	walkRuns(t, recording.Framing, `{}`, []run{{"STDIO-05", Pass, lines(before, part("joined", 2, ""), refused, died)}})
}

// HTTP's own freedoms are remarked upon where an ordinary request is served.
func TestFramedByHTTP(t *testing.T) {
	list := httpLine("list", 200, okList)
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "HTTP-32", recording.HTTPStatuses, rec)
	}
	observed(t, see(list, httpLine("chunked", 200, okList), httpLine("header-case", 200, okList)), "")
	observed(t, see(list, httpLine("chunked", 411, noMessage)), "chunked-refused", "HTTP 411", "Transfer-Encoding")
	observed(t, see(list, httpLine("chunked", 0, rt.Line{Outcome: recording.Silent})), "chunked-refused", "silence")
	observed(t, see(list, httpLine("header-case", 415, noMessage)), "header-case-refused", "HTTP 415")
	observed(t, see(list, httpLine("header-case", 404, noMessage), httpLine("chunked", 503, rt.Line{Outcome: recording.Refused})), "")
	observed(t, see(httpLine("list", 400, noMessage), httpLine("chunked", 400, noMessage)), "")
	walkRuns(t, recording.HTTPStatuses, `{"resources":{}}`, []run{
		{"HTTP-32", Pass, lines(list, withTags(httpLine("accept", 200, okList), "form", "order"), httpLine("chunked", 411, noMessage))},
	})
}

func TestOddMethods(t *testing.T) {
	list := httpLine("list", 200, okList)
	by := func(verb string, status int, l rt.Line) rt.Line {
		return withTags(httpLine("odd-method", status, l), "verb", verb)
	}
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "HTTP-01", recording.HTTPStatuses, append(lines(list), rec...))
	}
	died := rt.Line{Outcome: recording.Lost, Fatal: true}
	observed(t, see(by("HEAD", 405, noMessage), by("OPTIONS", 204, noMessage), by("PUT", 400, withCode("-32600")), by("PATCH", 501, noMessage)), "")
	observed(t, see(by("HEAD", 200, rt.Line{Outcome: recording.Sent}), by("PUT", 503, rt.Line{Outcome: recording.Refused})), "")
	observed(t, see(by("PUT", 200, okList), by("PATCH", 200, okList)), "odd-method-served", "PUT and PATCH")
	observed(t, see(by("PUT", 500, noMessage), by("PATCH", 0, died)), "odd-method-failed", "PUT (HTTP 500", "PATCH (the connection ended")
	walkRuns(t, recording.HTTPStatuses, `{"resources":{}}`, []run{
		{"HTTP-01", Pass, lines(list, httpLine("notify", 202, oneway), httpLine("list-after", 200, okList), by("PUT", 500, noMessage), by("PATCH", 200, okList))},
	})
}

func TestForeignHost(t *testing.T) {
	refused := withTags(httpLine("request", 403, noMessage), "origin", "http://evil.example.invalid")
	host := func(status int, l rt.Line) rt.Line {
		return withTags(httpLine("foreign-host", status, l), "host", "evil.example.invalid")
	}
	see := func(rec ...rt.Line) map[string]string {
		return observations(t, "SEC-01", recording.Origins, rec)
	}
	observed(t, observations(t, "SEC-02", recording.Origins, lines(refused, host(200, okList))), "host-unchecked")
	observed(t, see(refused, host(403, noMessage)), "")
	observed(t, see(refused, host(421, noMessage)), "")
	observed(t, see(refused, host(200, withCode("-32600"))), "")
	observed(t, see(refused, host(200, okList)), "host-unchecked", "evil.example.invalid", "DNS rebinding")
	walkRuns(t, recording.Origins, `{"resources":{}}`, []run{{"SEC-01", Pass, lines(refused, host(200, okList))}})
}
