package sub_test

import (
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

const (
	listFilter = `{"resourcesListChanged":true}`
	offFilter  = `{"resourceSubscriptions":["a:1"],"resourcesListChanged":false}`
)

func TestListenChecks(t *testing.T) {
	open := func(asked, granted string, tags ...string) []rt.Line {
		return new(areatest.Script).Listen("7", "full", asked, granted,
			append([]string{"listed", "1", "templates", "0"}, tags...)...).Lines
	}
	ack := func(raw string) []rt.Line {
		return new(areatest.Script).Acked("7", "full", areatest.URIFilter, raw).Lines
	}
	early := new(areatest.Script).Add(rt.Line{Incoming: []string{updateOf1}}).Listen("7", "full",
		areatest.URIFilter, areatest.URIFilter).Lines
	late := areatest.Lines(rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "7",
		Params: `{"notifications":` + areatest.URIFilter + `}`, Outcome: recording.Sent,
		Incoming: []string{areatest.Sent(verdict.Updated, "7", `"uri":"a:1"`),
			areatest.Sent(verdict.Acked, "7", `"notifications":`+areatest.URIFilter)},
		Tags: areatest.Pairs("ack", "3")})
	refused := func(code string) []rt.Line {
		return areatest.Lines(rt.Line{Step: "listen", Method: "subscriptions/listen",
			Params: `{"notifications":` + listFilter + `}`,
			Error:  `{"code":` + code + `,"message":"no"}`, Tags: areatest.Pairs("name", "list")})
	}
	mute := rt.Line{Step: "listen", Method: "subscriptions/listen", Params: `{}`, Outcome: recording.Sent,
		Tags: areatest.Pairs("name", "full")}
	httpFailure := mute
	httpFailure.Status = 500
	busy := mute
	busy.Params, busy.Outcome, busy.Status = `{"notifications":`+areatest.URIFilter+`}`, recording.Refused,
		429
	graceful := slices.Clone(open(areatest.URIFilter, areatest.URIFilter, "ended", "3"))
	for i := range graceful {
		if graceful[i].Step == recording.StepListen {
			graceful[i].Outcome, graceful[i].Result = recording.Replied, `{"resultType":"complete"}`
		}
	}
	areatest.WalkRuns(t, recording.Listening, subscribing, []areatest.Run{
		{ID: "SUB-20", Want: pass, Rec: open(areatest.URIFilter, areatest.URIFilter)},
		{ID: "SUB-20", Want: fail, Rec: areatest.Lines(areatest.And(mute, "alive", "yes"))},
		{ID: "SUB-20", Want: fail, Rec: areatest.Lines(areatest.And(mute, "alive", "closed"))},
		{ID: "SUB-30", Want: idle, Rec: areatest.Lines(areatest.And(mute, "alive", "closed"))},
		{ID: "SUB-20", Want: blocked, Rec: areatest.Lines(mute)},
		{ID: "SUB-20", Want: fail, Rec: areatest.Lines(httpFailure)},
		{ID: "SUB-27", Want: idle, Rec: areatest.Lines(httpFailure)},
		{ID: "SUB-20", Want: fail, Rec: refused("-32601")},
		{ID: "SUB-20", Want: idle, Rec: refused("-32602")},
		{ID: "SUB-20", Want: fail, Rec: areatest.Lines(rt.Line{Step: "listen", Method: "subscriptions/listen",
			Result: `{"resultType":"complete"}`})},
		{ID: "SUB-21", Want: pass, Rec: open(areatest.URIFilter, areatest.URIFilter)},
		{ID: "SUB-21", Want: pass, Rec: early}, // what bears no id belongs to nothing
		{ID: "SUB-21", Want: fail, Rec: late},
		{ID: "SUB-21", Want: fail, Rec: areatest.Lines(rt.Line{Step: "listen", Method: "subscriptions/listen",
			ID: "7", Result: `{"resultType":"complete"}`})},
		{ID: "SUB-21", Want: idle, Rec: refused("-32602")},
		{ID: "SUB-22", Want: pass, Rec: open(areatest.URIFilter, `{}`)},
		{ID: "SUB-22", Want: fail, Rec: ack(areatest.Sent(verdict.Acked, "7", ""))},
		{ID: "SUB-22", Want: fail, Rec: open(areatest.URIFilter, `{"resourcesListChanged":"true"}`)},
		{ID: "SUB-22", Want: fail, Rec: open(areatest.URIFilter, `{"resourceSubscriptions":[1]}`)},
		{ID: "SUB-23", Want: pass, Rec: open(areatest.URIFilter, areatest.URIFilter)},
		{ID: "SUB-23", Want: fail, Rec: ack(areatest.Sent(verdict.Acked, `"7"`, `"notifications":{}`))},
		{ID: "SUB-23", Want: fail, Rec: ack(areatest.Sent(verdict.Acked, "", `"notifications":{}`))},
		{ID: "SUB-24", Want: pass,
			Rec: open(areatest.URIFilter, `{"resourceSubscriptions":[],"resourcesListChanged":false}`)},
		{ID: "SUB-24", Want: fail,
			Rec: open(areatest.URIFilter, `{"resourceSubscriptions":["a:1"],"resourcesListChanged":true}`)},
		{ID: "SUB-24", Want: warn, Rec: open(areatest.URIFilter, `{"resourceSubscriptions":["A:1"]}`)},
		{ID: "SUB-27", Want: blocked, Rec: areatest.Lines(busy)},
		{ID: "SUB-27", Want: pass, Rec: open(areatest.URIFilter, areatest.URIFilter)},
		{ID: "SUB-27", Want: fail, Rec: open(areatest.URIFilter, `{}`)},
		{ID: "SUB-27", Want: warn, Rec: open(areatest.URIFilter, `{}`, "templates", "2")},
		{ID: "SUB-27", Want: warn, Rec: open(areatest.URIFilter, `{}`, "listed", "5")},
		{ID: "SUB-27", Want: idle, Rec: open(listFilter, listFilter)},
		{ID: "SUB-37", Want: pass, Rec: open(areatest.URIFilter, areatest.URIFilter)},
		{ID: "SUB-37", Want: fail, Rec: open(areatest.URIFilter, areatest.URIFilter, "ended", "3")},
		{ID: "SUB-37", Want: warn, Rec: open(areatest.URIFilter, areatest.URIFilter, "ended", "9000")},
		{ID: "SUB-37", Want: warn, Rec: graceful},
		{ID: "SUB-37", Want: idle, Rec: open(areatest.URIFilter, `{}`, "ended", "3")},
		{ID: "LCH-06", Want: pass, Rec: open(listFilter, listFilter)},
		{ID: "LCH-06", Want: fail, Rec: open(listFilter, `{}`)},
		{ID: "LCH-06", Want: fail, Rec: open(listFilter, `{"resourcesListChanged":false}`)},
		{ID: "LCH-06", Want: fail, Rec: refused("-32602")},
		{ID: "LCH-06", Want: idle, Rec: refused("-32601")},
	})
	unsupported := func(granted string) []rt.Line {
		return new(areatest.Script).Listen("7", "unsupported",
			`{"toolsListChanged":true,"resourcesListChanged":true}`, granted, "unsupported",
			"toolsListChanged").Lines
	}
	areatest.WalkRuns(t, recording.Listening, subscribing, []areatest.Run{
		{ID: "SUB-25", Want: pass, Rec: unsupported(listFilter)},
		{ID: "SUB-25", Want: warn, Rec: unsupported(`{"toolsListChanged":false}`)},
		{ID: "SUB-25", Want: fail, Rec: unsupported(`{"toolsListChanged":true}`)},
	})
}

