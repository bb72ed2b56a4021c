package rpc_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/rpc"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestMessages(t *testing.T) {
	ok := areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`)
	failed := func(e string) rt.Line { return areatest.Said(`{"jsonrpc":"2.0","id":5,"error":` + e + `}`) }
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("RPC-01", ok, areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{},"extra":1}`)),
		areatest.Fail("RPC-01", ok, failed(`{"code":1,"message":""}`),
			areatest.Said(`{"id":5,"error":{"code":1,"message":""}}`)),
		areatest.Fail("RPC-01", areatest.Unasked(`{"jsonrpc":2.0,"method":"notifications/message"}`)),
		areatest.Pass("RPC-02", ok),
		areatest.Pass("RPC-02", ok,
			areatest.Said(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`)),
		areatest.Fail("RPC-02", areatest.Said(`{"jsonrpc":"2.0","id":6,"result":{"resources":[]}}`)),
		areatest.Fail("RPC-02", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"contents":[]}}`)),
		areatest.Pass("RPC-05", ok),
		areatest.Fail("RPC-05", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{},"error":null}`)),
		areatest.Fail("RPC-05", areatest.Said(`{"jsonrpc":"2.0","id":5}`)),
		areatest.Pass("RPC-06", ok),
		areatest.Fail("RPC-06", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":null}`)),
		areatest.Fail("RPC-06", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":[]}`)),
		areatest.Pass("RPC-07", failed(`{"code":-32602,"message":"","data":"free text"}`)),
		areatest.Fail("RPC-07", failed(`{"code":-32602}`)),
		areatest.Fail("RPC-07", failed(`"no"`)),
		areatest.Pass("RPC-08", failed(`{"code":-32602.0,"message":""}`), failed(`{"code":0,"message":""}`)),
		areatest.Fail("RPC-08", failed(`{"code":"-32602","message":""}`)),
		areatest.Fail("RPC-08", failed(`{"code":-0.5,"message":""}`)),
		areatest.Pass("RPC-12", areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/x"}`,
			`{"jsonrpc":"2.0","method":"notifications/x","params":{"id":7}}`)),
		areatest.Fail("RPC-12", areatest.Unasked(`{"jsonrpc":"2.0","id":null,"method":"notifications/x"}`)),
		areatest.Fail("RPC-12",
			areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/x","params":null}`)),
		areatest.Fail("RPC-12", areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/x","params":[]}`)),
		areatest.Fail("RPC-12", areatest.Unasked(`{"jsonrpc":"2.0","event":"ready"}`)),
		areatest.Pass("RPC-16", failed(`{"code":-32602,"message":""}`)),
		areatest.Fail("RPC-16",
			areatest.Said(`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":""}}`)),
		areatest.Pass("RPC-18", failed(`{"code":-32602,"message":"no such thing"}`)),
		areatest.Pass("RPC-20", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"x":"\u00fc ü"}}`)),
		areatest.Pass("RPC-20", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"x":"\ud83d\udcc1"}}`)),
		areatest.Warn("RPC-20", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{"x":"\ud83d"}}`)),
		areatest.Fail("RPC-20", areatest.Said("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"x\":\"\xfc\"}}")),
		areatest.Fail("RPC-20",
			areatest.Unasked("\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}")),
		areatest.NotApplicable("RPC-21", ok),
		areatest.Pass("RPC-21", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":"1","method":"ping"}`)),
		areatest.Fail("RPC-21", areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":1,"method":"ping"}`)),
		areatest.Fail("RPC-21", areatest.Unasked(`{"jsonrpc":"2.0","id":true,"method":"ping"}`)),
		areatest.Pass("RPC-22", ok, areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/x"}`)),
		areatest.Fail("RPC-22", ok, areatest.Unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)),
		areatest.Pass("RPC-24", failed(`{"code":-32602,"message":""}`), failed(`{"code":404,"message":""}`),
			failed(`{"code":-32002,"message":""}`)),
		areatest.Pass("RPC-25", ok),
		areatest.Warn("RPC-25", ok,
			areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/x","params":{"a":1,"a":2}}`)),
		areatest.Fail("RPC-24", failed(`{"code":-32604,"message":""}`)),
	)
	for _, name := range []recording.Name{recording.Undeclared, recording.UndeclaredCompletion} {
		areatest.WalkRuns(t, name, `{"resources":{}}`,
			areatest.Pass("RPC-06", ok, failed(`{"code":-32601,"message":""}`)),
			areatest.Fail("RPC-06", areatest.Said(`{"jsonrpc":"2.0","id":5,"result":null}`)),
		)
	}
}

