package check

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// failure is an error with a code.
func failure(code string) string { return `{"code":` + code + `,"message":"no"}` }

func TestMissingReads(t *testing.T) {
	configured := func(result, err string) []rt.Line {
		return lines(taggedRead("configured", `{"uri":"a:no"}`, result, err))
	}
	guessed := func(first, second string) []rt.Line {
		return lines(taggedRead("guessed", `{"uri":"a:1"}`, "", failure(first)), taggedRead("guessed", `{"uri":"a:2"}`, "", failure(second)))
	}
	walkRuns(t, recording.MissingReads, `{"resources":{}}`, []run{
		{"ERR-01", Pass, configured("", failure("-32602"))},
		{"ERR-01", Pass, configured("", failure("-32602.0"))},
		{"ERR-01", Fail, configured("", failure("-32002"))},
		{"ERR-01", NotApplicable, configured("", failure("-32021"))},
		{"ERR-01", NotApplicable, configured(oneText, "")},
		{"ERR-01", Fail, guessed("-32603", "-32603")},
		{"ERR-01", Warn, guessed("-32603", "-32602")},
		{"ERR-09", Fail, configured(nothing, "")},
		{"ERR-09", Warn, lines(taggedRead("guessed", `{"uri":"a:1"}`, nothing, ""))},
		{"ERR-10", Fail, configured(oneText, "")},
		{"ERR-05", Pass, lines(rt.Line{Step: "configured", Method: "resources/read", Params: metaParams, Error: failure("-32602")})},
		{"ERR-05", Fail, lines(rt.Line{Step: "configured", Method: "resources/read", Params: metaParams, Error: failure("-32020")})},
		{"ERR-05", Fail, lines(rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: `{"code":-32021,"message":"","data":{"requiredCapabilities":{}}}`})},
		{"ERR-05", Pass, lines(rt.Line{Step: "configured", Method: "resources/read", Params: metaParams,
			Error: `{"code":-32021,"message":"","data":{"requiredCapabilities":{"elicitation":{"form":{}}}}}`})},
	}, modernOne)
	walkRuns(t, recording.MissingReads, `{"resources":{}}`, []run{
		{"ERR-01", Pass, configured("", failure("-32002"))},
		{"ERR-01", Warn, configured("", failure("-32602"))},
		{"ERR-01", Warn, configured("", failure("0"))},
		{"ERR-01", Pass, guessed("-32002", "-32002")},
		{"ERR-09", Warn, configured(nothing, "")},
		{"ERR-10", Warn, configured(oneText, "")},
		{"ERR-10", Pass, configured("", failure("-32603"))},
		{"ERR-10", NotApplicable, lines(taggedRead("guessed", `{"uri":"a:1"}`, oneText, ""))},
	}, requirement.Legacy()...)
}

const metaParams = `{"uri":"a:1","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}`

func TestErrorCodes(t *testing.T) {
	seen := func(code string) []rt.Line { return lines(taggedRead("read", `{"uri":"a:1"}`, "", failure(code))) }
	removed := func(step, method, err string, status int) []rt.Line {
		return lines(rt.Line{Step: step, Method: method, Error: err, Status: status})
	}
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"ERR-02", Pass, seen("-32602")}, {"ERR-02", Fail, seen("-32002")}, {"ERR-02", Fail, seen("-32042")},
		{"ERR-04", Pass, seen("-32021")}, {"ERR-04", Fail, seen("-32050")}, {"ERR-04", Pass, seen("-32100")},
		{"ERR-06", Pass, seen("-32603")}, {"ERR-06", Pass, seen("1001")}, {"ERR-06", Warn, seen("-32000")}, {"ERR-06", Warn, seen("-32100")},
		{"ERR-60", NotApplicable, seen("-32602")}, {"ERR-60", Fail, seen("-32021")},
	})
	walkRuns(t, recording.Everything, `{"resources":{},"extensions":{"com.example/x":{}}}`, []run{{"ERR-04", Pass, seen("-32050")}})
	walkRuns(t, recording.RemovedMethods, `{}`, []run{
		{"ERR-61", Pass, removed("ping", "ping", failure("-32601"), 404)},
		{"ERR-61", Pass, removed("ping", "ping", failure("-32601"), 0)},
		{"ERR-61", Warn, removed("ping", "ping", failure("-32601"), 200)},
		{"ERR-61", Warn, removed("ping", "ping", failure("-32602"), 404)},
		{"ERR-61", Pass, removed("initialize", "initialize", failure("-32022"), 400)},
		// Another era beside this one is no remnant of it.
		{"ERR-61", Pass, lines(rt.Line{Step: "ping", Method: "ping", Error: failure("-32601")}, rt.Line{Step: "initialize", Method: "initialize", Result: `{"protocolVersion":"2025-11-25"}`})},
		{"ERR-61", Warn, lines(rt.Line{Step: "initialize", Method: "initialize", Result: `{"protocolVersion":"2026-07-28"}`})},
		{"ERR-61", Warn, lines(rt.Line{Step: "initialize", Method: "initialize", Result: `{}`})},
	})
	walkRuns(t, recording.BrokenRead, `{"resources":{}}`, []run{
		{"ERR-08", Pass, lines(taggedRead("broken", `{"uri":"a:1"}`, "", failure("-32603")))},
		{"ERR-08", Warn, lines(taggedRead("broken", `{"uri":"a:1"}`, "", failure("-32602")))},
		{"ERR-08", NotApplicable, lines(taggedRead("broken", `{"uri":"a:1"}`, oneText, ""))},
	})
	walkRuns(t, recording.MalformedReads, `{"resources":{}}`, []run{
		{"ERR-11", Pass, lines(taggedRead("untyped", `{}`, "", failure("-32602")))},
		{"ERR-11", NotApplicable, lines(taggedRead("untyped", `{}`, "", failure("-32601")))}, // see CAP-08
		{"ERR-11", Warn, lines(taggedRead("untyped", `{}`, "", failure("-32603")))},
		{"ERR-11", Fail, lines(taggedRead("untyped", `{}`, oneText, ""))},
		{"ERR-11", Fail, lines(taggedRead("untyped", `{"uri":null}`, "", ""))},
	})
}

// TestLeakedPaths: what the request named is no secret, anything else is.
func TestLeakedPaths(t *testing.T) {
	for message, want := range map[string]int{
		"ENOENT: /home/ci/app/data/x":                           1,
		"no such file: /srv/notes/x":                            0,
		"not found":                                             0,
		"Traceback (most recent call last)":                     1,
		"boom\\n    at read (/usr/lib/app/index.js:10:5)":       1,
		"Resource not found; see https://example.com/docs/home": 0,
		"no such file: /SRV//notes/x":                           0,
		`no such file: \"/srv/notes/x\"`:                        0,
		"cannot open /srv/notes/y":                              1,
	} {
		line := taggedRead("guessed", `{"uri":"file:///srv/notes/x"}`, "", `{"code":-32603,"message":"`+message+`"}`)
		facts := rt.Facts(requirement.Combination{Revision: modernOne, Transport: requirement.Stdio}, `{}`)
		v := &Verdict{Facts: facts}
		leakedPaths(v, rt.New(recording.MissingReads, facts, line).Exchanges)
		if len(v.observations) != want {
			t.Errorf("%s: %d observations", message, len(v.observations))
		}
	}
}