func TestWhileListening(t *testing.T) {
	before := rt.Line{Step: "before", Method: "server/discover", Result: `{}`}
	during := func(l rt.Line) rt.Line { l.Step, l.Method = "during", "resources/read"; return l }
	progress := func(id string) string {
		return areatest.Sent("notifications/progress", id, `"progressToken":"p","progress":1`)
	}
	play := func(l rt.Line) []rt.Line {
		return new(areatest.Script).Add(before).Listen("7", "full", areatest.URIFilter,
			areatest.URIFilter).Add(during(l)).Lines
	}
	areatest.WalkRuns(t, recording.Listening, subscribing, []areatest.Run{
		{ID: "SUB-39", Want: pass, Rec: play(rt.Line{Result: `{}`, Incoming: []string{progress("")}})},
		{ID: "SUB-39", Want: fail, Rec: play(rt.Line{Result: `{}`, Incoming: []string{progress("7")}})},
		{ID: "SUB-39", Want: idle, Rec: play(rt.Line{Result: `{}`})},
		{ID: "SUB-60", Want: pass, Rec: play(rt.Line{Result: `{}`})},
		{ID: "SUB-60", Want: pass, Rec: play(rt.Line{Error: `{"code":-32602,"message":"x"}`})},
		{ID: "SUB-60", Want: fail, Rec: play(rt.Line{Outcome: recording.Silent})},
		{ID: "SUB-60", Want: blocked, Rec: play(rt.Line{Outcome: recording.Lost})},
	})
	bad := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Params, l.Kind = "listen", "subscriptions/listen", `{}`, recording.Probe
		return areatest.Lines(l)
	}
	named := bad(rt.Line{Outcome: recording.Sent, Tags: areatest.Pairs("ack", "2"),
		Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
			`"params":{"notifications":{"resourcesListChanged":true}}}`}})
	named[0].Params = `{"notifications":{"resourcesListChanged":"yes"}}`
	old := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Kind = "old-subscribe", "resources/subscribe", recording.Probe
		return areatest.Lines(l)
	}
	areatest.WalkRuns(t, sub.BadSubscriptions, subscribing, []areatest.Run{
		{ID: "SUB-38", Want: pass, Rec: bad(rt.Line{Error: `{"code":-32602,"message":"x"}`})},
		{ID: "SUB-38", Want: pass, Rec: bad(rt.Line{Error: `{"code":-32603,"message":"x"}`})},
		{ID: "SUB-38", Want: pass,
			Rec: bad(rt.Line{Outcome: recording.Sent, Tags: areatest.Pairs("ack", "2")})},
		{ID: "SUB-38", Want: pass, Rec: bad(rt.Line{Result: `{"resultType":"complete"}`})},
		{ID: "SUB-38", Want: warn, Rec: bad(rt.Line{Outcome: recording.Sent, Tags: areatest.Pairs("ack", "2"),
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
				`"params":{"notifications":{"resourcesListChanged":true}}}`}})},
		{ID: "SUB-38", Want: pass, Rec: named},
		{ID: "SUB-38", Want: warn, Rec: bad(rt.Line{Outcome: recording.Silent})},
		{ID: "SUB-38", Want: idle, Rec: bad(rt.Line{Error: `{"code":-32601,"message":"x"}`})},
		{ID: "SUB-45", Want: pass, Rec: old(rt.Line{Error: `{"code":-32601,"message":"x"}`})},
		{ID: "SUB-45", Want: warn, Rec: old(rt.Line{Result: `{}`})},
	})
}