func TestAnsweredOnce(t *testing.T) {
	reply := `{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`
	list := func(o recording.Outcome) rt.Line {
		return rt.Line{Step: "page", Method: "resources/list", Outcome: o, Reason: "so it was"}
	}
	const ended = `{"jsonrpc":"2.0","id":7,"result":{}}`
	listened := func(o recording.Outcome, results ...string) rt.Line {
		l := rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "7", Outcome: o}
		if len(results) > 0 {
			l.Reply, l.More = results[0], results[1:]
		}
		return l
	}
	nameless := areatest.Unasked(`{"jsonrpc":"2.0","id":null,"result":{"resources":[]}}`)
	cancelled := list(recording.Sent)
	cancelled.Tags = recording.Tags{recording.TagCancelled: "yes"}
	areatest.WalkRuns(t, recording.Everything, `{"resources":{}}`,
		areatest.Pass("RPC-09", areatest.Said(reply)),
		areatest.Pass("RPC-09", areatest.Said(reply), cancelled),
		areatest.Pass("RPC-09", rt.Line{Step: "page", Method: "resources/list", ID: "5", Reply: reply,
			Outcome: recording.Silent}),
		areatest.Fail("RPC-09", areatest.Said(reply, reply)),
		areatest.Fail("RPC-09", areatest.Said(reply), list(recording.Silent)),
		areatest.Fail("RPC-09", list(recording.Lost)),
		// that is RPC-05's
		areatest.Pass("RPC-09", areatest.Said(reply),
			rt.Line{Step: "page", Method: "resources/list", ID: "6", Outcome: recording.Silent},
			areatest.Unasked(`{"jsonrpc":"2.0","id":6}`)),
		areatest.Pass("RPC-09", areatest.Said(reply), listened(recording.Sent)),
		areatest.Pass("RPC-09", listened("", ended)),
		areatest.Fail("RPC-09", listened("", ended, ended)),
		areatest.Pass("RPC-10", rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-",
			Outcome: recording.Sent}),
		areatest.Fail("RPC-10", rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-",
			Reply: `{"jsonrpc":"2.0","id":null,"result":{}}`}),
		areatest.Fail("RPC-10", rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-",
			Outcome: recording.Sent}, areatest.Unasked(`{"jsonrpc":"2.0","id":null,"result":{}}`)),
		// that is RPC-02's
		areatest.Pass("RPC-10", rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-",
			Outcome: recording.Sent}, list(recording.Silent), nameless),
		areatest.Fail("RPC-02", list(recording.Silent), nameless),
		areatest.Fail("RPC-02", list(recording.Silent),
			areatest.Unasked(`{"jsonrpc":"2.0","result":{"resources":[]}}`)),
		areatest.Pass("RPC-02", areatest.Said(reply),
			areatest.Unasked(`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}`)),
		areatest.Pass("RPC-10", rt.Line{Step: "unknown", Method: "notifications/x", ID: "-", Status: 400,
			Channel: "post:1", Reply: `{"jsonrpc":"2.0","error":{"code":-32600,"message":""}}`}),
	)
}

// A response that comes on the stream of GET, after HTTP 202, was given: that it comes there is HTTP-11's.
func TestAnsweredOnGet(t *testing.T) {
	accepted := rt.Line{Step: "page", Method: "resources/list", ID: "6", Channel: "post:1",
		Outcome: recording.HTTPOnly, Status: http.StatusAccepted}
	response := rt.Line{Channel: "get:1", Event: &wire.Event{},
		Incoming: []string{`{"jsonrpc":"2.0","id":6,"result":{}}`}}
	other := response
	other.Incoming = []string{`{"jsonrpc":"2.0","id":7,"result":{}}`}
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	for want, came := range map[verdict.Outcome]rt.Line{verdict.Pass: response, verdict.Fail: other} {
		rec := rt.New(recording.Everything, facts, rt.Line{Step: "page", Method: "resources/list",
			Channel: "post:2", Status: http.StatusOK, Result: `{}`}, accepted, came)
		areatest.Due(t, "RPC-09", came.Incoming, want, rec)
	}
}

