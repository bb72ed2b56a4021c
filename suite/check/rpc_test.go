package check

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// said is a list request with a whole reply.
func said(reply string, more ...string) rt.Line {
	return rt.Line{Step: "list", Method: "resources/list", ID: "5", Reply: reply, More: more}
}

// unasked is something that the target sends unasked.
func unasked(messages ...string) rt.Line { return rt.Line{Incoming: messages} }

func TestMessages(t *testing.T) {
	ok := said(`{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`)
	failed := func(e string) rt.Line { return said(`{"jsonrpc":"2.0","id":5,"error":` + e + `}`) }
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"RPC-01", Pass, lines(ok, said(`{"jsonrpc":"2.0","id":5,"result":{},"extra":1}`))},
		{"RPC-01", Fail, lines(ok, failed(`{"code":1,"message":""}`), said(`{"id":5,"error":{"code":1,"message":""}}`))},
		{"RPC-01", Fail, lines(unasked(`{"jsonrpc":2.0,"method":"notifications/message"}`))},
		{"RPC-02", Pass, lines(ok)},
		{"RPC-02", Pass, lines(ok, said(`{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`))},
		{"RPC-02", Fail, lines(said(`{"jsonrpc":"2.0","id":6,"result":{"resources":[]}}`))},
		{"RPC-02", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":{"contents":[]}}`))},
		{"RPC-05", Pass, lines(ok)},
		{"RPC-05", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":{},"error":null}`))},
		{"RPC-05", Fail, lines(said(`{"jsonrpc":"2.0","id":5}`))},
		{"RPC-06", Pass, lines(ok)},
		{"RPC-06", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":null}`))},
		{"RPC-06", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":[]}`))},
		{"RPC-07", Pass, lines(failed(`{"code":-32602,"message":"","data":"free text"}`))},
		{"RPC-07", Fail, lines(failed(`{"code":-32602}`))},
		{"RPC-07", Fail, lines(failed(`"no"`))},
		{"RPC-08", Pass, lines(failed(`{"code":-32602.0,"message":""}`), failed(`{"code":0,"message":""}`))},
		{"RPC-08", Fail, lines(failed(`{"code":"-32602","message":""}`))},
		{"RPC-08", Fail, lines(failed(`{"code":-0.5,"message":""}`))},
		{"RPC-12", Pass, lines(unasked(`{"jsonrpc":"2.0","method":"notifications/x"}`, `{"jsonrpc":"2.0","method":"notifications/x","params":{"id":7}}`))},
		{"RPC-12", Fail, lines(unasked(`{"jsonrpc":"2.0","id":null,"method":"notifications/x"}`))},
		{"RPC-12", Fail, lines(unasked(`{"jsonrpc":"2.0","method":"notifications/x","params":null}`))},
		{"RPC-12", Fail, lines(unasked(`{"jsonrpc":"2.0","method":"notifications/x","params":[]}`))},
		{"RPC-12", Fail, lines(unasked(`{"jsonrpc":"2.0","event":"ready"}`))},
		{"RPC-16", Pass, lines(failed(`{"code":-32602,"message":""}`))},
		{"RPC-16", Fail, lines(said(`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":""}}`))},
		{"RPC-18", Pass, lines(failed(`{"code":-32602,"message":"no such thing"}`))},
		{"RPC-20", Pass, lines(said(`{"jsonrpc":"2.0","id":5,"result":{"x":"\u00fc ü"}}`))},
		{"RPC-20", Fail, lines(said("{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{\"x\":\"\xfc\"}}"))},
		{"RPC-20", Fail, lines(unasked("\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}"))},
		{"RPC-21", NotApplicable, lines(ok)},
		{"RPC-21", Pass, lines(unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":"1","method":"ping"}`))},
		{"RPC-21", Fail, lines(unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`, `{"jsonrpc":"2.0","id":1,"method":"ping"}`))},
		{"RPC-21", Fail, lines(unasked(`{"jsonrpc":"2.0","id":true,"method":"ping"}`))},
		{"RPC-22", Pass, lines(ok, unasked(`{"jsonrpc":"2.0","method":"notifications/x"}`))},
		{"RPC-22", Fail, lines(ok, unasked(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))},
		{"RPC-24", Pass, lines(failed(`{"code":-32602,"message":""}`), failed(`{"code":404,"message":""}`), failed(`{"code":-32002,"message":""}`))},
		{"RPC-24", Fail, lines(failed(`{"code":-32604,"message":""}`))},
	})
	for _, name := range []recording.Name{recording.Undeclared, recording.UndeclaredCompletion} {
		walkRuns(t, name, `{"resources":{}}`, []run{
			{"RPC-06", Pass, lines(ok, failed(`{"code":-32601,"message":""}`))},
			{"RPC-06", Fail, lines(said(`{"jsonrpc":"2.0","id":5,"result":null}`))},
		})
	}
}

func TestAnsweredOnce(t *testing.T) {
	reply := `{"jsonrpc":"2.0","id":5,"result":{"resources":[]}}`
	list := func(o recording.Outcome) rt.Line {
		return rt.Line{Step: "page", Method: "resources/list", Outcome: o, Reason: "so it was"}
	}
	cancelled := list(recording.Sent)
	cancelled.Tags = map[string]string{recording.TagCancelled: "yes"}
	walkRuns(t, recording.Everything, `{"resources":{}}`, []run{
		{"RPC-09", Pass, lines(said(reply))},
		{"RPC-09", Pass, lines(said(reply), cancelled)},
		{"RPC-09", Pass, lines(rt.Line{Step: "page", Method: "resources/list", ID: "5", Reply: reply, Outcome: recording.Silent})},
		{"RPC-09", Fail, lines(said(reply, reply))},
		{"RPC-09", Fail, lines(said(reply), list(recording.Silent))},
		{"RPC-09", Fail, lines(list(recording.Lost))},
		{"RPC-10", Pass, lines(rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-", Outcome: recording.Sent})},
		{"RPC-10", Fail, lines(rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-", Reply: `{"jsonrpc":"2.0","id":null,"result":{}}`})},
		{"RPC-10", Fail, lines(rt.Line{Step: "initialized", Method: "notifications/initialized", ID: "-", Outcome: recording.Sent}, unasked(`{"jsonrpc":"2.0","id":null,"result":{}}`))},
		{"RPC-10", Pass, lines(rt.Line{Step: "unknown", Method: "notifications/x", ID: "-", Status: 400, Channel: "post:1", Reply: `{"jsonrpc":"2.0","error":{"code":-32600,"message":""}}`})},
	})
}

func TestRequestIDs(t *testing.T) {
	id := func(step, id, back string) rt.Line {
		l := rt.Line{Step: step, Method: "resources/list", ID: id, Outcome: recording.Silent}
		if back != "" {
			l.Outcome, l.Reply = recording.Replied, `{"jsonrpc":"2.0","id":`+back+`,"result":{"resources":[]}}`
		}
		return l
	}
	broken := func(id string) rt.Line {
		return rt.Line{Step: "id", Method: "resources/list", ID: id, Outcome: recording.Replied,
			Reply: `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32603,"message":"Internal error"}}`}
	}
	walkRuns(t, recording.RequestIDs, `{"resources":{}}`, []run{
		{"RPC-03", Pass, lines(id("digits", `"7"`, `"7"`), id("digits", "7", "7"), id("digits", "7", "7.0"))},
		{"RPC-03", Fail, lines(id("digits", `"7"`, "7"))},
		{"RPC-03", Fail, lines(id("digits", "7", `"7"`))},
		{"RPC-04", Pass, lines(id("id", "0", "0"), id("id", "-1", "-1"))},
		{"RPC-04", Fail, lines(id("id", "0", ""))},
		{"RPC-04", Fail, lines(id("id", "9007199254740991", "9007199254740992"))},
		{"RPC-04", Warn, lines(id("id", "0", "0"), id("empty", `""`, ""))},
		{"RPC-04", Fail, lines(id("id", "0", "0"), id("id", "-1", "-1"), broken(`"a"`), broken(`"7"`))},
		{"RPC-04", Pass, lines(id("id", "0", "0"), id("id", "-1", "-1"), id("id", `"a"`, `"a"`), broken(`"7"`))},
		{"RPC-04", Pass, lines(broken("0"), broken("-1"), broken(`"a"`), broken(`"7"`))},
	})
}

func TestInvalidMessages(t *testing.T) {
	probe := func(step string, code string) rt.Line {
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
	fatal.Fatal, fatal.Outcome = true, recording.Lost
	alien := probe("not-utf-8", "")
	alien.Fatal, alien.Outcome = true, recording.Lost
	bad := probe("not-json", "-32603")
	bad.Status = 400
	inText := rt.Line{Step: "not-utf-8", Method: "ping", Kind: recording.Probe, Result: `{}`}
	nameless := inText
	nameless.Result, nameless.Reply = "", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}}`
	invented := probe("not-json", "")
	invented.Outcome, invented.Reply = "", `{"jsonrpc":"2.0","id":1,"error":{"code":-32700,"message":""}}`
	walkRuns(t, recording.InvalidMessages, `{"resources":{}}`, []run{
		{"RPC-13", Pass, lines(unknown("-32601"))},
		{"RPC-13", Fail, lines(unknown("-32603"))},
		{"RPC-13", Fail, lines(unknown(""))},
		{"RPC-14", Pass, lines(probe("not-json", ""))},
		{"RPC-14", Pass, lines(probe("not-json", "-32700"))},
		{"RPC-14", Pass, lines(bad)},
		{"RPC-14", Fail, lines(probe("not-json", "-32603"))},
		{"RPC-14", Fail, lines(fatal)},
		{"RPC-14", Pass, lines(probe("not-utf-8", ""))},
		{"RPC-14", Pass, lines(inText, nameless)},
		{"RPC-16", NotApplicable, lines(inText, nameless)}, // its id may have been unreadable, too
		{"RPC-14", Fail, lines(alien)},
		{"RPC-15", Pass, lines(probe("no-method", ""), probe("mistyped-method", "-32700"))},
		{"RPC-15", Fail, lines(probe("mistyped-method", ""))},
		{"RPC-15", Fail, lines(probe("no-method", "-32603"))},
		{"RPC-16", Pass, lines(probe("not-json", "-32700"), probe("mistyped-method", "-32600"))},
		{"RPC-16", Fail, lines(invented)},
		{"BATCH-07", Pass, lines(probe("array", "-32600"))},
		{"BATCH-07", Warn, lines(rt.Line{Step: "array", ID: "-", Kind: recording.Probe, Outcome: recording.Lost, Fatal: true}, probe("not-json", "-32700"))},
	})
}

func TestConcurrency(t *testing.T) {
	read := func(uri, got string) rt.Line {
		return rt.Line{Step: "together", Method: "resources/read", Tags: map[string]string{"uri": uri}, Result: `{"contents":[{"uri":"` + got + `","text":""}]}`}
	}
	busy := rt.Line{Step: "together", Method: "resources/list", Outcome: recording.HTTPOnly, Status: 429}
	walkRuns(t, recording.Concurrency, `{"resources":{}}`, []run{
		{"RPC-17", Pass, lines(read("a:1", "a:1"), read("a:2", "a:2"), busy)},
		{"RPC-17", Pass, lines(read("a:1", "a:one"), read("a:2", "a:2"))},
		{"RPC-17", Pass, lines(read("a:dir/", "a:dir/2"), read("a:dir/2", "a:dir/2"))},
		{"RPC-17", Pass, lines(rt.Line{Step: "together", Method: "resources/read", Tags: map[string]string{"uri": "a:all"},
			Result: `{"contents":[{"uri":"a:1","text":""},{"uri":"a:2","text":""}]}`}, read("a:1", "a:1"), read("a:2", "a:2"))},
		{"RPC-17", Pass, lines(read("a:1", "a:2"), read("a:2", "a:2"))}, // never read alone: it may be an alias
		{"RPC-17", Fail, lines(read("a:1", "a:1"), rt.Line{Step: "together", Method: "resources/list", Result: `{"contents":[]}`})},
		{"RPC-17", Fail, lines(read("a:1", "a:1"), rt.Line{Step: "together", Method: "resources/list", Outcome: recording.Silent})},
		{"RPC-17", NotApplicable, lines(busy)},
	})
}

// What a read yields together with others is held against what it yields alone.
func TestConcurrencyAgainstReadsAlone(t *testing.T) {
	read := func(step, uri string, got ...string) rt.Line {
		var contents []string
		for _, one := range got {
			contents = append(contents, `{"uri":"`+one+`","text":""}`)
		}
		return rt.Line{Step: step, Method: "resources/read", Tags: map[string]string{"uri": uri}, Result: `{"contents":[` + strings.Join(contents, ",") + `]}`}
	}
	req, _ := requirement.Find("RPC-17")
	k, _ := Find("RPC-17")
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20251125, Transport: requirement.Stdio}, `{"resources":{}}`)
	for name, c := range map[string]struct {
		alone, together []rt.Line
		want            Outcome
	}{
		"a collection as alone": {lines(read("read", "a:all", "b:1", "b:2")), lines(read("together", "a:all", "b:1", "b:2"), read("together", "b:1", "b:1")), Pass},
		"an alias as alone":     {lines(read("read", "a:latest", "b:1")), lines(read("together", "a:latest", "b:1"), read("together", "b:1", "b:1")), Pass},
		"a directory":           {nil, lines(read("together", "a:d", "a:d/1", "a:d/2"), read("together", "a:d/1", "a:d/1")), Pass},
		"its own, and another":  {nil, lines(read("together", "a:1", "a:2", "a:1"), read("together", "a:2", "a:2")), Pass},
		"several, never alone":  {nil, lines(read("together", "a:all", "b:1", "b:2"), read("together", "b:1", "b:1")), Pass},
		"refused alone":         {lines(rt.Line{Step: "read", Method: "resources/read", Tags: map[string]string{"uri": "a:all"}, Error: noSuch}), lines(read("together", "a:all", "b:1", "b:2"), read("together", "b:1", "b:1")), Pass},
		"several of another":    {lines(read("read", "a:1", "a:1")), lines(read("together", "a:1", "a:2", "a:3"), read("together", "a:2", "a:2", "a:3")), Fail},
		"one, never alone":      {nil, lines(read("together", "a:1", "a:2"), read("together", "a:2", "a:2")), Pass},
		"another one alone":     {lines(read("read", "a:2", "a:2")), lines(read("together", "a:1", "a:2"), read("together", "a:2", "a:2")), Pass},
		"an alias moved on":     {lines(read("read", "a:latest", "b:1")), lines(read("together", "a:latest", "b:2"), read("together", "b:2", "b:2")), Pass},
		"one of another":        {lines(read("read", "a:1", "a:1")), lines(read("together", "a:1", "a:2"), read("together", "a:2", "a:2")), Fail},
		"a neighbour by name":   {lines(read("read", "a:1", "a:1")), lines(read("together", "a:1", "a:12"), read("together", "a:12", "a:12")), Fail},
		"the parent":            {lines(read("read", "a:d/1", "a:d/1")), lines(read("together", "a:d/1", "a:d"), read("together", "a:d", "a:d")), Fail},
		"nobody asked for it":   {nil, lines(read("together", "a:1", "a:one"), read("together", "a:2", "a:2")), Pass},
	} {
		recs := Recordings{recording.Concurrency: rt.New(recording.Concurrency, facts, c.together...)}
		if c.alone != nil {
			recs[recording.Reads] = rt.New(recording.Reads, facts, c.alone...)
		}
		if got := Evaluate(k, req, facts, recs); got.Outcome != c.want {
			t.Errorf("%s: %s, expected %s: %s", name, got.Outcome, c.want, got.Actual)
		}
	}
}

func TestBatches(t *testing.T) {
	batch := func(step, ids string, o recording.Outcome, replies ...string) rt.Line {
		l := rt.Line{Step: step, ID: "-", Kind: recording.Probe, Tags: map[string]string{"ids": ids}, Outcome: o}
		if len(replies) > 0 {
			l.Reply, l.More = replies[0], replies[1:]
		}
		return l
	}
	one, two := `{"jsonrpc":"2.0","id":1,"result":{}}`, `{"jsonrpc":"2.0","id":2,"result":{}}`
	refusal := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":""}}`
	quietly := func(incoming ...string) rt.Line {
		return rt.Line{Step: "notifications", ID: "-", Kind: recording.Probe, Outcome: recording.Sent, Incoming: incoming}
	}
	works := batch("requests", "1 2", recording.Replied, two, one)
	refused := batch("requests", "1 2", recording.Replied, refusal)
	walkRuns(t, recording.Batches, `{"resources":{}}`, []run{
		{"BATCH-01", Pass, lines(batch("requests", "1 2", recording.Replied, "["+two+","+one+"]"))},
		{"BATCH-01", Pass, lines(batch("requests", "1 2", recording.Replied, two, one))},
		{"BATCH-01", Fail, lines(batch("requests", "1 2", recording.Replied, refusal))},
		{"BATCH-01", Fail, lines(batch("requests", "1 2", recording.Silent))},
		{"BATCH-02", Pass, lines(works, quietly())},
		{"BATCH-02", Fail, lines(works, quietly("[]"))},
		{"BATCH-02", Fail, lines(works, batch("notifications", "", recording.Replied, refusal))},
		{"BATCH-03", Pass, lines(works, batch("mixed", "1 2", recording.Replied, "["+one+","+two+"]"))},
		{"BATCH-03", Fail, lines(works, batch("mixed", "1 2", recording.Replied, "["+one+","+refusal+","+two+"]"))},
		{"BATCH-04", Pass, lines(works, batch("empty", "", recording.Replied, refusal), batch("invalid-member", "1", recording.Replied, refusal, one))},
		{"BATCH-04", Fail, lines(works, batch("empty", "", recording.Silent))},
		{"BATCH-04", Fail, lines(works, batch("empty", "", recording.Replied, "["+refusal+"]"))},
		{"BATCH-04", Fail, lines(works, batch("invalid-member", "1", recording.Replied, refusal))},
		{"BATCH-01", Fail, lines(works, batch("mixed", "1 2", recording.Silent))},
		{"BATCH-02", NotApplicable, lines(refused, batch("notifications", "", recording.Replied, refusal))},
		{"BATCH-03", NotApplicable, lines(refused, batch("mixed", "1 2", recording.Replied, refusal))},
		{"BATCH-03", NotApplicable, lines(works, batch("mixed", "1 2", recording.Silent))},
		{"BATCH-04", NotApplicable, lines(refused, batch("empty", "", recording.Silent))},
	})
	walkRuns(t, recording.Everything, `{}`, []run{
		{"BATCH-07", Pass, lines(unasked(one))},
		{"BATCH-07", Fail, lines(unasked("[" + one + "]"))},
	})
}