func TestEventStream(t *testing.T) {
	stream := new(areatest.Script).Listen("7", "full", areatest.URIFilter, areatest.URIFilter).Lines
	for kind, want := range map[string]verdict.Outcome{"text/event-stream; charset=utf-8": pass,
		"application/json": fail} {
		stream[0].Header = map[string][]string{"Content-Type": {kind}}
		judgeHTTP(t, "SUB-40", recording.Listening, stream, want)
	}
}

// judgeHTTP judges a recording of 2026-07-28 on Streamable HTTP.
func judgeHTTP(t *testing.T, id string, name recording.Name, rec []rt.Line, want verdict.Outcome) {
	t.Helper()
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: requirement.HTTP},
		subscribing)
	if got := judged(id, facts, verdict.Recordings{name: rt.New(name, facts, rec...)}); got.Outcome != want {
		t.Errorf("%s: %s, expected %s\n%+v", id, got.Outcome, want, got)
	}
}

// modernChanges is a recording of changes: what comes for the first changes, and
// what after the first stream was cancelled.
func modernChanges(first, late []string, bystander ...string) []rt.Line {
	s := new(areatest.Script).Listen("7", "uris", areatest.URIFilter, areatest.URIFilter, "stopped", "100").
		Listen(`"off"`, "off", offFilter, areatest.URIFilter).Listen(`"list"`, "list", listFilter, listFilter)
	s.Add(rt.Line{Step: "busy", Method: "server/discover", Result: `{}`, Session: "s2",
		Tags: areatest.Pairs("who", "bystander")})
	s.Hears(scenario.MarkOther).Hears(recording.MarkUpdate).Hears(scenario.MarkAdd, first...)
	s.Add(rt.Line{Incoming: bystander, Session: "s2"})
	return s.Hears(scenario.MarkSilenced, late...).Lines
}