func TestRequestIDs(t *testing.T) {
	id := func(step recording.Step, id, back string) rt.Line {
		l := rt.Line{Step: step, Method: "resources/list", ID: id, Outcome: recording.Silent}
		if back != "" {
			l.Outcome, l.Reply = recording.Replied,
				`{"jsonrpc":"2.0","id":`+back+`,"result":{"resources":[]}}`
		}
		return l
	}
	broken := func(id string) rt.Line {
		return rt.Line{Step: "id", Method: "resources/list", ID: id, Outcome: recording.Replied,
			Reply: `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"Internal error"}}`}
	}
	refused := rt.Line{Step: "empty", Method: "resources/list", ID: `""`, Outcome: recording.Replied,
		Reply: `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}`}
	areatest.WalkRuns(t, rpc.RequestIDs, `{"resources":{}}`,
		areatest.Pass("RPC-03", id("digits", `"7"`, `"7"`), id("digits", "7", "7"), id("digits", "7", "7.0")),
		areatest.Fail("RPC-03", id("digits", `"7"`, "7")),
		areatest.Fail("RPC-03", id("digits", "7", `"7"`)),
		areatest.Fail("RPC-03", id("empty", `""`, "null")),
		areatest.Pass("RPC-03", id("digits", "7", "7"), refused),
		areatest.Warn("RPC-04", id("id", "0", "0"), refused),
		areatest.Pass("RPC-04", id("id", "0", "0"), id("id", "-1", "-1")),
		areatest.Fail("RPC-04", id("id", "0", "")),
		areatest.Blocked("RPC-04", id("id", "0", ""), id("id", "-1", ""), id("id", `"a"`, "")),
		areatest.Fail("RPC-04", id("id", "0", ""), id("id", "-1", ""), id("id", `"a"`, `"a"`)),
		areatest.Fail("RPC-04", id("id", "9007199254740991", "9007199254740992")),
		areatest.Fail("RPC-04", id("id", `" a "`, `"a"`)),
		areatest.Pass("RPC-04", id("id", "0", "0"), id("chunked", `"ï"`, `"ï"`)),
		areatest.Pass("RPC-04", id("id", "0", "0"), id("chunked", `"ï"`, "")),
		areatest.Fail("RPC-04", id("id", "0", "0"), id("chunked", `"ï"`, `"\ufffd\ufffd"`)),
		areatest.Fail("RPC-04", id("id", "0", "0"), id("chunked", `"ï"`, ""),
			id("chunked-plainly", `"i"`, `"i"`)),
		areatest.Pass("RPC-04", id("id", "0", "0"), id("chunked", `"ï"`, ""),
			id("chunked-plainly", `"i"`, "")),
		areatest.Warn("RPC-04", id("id", "0", "0"), id("empty", `""`, "")),
		areatest.Fail("RPC-04", id("id", "0", "0"), id("id", "-1", "-1"), broken(`"a"`), broken(`"7"`)),
		areatest.Pass("RPC-04", id("id", "0", "0"), id("id", "-1", "-1"), id("id", `"a"`, `"a"`),
			broken(`"7"`)),
		areatest.Pass("RPC-04", broken("0"), broken("-1"), broken(`"a"`), broken(`"7"`)),
	)
}

// TestAlteredIDs: it is said what became of an id.
func TestAlteredIDs(t *testing.T) {
	for _, x := range []struct{ sent, got, want string }{
		{" a ", " a ", ""}, {" a ", "", ""}, {"a", "b", ""},
		{" a ", "a", "blanks"}, {"aB", "ab", "case"}, {" cafe\u0301 ", " caf\u00e9 ", "accent"},
		{" cafe\u0301 ", "caf\u00e9", "accent"},
	} {
		if got := rpc.Altered(x.sent, x.got); (x.want == "") != (got == "") ||
			!strings.Contains(got, x.want) {
			t.Errorf("%q as %q: %q", x.sent, x.got, got)
		}
	}
}

// TestMoreThanACode: silence where an error is due is no matter of codes.
func TestMoreThanACode(t *testing.T) {
	for code, want := range map[string]requirement.Gravity{"": "", "-32603": requirement.Codes} {
		for id, l := range map[string]rt.Line{
			"RPC-13": {Step: scenario.StepUnknownMethod, Method: "mcpcheck/no-such-method",
				Kind: recording.Probe},
			"RPC-15": {Step: scenario.StepMistypedMethod, ID: "-", Kind: recording.Probe},
		} {
			l.Outcome = recording.Silent
			if code != "" {
				l.Outcome, l.Error = "", areatest.Failure(code)
			}
			facts := areatest.Stdio(requirement.R20251125, `{}`)
			got := areatest.Judge(id, rt.New(recording.InvalidMessages, facts, l))
			if !got.Outcome.Red() || got.Gravity != want {
				t.Errorf("%s, code %q: %s of gravity %q, not %q", id, code, got.Outcome, got.Gravity, want)
			}
		}
	}
}