func TestModernChanges(t *testing.T) {
	up := func(id, uri string) string { return areatest.Sent(verdict.Updated, id, `"uri":"`+uri+`"`) }
	listed := func(id string) string { return areatest.Sent(verdict.ListUpdated, id, "") }
	good := []string{up("7", "a:1"), up(`"off"`, "a:1"), listed(`"list"`)}
	again := []string{up(`"off"`, "a:1")}
	plus := func(more ...string) []string { return append(append([]string{}, good...), more...) }
	inModern := []requirement.Revision{requirement.R20260728}
	areatest.WalkRuns(t, recording.Changes, subscribing, []areatest.Run{
		{ID: "SUB-28", Want: pass, Rec: modernChanges(good, again)},
		// whose it is, is judged elsewhere
		{ID: "SUB-28", Want: pass, Rec: modernChanges([]string{up("", "a:1")}, nil)},
		{ID: "SUB-28", Want: fail, Rec: modernChanges([]string{listed(`"list"`)}, nil)},
		{ID: "SUB-29", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-29", Want: fail, Rec: modernChanges(plus(up("", "a:1")), again)},
		{ID: "SUB-29", Want: fail, Rec: modernChanges(plus(up(`"7"`, "a:1")), again)},
		{ID: "SUB-29", Want: fail, Rec: modernChanges(plus(listMoved), again)},
		{ID: "SUB-29", Want: idle, Rec: modernChanges(nil, nil)},
		{ID: "SUB-30", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-30", Want: fail, Rec: modernChanges(plus(listed("7")), again)},
		{ID: "SUB-30", Want: fail, Rec: modernChanges(plus(up(`"list"`, "a:1")), again)},
		{ID: "SUB-30", Want: fail,
			Rec: modernChanges(plus(areatest.Sent("notifications/tools/list_changed", "7", "")), again)},
		{ID: "SUB-31", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-31", Want: pass, Rec: modernChanges(plus(up("7", "a:1/x")), again)},
		{ID: "SUB-31", Want: fail, Rec: modernChanges(plus(up("7", "b:2")), again)},
		{ID: "SUB-31", Want: warn, Rec: modernChanges(plus(up("7", "c:3")), again)},
		{ID: "SUB-31", Want: idle, Rec: modernChanges(nil, nil)},
		{ID: "SUB-32", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-32", Want: pass, Rec: modernChanges(plus(good...), again)},
		{ID: "SUB-32", Want: fail, Rec: modernChanges([]string{up(`"off"`, "a:1"), up(`"off"`, "a:1")},
			again)},
		{ID: "SUB-32", Want: idle, Rec: modernChanges(nil, nil)},
		{ID: "SUB-32", Want: blocked, Rec: append(modernChanges([]string{up(`7`, "a:1"), up(`7`, "a:1")},
			nil), rt.Line{Over: true})},
		{ID: "SUB-33", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-33", Want: fail, Rec: modernChanges(good, []string{up("7", "a:1"), up(`"off"`, "a:1")})},
		{ID: "SUB-33", Want: idle, Rec: modernChanges(good, nil)},
		{ID: "SUB-42", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-42", Want: fail, Rec: modernChanges(plus(listed(`"off"`)), again)},
		{ID: "SUB-43", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-43", Want: fail, Rec: modernChanges(good, again, updateOf1)},
		{ID: "SUB-43", Want: idle, Rec: modernChanges(nil, nil)},
		{ID: "SUB-04", Want: pass, Rec: modernChanges(good, again)},
		{ID: "SUB-04", Want: fail, Rec: modernChanges(plus(areatest.Sent(verdict.Updated, "7", "")), again)},
	}, inModern...)
	limited := modernChanges(good, again)
	limited[1] = rt.Line{Step: "listen", Method: "subscriptions/listen", ID: `"off"`,
		Params: `{"notifications":` + offFilter + `}`,
		Error:  `{"code":-32000,"message":"one is enough"}`, Tags: areatest.Pairs("name", "off", "who",
			"watcher", "uri", "a:1")}
	areatest.WalkRuns(t, recording.Changes, subscribing,
		[]areatest.Run{{ID: "SUB-32", Want: warn, Rec: limited}}, inModern...)
}

func TestEndOfSubscription(t *testing.T) {
	play := func(tags ...string) *areatest.Script {
		return new(areatest.Script).Listen("7", "shutdown", areatest.URIFilter, areatest.URIFilter,
			tags...).Add(rt.Line{Mark: "shutdown"})
	}
	result := func(meta string) []rt.Line {
		return play("ended",
			"yes").Add(rt.Line{Incoming: []string{`{"jsonrpc":"2.0","id":7,` +
			`"result":{"resultType":"complete"` + meta + `}}`}}).Lines
	}
	const id = `,"_meta":{"io.modelcontextprotocol/subscriptionId":`
	areatest.WalkRuns(t, sub.Shutdown, subscribing, []areatest.Run{
		{ID: "SUB-34", Want: pass, Rec: play("ended", "yes").Lines},
		{ID: "SUB-34", Want: pass, Rec: play("canceled", "yes").Lines},
		{ID: "SUB-34", Want: warn, Rec: play("lost", "yes").Lines},
		{ID: "SUB-34", Want: warn, Rec: play("update", "missed").Lines},
		{ID: "SUB-34", Want: idle, Rec: play("update", "seen").Lines},
		{ID: "SUB-34", Want: blocked, Rec: play("update", "missed").Add(rt.Line{Over: true}).Lines},
		{ID: "SUB-34", Want: blocked, Rec: play("lost", "yes").Add(rt.Line{Over: true}).Lines},
		{ID: "SUB-34", Want: idle, Rec: play().Lines},
		{ID: "SUB-35", Want: pass, Rec: result(id + `7}`)},
		{ID: "SUB-35", Want: fail, Rec: result(id + `"7"}`)},
		{ID: "SUB-35", Want: fail, Rec: result("")},
		{ID: "SUB-35", Want: idle, Rec: play("canceled", "yes").Lines},
	})
}