func TestInvalidMessages(t *testing.T) {
	probe := func(step recording.Step, code string) rt.Line {
		l := rt.Line{Step: step, ID: "-", Kind: recording.Probe, Outcome: recording.Silent}
		if code != "" {
			l.Outcome, l.Error = "", `{"code":`+code+`,"message":"no"}`
		}
		return l
	}
	unknown := func(code string) rt.Line {
		l := probe("unknown-method", code)
		l.ID, l.Method = "", "mcpcheck/no-such-method"
		return l
	}
	fatal := probe("not-json", "")
	fatal.Fatal = true // what ends the server is not judged here: see TestEndsOfServers
	alien := probe("not-utf-8", "")
	alien.Fatal = true
	numeric := probe("mistyped-method", "")
	numeric.Fatal = true
	bad := probe("not-json", "-32603")
	bad.Status = 400
	inText := rt.Line{Step: "not-utf-8", Method: "ping", Kind: recording.Probe, Result: `{}`}
	nameless := inText
	nameless.Result, nameless.Reply = "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`
	limited := nameless // by what has not read it
	limited.Step, limited.ID, limited.Outcome = "", "7", recording.Refused
	deafened := nameless // answered among other probes, after which nothing was
	deafened.Step += recording.StepLost
	over, large, badRequest := limited, limited, limited // sessions that are over, headers that are too large
	over.Outcome, over.Status = "", 404
	large.Outcome, large.Status = "", 431
	badRequest.Outcome, badRequest.Status = "", 400
	unmarked := badRequest
	unmarked.Step, unmarked.Status = "unmarked", 0
	invented := probe("not-json", "")
	invented.Outcome, invented.Reply = "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":""}}`
	areatest.WalkRuns(t, recording.InvalidMessages, `{"resources":{}}`,
		areatest.Pass("RPC-13", unknown("-32601")),
		areatest.Warn("RPC-13", unknown("-32603")),
		areatest.Fail("RPC-13", unknown("")),
		areatest.Pass("RPC-14", probe("not-json", "")),
		areatest.Pass("RPC-14", probe("not-json", "-32700")),
		areatest.Pass("RPC-14", bad),
		areatest.Fail("RPC-14", probe("not-json", "-32603")),
		areatest.Fail("RPC-14", fatal),
		areatest.Pass("RPC-14", probe("not-utf-8", "")),
		areatest.Pass("RPC-14", inText, nameless),
		// its id may have been unreadable, too
		areatest.NotApplicable("RPC-16", inText, nameless),
		areatest.NotApplicable("RPC-16", deafened),
		areatest.NotApplicable("RPC-16", limited),
		areatest.NotApplicable("RPC-16", large),
		areatest.Fail("RPC-16", badRequest),
		areatest.Pass("RPC-15", unmarked),
		areatest.Warn("RPC-15", rt.Line{Step: "unmarked", ID: "7", Kind: recording.Probe, Result: `{}`}),
		areatest.Fail("RPC-14", alien),
		areatest.Fail("RPC-15", numeric),
		areatest.NotApplicable("RPC-15", fatal, numeric), // the same cause
		areatest.Pass("RPC-15", probe("no-method", ""), probe("mistyped-method", "-32700")),
		areatest.Pass("RPC-15", probe("mistyped-method", "-32601")),
		areatest.Fail("RPC-15", probe("no-method", "-32601")),
		areatest.Fail("RPC-15", probe("mistyped-method", "")),
		areatest.Fail("RPC-15", probe("no-method", "-32603")),
		areatest.Pass("RPC-16", probe("not-json", "-32700"), probe("mistyped-method", "-32600")),
		areatest.Pass("BATCH-07", probe("array", "-32600")),
		areatest.Warn("BATCH-07",
			rt.Line{Step: "array", ID: "-", Kind: recording.Probe, Outcome: recording.Lost, Fatal: true},
			probe("not-json", "-32700")),
	)
	areatest.WalkRunsIn(t, recording.InvalidMessages, `{"resources":{}}`, []areatest.Run{
		areatest.Fail("RPC-16", invented),
	}, requirement.R20251125, requirement.R20260728)
	areatest.WalkRunsIn(t, recording.InvalidMessages, `{"resources":{}}`, []areatest.Run{
		areatest.Pass("RPC-16", invented),
		areatest.NotApplicable("RPC-16", over),
	}, requirement.R20241105, requirement.R20250618)
}

func TestConcurrency(t *testing.T) {
	read := func(uri, got string) rt.Line {
		return rt.Line{Step: "together", Method: "resources/read", Tags: recording.Tags{"uri": uri},
			Result: `{"contents":[{"uri":"` + got + `","text":""}]}`}
	}
	busy := rt.Line{Step: "together", Method: "resources/list", Outcome: recording.HTTPOnly, Status: 429}
	areatest.WalkRuns(t, rpc.Concurrency, `{"resources":{}}`,
		areatest.Pass("RPC-17", read("a:1", "a:1"), read("a:2", "a:2"), busy),
		areatest.Pass("RPC-17", read("a:1", "a:one"), read("a:2", "a:2")),
		areatest.Pass("RPC-17", read("a:dir/", "a:dir/2"), read("a:dir/2", "a:dir/2")),
		areatest.Pass("RPC-17", rt.Line{Step: "together", Method: "resources/read",
			Tags:   recording.Tags{"uri": "a:all"},
			Result: `{"contents":[{"uri":"a:1","text":""},{"uri":"a:2","text":""}]}`}, read("a:1", "a:1"),
			read("a:2", "a:2")),
		// never read alone: it may be an alias
		areatest.Pass("RPC-17", read("a:1", "a:2"), read("a:2", "a:2")),
		areatest.Fail("RPC-17", read("a:1", "a:1"),
			rt.Line{Step: "together", Method: "resources/list", Result: `{"contents":[]}`}),
		areatest.Fail("RPC-17", read("a:1", "a:1"),
			rt.Line{Step: "together", Method: "resources/list", Outcome: recording.Silent}),
		// late
		areatest.Pass("RPC-17", read("a:1", "a:1"), rt.Line{Step: "together", Method: "resources/list",
			Outcome: recording.Silent, Result: `{"resources":[]}`}),
		areatest.NotApplicable("RPC-17", busy),
		areatest.Warn("RPC-17", read("a:1", "a:1"),
			rt.Line{Step: "together", Method: "resources/list", Outcome: recording.Refused, Status: 409}),
	)
}

// What a read yields together with others is held against what it yields alone.
func TestConcurrencyAgainstReadsAlone(t *testing.T) {
	read := func(step recording.Step, uri string, got ...string) rt.Line {
		var contents []string
		for _, one := range got {
			contents = append(contents, `{"uri":"`+one+`","text":""}`)
		}
		return rt.Line{Step: step, Method: "resources/read", Tags: recording.Tags{"uri": uri},
			Result: `{"contents":[` + strings.Join(contents, ",") + `]}`}
	}
	facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
	for name, c := range map[string]struct {
		alone, together []rt.Line
		want            verdict.Outcome
	}{
		"a collection as alone": {areatest.Lines(read("read", "a:all", "b:1", "b:2")),
			areatest.Lines(read("together", "a:all", "b:1", "b:2"), read("together", "b:1", "b:1")),
			verdict.Pass},
		"an alias as alone": {areatest.Lines(read("read", "a:latest", "b:1")),
			areatest.Lines(read("together", "a:latest", "b:1"), read("together", "b:1", "b:1")),
			verdict.Pass},
		"a directory": {nil, areatest.Lines(read("together", "a:d", "a:d/1", "a:d/2"),
			read("together", "a:d/1", "a:d/1")), verdict.Pass},
		"its own, and another": {nil, areatest.Lines(read("together", "a:1", "a:2", "a:1"),
			read("together", "a:2", "a:2")), verdict.Pass},
		"several, never alone": {nil, areatest.Lines(read("together", "a:all", "b:1", "b:2"),
			read("together", "b:1", "b:1")), verdict.Pass},
		"refused alone": {areatest.Lines(rt.Line{Step: "read", Method: "resources/read",
			Tags: recording.Tags{"uri": "a:all"}, Error: areatest.NoSuch}),
			areatest.Lines(read("together", "a:all", "b:1", "b:2"), read("together", "b:1", "b:1")),
			verdict.Pass},
		"several of another": {areatest.Lines(read("read", "a:1", "a:1")),
			areatest.Lines(read("together", "a:1", "a:2", "a:3"), read("together", "a:2", "a:2", "a:3")),
			verdict.Fail},
		"one, never alone": {nil, areatest.Lines(read("together", "a:1", "a:2"),
			read("together", "a:2", "a:2")), verdict.Pass},
		"another one alone": {areatest.Lines(read("read", "a:2", "a:2")),
			areatest.Lines(read("together", "a:1", "a:2"), read("together", "a:2", "a:2")), verdict.Pass},
		"an alias moved on": {areatest.Lines(read("read", "a:latest", "b:1")),
			areatest.Lines(read("together", "a:latest", "b:2"), read("together", "b:2", "b:2")),
			verdict.Pass},
		"one of another": {areatest.Lines(read("read", "a:1", "a:1")),
			areatest.Lines(read("together", "a:1", "a:2"), read("together", "a:2", "a:2")), verdict.Fail},
		"a neighbour by name": {areatest.Lines(read("read", "a:1", "a:1")),
			areatest.Lines(read("together", "a:1", "a:12"), read("together", "a:12", "a:12")), verdict.Fail},
		"the parent": {areatest.Lines(read("read", "a:d/1", "a:d/1")),
			areatest.Lines(read("together", "a:d/1", "a:d"), read("together", "a:d", "a:d")), verdict.Fail},
		"nobody asked for it": {nil, areatest.Lines(read("together", "a:1", "a:one"),
			read("together", "a:2", "a:2")), verdict.Pass},
	} {
		recs := []*recording.Recording{rt.New(rpc.Concurrency, facts, c.together...)}
		if c.alone != nil {
			recs = append(recs, rt.New(recording.Reads, facts, c.alone...))
		}
		areatest.Due(t, "RPC-17", name, c.want, recs...)
	}
}

// The text of another resource under the right URI is told by reads alone, before and after.
func TestTextsMixedUp(t *testing.T) {
	const a, b, c = "I am the first", "I am the second", "I am the third"
	read := func(step recording.Step, uri, text string) rt.Line {
		return rt.Line{Step: step, Method: "resources/read", Tags: recording.Tags{"uri": uri},
			Result: `{"contents":[{"uri":"` + uri + `","text":"` + text + `"}]}`}
	}
	// Two resources, each read alone, together with the other, and alone again.
	round := func(round string, first, second [3]string) []rt.Line {
		var all []rt.Line
		for i, step := range []recording.Step{"alone", "together", "alone-again"} {
			for uri, texts := range map[string][3]string{"a:1": first, "a:2": second} {
				if texts[i] != "" {
					line := read(step, uri, texts[i])
					line.Tags["round"] = round
					all = append(all, line)
				}
			}
		}
		return all
	}
	runs := func(first, second [3]string) []rt.Line { return round("0", first, second) }
	unsettled := runs([3]string{a, b, b}, [3]string{b, b, b})
	areatest.WalkRuns(t, rpc.Concurrency, `{"resources":{}}`,
		areatest.Fail("RPC-17",
			slices.Concat(unsettled, round("1", [3]string{a, b, a}, [3]string{b, b, b}))...),
		// each round by itself
		areatest.Pass("RPC-17",
			slices.Concat(unsettled, round("1", [3]string{b, b, a}, [3]string{b, b, b}))...),
		areatest.Fail("RPC-17", runs([3]string{a, b, a}, [3]string{b, b, b})...),
		areatest.Fail("RPC-17", runs([3]string{a, b, a}, [3]string{b, a, b})...),
		areatest.Pass("RPC-17", runs([3]string{a, a, a}, [3]string{b, b, b})...),
		// the same texts
		areatest.Pass("RPC-17", runs([3]string{a, a, a}, [3]string{a, a, a})...),
		// nobody else's
		areatest.Pass("RPC-17", runs([3]string{a, c, a}, [3]string{b, b, b})...),
		// it has changed
		areatest.Pass("RPC-17", runs([3]string{a, b, b}, [3]string{b, b, b})...),
		// the other one changes
		areatest.Pass("RPC-17", runs([3]string{a, b, a}, [3]string{b, b, c})...),
		areatest.Pass("RPC-17", runs([3]string{a, b, ""}, [3]string{b, b, ""})...),
		areatest.Pass("RPC-17", runs([3]string{"", b, ""}, [3]string{b, b, ""})...),
		areatest.Pass("RPC-17",
			runs([3]string{"idle", "busy", "idle"}, [3]string{"busy", "busy", "busy"})...),
	)
}

// TestEndsOfServers: a message that ends the server is no finding of the rules on what it is
// answered with; one that only ends a connection, or leaves the server deaf, is.
func TestEndsOfServers(t *testing.T) {
	for _, c := range []struct {
		id   string
		step recording.Step
	}{{"RPC-14", "not-json"}, {"RPC-14", "not-utf-8"}, {"RPC-15", "no-method"},
		{"RPC-15", "mistyped-method"}} {
		for _, how := range []struct {
			over    requirement.Transport
			outcome recording.Outcome
			want    verdict.Outcome
		}{
			{requirement.Stdio, recording.Lost, verdict.NotApplicable},
			{requirement.Stdio, recording.Silent, verdict.Warn},
			{requirement.HTTP, recording.Lost, verdict.Warn},
		} {
			facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: how.over},
				`{}`)
			rec := rt.New(recording.InvalidMessages, facts,
				rt.Line{Step: c.step, ID: "-", Kind: recording.Probe, Outcome: how.outcome, Fatal: true})
			if got := areatest.Judge(c.id, rec); got.Outcome != how.want {
				t.Errorf("%s, %s, %s over %s: %+v", c.id, c.step, how.outcome, how.over, got)
			}
		}
	}
}

// TestBareServerErrors: a status 5xx without a JSON-RPC error is HTTP-36's, and nothing where a revision
// older than Streamable HTTP is spoken over it: a newer one tells the same server no more than to answer
// better.
func TestBareServerErrors(t *testing.T) {
	for at, want := range map[requirement.Combination]verdict.Outcome{
		{Revision: requirement.R20251125, Transport: requirement.HTTP}: verdict.NotApplicable,
		// no HTTP of that revision's own
		{Revision: requirement.R20241105, Transport: requirement.HTTP}: verdict.NotApplicable,
		{Revision: requirement.R20241105, Transport: requirement.SSE}:  verdict.Warn,
	} {
		facts := rt.Facts(at, `{}`)
		rec := rt.New(recording.InvalidMessages, facts, rt.Line{Step: "not-json", ID: "-",
			Kind: recording.Probe, Outcome: recording.HTTPOnly, Status: 500})
		areatest.Due(t, "RPC-14", at, want, rec)
	}
}

// What is wrong with a response is told with the request that it answers, and both are shown.
func TestResponsesAreToldWithTheirRequests(t *testing.T) {
	for id, reply := range map[string]string{
		"RPC-05": `{"jsonrpc":"2.0","id":5}`,
		"RPC-06": `{"jsonrpc":"2.0","id":5,"result":null}`,
		"RPC-07": `{"jsonrpc":"2.0","id":5,"error":{"code":-32602}}`,
	} {
		facts := areatest.Stdio(requirement.R20251125, `{"resources":{}}`)
		got := areatest.Judge(id, rt.New(recording.Everything, facts, areatest.Said(reply)))
		if !strings.HasSuffix(got.Actual, " in the response to resources/list") || len(got.Frames) != 2 {
			t.Errorf("%s: %q, frames %v", id, got.Actual, got.Frames)
		}
	}
}

// What is made of a null id, or of members that occur twice, is laid down nowhere: a connection that is lost
// over one is remarked upon, and no more.
func TestLostOverUnclearRequests(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20241105, Transport: requirement.SSE},
		`{"resources":{}}`)
	refused := rt.Line{Step: scenario.StepNoMethod, Error: `{"code":-32600,"message":"no method"}`,
		Kind: recording.Probe}
	for _, step := range []recording.Step{scenario.StepNullID, scenario.StepDoubledMember} {
		lost := rt.Line{Step: step, Outcome: recording.Lost, Fatal: true, Kind: recording.Probe}
		got := areatest.Judge("RPC-15", rt.New(recording.InvalidMessages, facts, refused, lost))
		if got.Outcome != verdict.Pass || len(got.Observations) != 1 {
			t.Errorf("%s: %s, expected pass and an observation\n%+v", step, got.Outcome, got)
		}
	}
}

// Over HTTP+SSE the status of the POST can say that its body is no JSON: only what nothing is said about is
// passed over in silence.
func TestNoJSONInSilence(t *testing.T) {
	for status, want := range map[int]string{0: "parse-error-unanswered", 202: "parse-error-unanswered",
		400: ""} {
		line := rt.Line{Step: recording.StepNotJSON, ID: "-", Kind: recording.Probe,
			Outcome: recording.Silent, Status: status}
		areatest.Observed(t, areatest.Observations(t, "RPC-14", recording.InvalidMessages,
			areatest.Lines(line)), want, "in silence")
	}
}

// TestRespeltIDs: the same number in other digits breaks no rule.
func TestRespeltIDs(t *testing.T) {
	see := func(id string) map[string]string {
		return areatest.Observations(t, "RPC-03", recording.Everything,
			areatest.Lines(rt.Line{Method: "ping", ID: "7", Reply: `{"jsonrpc":"2.0","id":` + id +
				`,"result":{}}`}))
	}
	areatest.Observed(t, see("7"), "")
	areatest.Observed(t, see("7.0"), "id-respelt", "1 number comes back as an id", "7 as 7.0")
}

// Over HTTP it is known what a response under another id answers.
func TestAnUnknownIDIsShownWithItsRequest(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{}`)
	rec := rt.New(recording.Everything, facts, rt.Line{Method: "resources/list", ID: `"é"`, Channel: "post:1",
		Reply: `{"jsonrpc":"2.0","id":"??","result":{"resources":[]}}`})
	got := areatest.Judge("RPC-02", rec)
	if got.Outcome != verdict.Fail || len(got.Frames) != 2 ||
		!strings.Contains(got.Actual, `resources/list with the id "é"`) {
		t.Errorf("%+v", got)
	}
}

// TestOneEndIsOneCause: where connections end over requests, it is one finding whichever request it was in
// which revision.
func TestOneEndIsOneCause(t *testing.T) {
	causes := map[string]bool{}
	for rev, method := range map[requirement.Revision]string{requirement.R20250618: "resources/list",
		requirement.R20251125: "resources/templates/list"} {
		facts := areatest.Stdio(rev, `{"resources":{}}`)
		rec := rt.New(recording.Everything, facts, rt.Line{Step: "page", Method: method,
			Outcome: recording.Lost})
		got := areatest.Judge("RPC-09", rec)
		if got.Outcome != verdict.Fail {
			t.Errorf("%s: %s", method, got.Outcome)
		}
		causes[got.Cause] = true
	}
	if len(causes) != 1 {
		t.Errorf("%d causes: %v", len(causes), causes)
	}
}

// The errors that an HTTP server has of its own are no JSON-RPC, and have no ids to lose.
func TestErrorsOfTheHTTPServer(t *testing.T) {
	facts := areatest.HTTP(requirement.R20251125, `{"resources":{}}`)
	for reply, want := range map[string]verdict.Outcome{
		`{"status":500,"error":"Internal Server Error","path":"/mcp"}`: verdict.NotApplicable,
		`{"error":"Bad Request"}`:                                      verdict.NotApplicable,
		`{"jsonrpc":"2.0","error":{"code":-32603,"message":"no"}}`:     verdict.Fail,
	} {
		x := rt.Line{Step: "unknown-method", Method: "mcpcheck/no-such-method", Kind: recording.Probe,
			Channel: "post-1", Status: 500, Reply: reply}
		areatest.Due(t, "RPC-16", reply, want, rt.New(recording.InvalidMessages, facts, x))
	}
}

// TestMethodsOfOthers: a method that only other revisions have is asked for by a request like others. A
// server that knows discovery may have opened a stream for subscriptions/listen.
func TestMethodsOfOthers(t *testing.T) {
	line := func(method, result, code string) rt.Line {
		l := rt.Line{Step: "other-method", Method: method, Kind: recording.Probe, Result: result}
		if code != "" {
			l.Error = areatest.Failure(code)
		} else if result == "" {
			l.Outcome = recording.Silent
		}
		return l
	}
	unknown, listen := line("server/discover", "", "-32601"), line("subscriptions/listen", "", "")
	areatest.WalkRunsIn(t, rpc.ForeignMessages, `{}`, []areatest.Run{
		areatest.Fail("RPC-09", line("server/discover", "", "")),
		areatest.Fail("RPC-09", unknown, listen),
		areatest.NotApplicable("RPC-09", line("server/discover", `{"supportedVersions":[]}`, ""), listen),
		areatest.Pass("RPC-13", unknown, line("tasks/get", "", "-32602")),
		areatest.Warn("RPC-13", unknown, line("tasks/get", "", "-32603")),
	}, requirement.R20251125)
}
