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
	areatest.WalkRuns(t, recording.Listening, subscribing,
		areatest.Pass("SUB-20", open(areatest.URIFilter, areatest.URIFilter)...),
		areatest.Fail("SUB-20", areatest.And(mute, "alive", "yes")),
		areatest.Fail("SUB-20", areatest.And(mute, "alive", "closed")),
		areatest.NotApplicable("SUB-30", areatest.And(mute, "alive", "closed")),
		areatest.Blocked("SUB-20", mute),
		areatest.Fail("SUB-20", httpFailure),
		areatest.NotApplicable("SUB-27", httpFailure),
		areatest.Fail("SUB-20", refused("-32601")...),
		areatest.NotApplicable("SUB-20", refused("-32602")...),
		areatest.Fail("SUB-20",
			rt.Line{Step: "listen", Method: "subscriptions/listen", Result: `{"resultType":"complete"}`}),
		areatest.Pass("SUB-21", open(areatest.URIFilter, areatest.URIFilter)...),
		areatest.Pass("SUB-21", early...), // what bears no id belongs to nothing
		areatest.Fail("SUB-21", late...),
		areatest.Fail("SUB-21", rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "7",
			Result: `{"resultType":"complete"}`}),
		areatest.NotApplicable("SUB-21", refused("-32602")...),
		areatest.Pass("SUB-22", open(areatest.URIFilter, `{}`)...),
		areatest.Fail("SUB-22", ack(areatest.Sent(verdict.Acked, "7", ""))...),
		areatest.Fail("SUB-22", open(areatest.URIFilter, `{"resourcesListChanged":"true"}`)...),
		areatest.Fail("SUB-22", open(areatest.URIFilter, `{"resourceSubscriptions":[1]}`)...),
		areatest.Pass("SUB-23", open(areatest.URIFilter, areatest.URIFilter)...),
		areatest.Fail("SUB-23", ack(areatest.Sent(verdict.Acked, `"7"`, `"notifications":{}`))...),
		areatest.Fail("SUB-23", ack(areatest.Sent(verdict.Acked, "", `"notifications":{}`))...),
		areatest.Pass("SUB-24",
			open(areatest.URIFilter, `{"resourceSubscriptions":[],"resourcesListChanged":false}`)...),
		areatest.Fail("SUB-24",
			open(areatest.URIFilter, `{"resourceSubscriptions":["a:1"],"resourcesListChanged":true}`)...),
		areatest.Warn("SUB-24", open(areatest.URIFilter, `{"resourceSubscriptions":["A:1"]}`)...),
		areatest.Blocked("SUB-27", busy),
		areatest.Pass("SUB-27", open(areatest.URIFilter, areatest.URIFilter)...),
		areatest.Fail("SUB-27", open(areatest.URIFilter, `{}`)...),
		areatest.Warn("SUB-27", open(areatest.URIFilter, `{}`, "templates", "2")...),
		areatest.Warn("SUB-27", open(areatest.URIFilter, `{}`, "listed", "5")...),
		areatest.NotApplicable("SUB-27", open(listFilter, listFilter)...),
		areatest.Pass("SUB-37", open(areatest.URIFilter, areatest.URIFilter)...),
		areatest.Fail("SUB-37", open(areatest.URIFilter, areatest.URIFilter, "ended", "3")...),
		areatest.Warn("SUB-37", open(areatest.URIFilter, areatest.URIFilter, "ended", "9000")...),
		areatest.Warn("SUB-37", graceful...),
		areatest.NotApplicable("SUB-37", open(areatest.URIFilter, `{}`, "ended", "3")...),
		areatest.Pass("LCH-06", open(listFilter, listFilter)...),
		areatest.Fail("LCH-06", open(listFilter, `{}`)...),
		areatest.Fail("LCH-06", open(listFilter, `{"resourcesListChanged":false}`)...),
		areatest.Fail("LCH-06", refused("-32602")...),
		areatest.NotApplicable("LCH-06", refused("-32601")...),
	)
	unsupported := func(granted string) []rt.Line {
		return new(areatest.Script).Listen("7", "unsupported",
			`{"toolsListChanged":true,"resourcesListChanged":true}`, granted, "unsupported",
			"toolsListChanged").Lines
	}
	areatest.WalkRuns(t, recording.Listening, subscribing,
		areatest.Pass("SUB-25", unsupported(listFilter)...),
		areatest.Warn("SUB-25", unsupported(`{"toolsListChanged":false}`)...),
		areatest.Fail("SUB-25", unsupported(`{"toolsListChanged":true}`)...),
	)
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
	areatest.WalkRuns(t, recording.Listening, subscribing,
		areatest.Pass("SUB-39", play(rt.Line{Result: `{}`, Incoming: []string{progress("")}})...),
		areatest.Fail("SUB-39", play(rt.Line{Result: `{}`, Incoming: []string{progress("7")}})...),
		areatest.NotApplicable("SUB-39", play(rt.Line{Result: `{}`})...),
		areatest.Pass("SUB-60", play(rt.Line{Result: `{}`})...),
		areatest.Pass("SUB-60", play(rt.Line{Error: `{"code":-32602,"message":"x"}`})...),
		areatest.Fail("SUB-60", play(rt.Line{Outcome: recording.Silent})...),
		areatest.Blocked("SUB-60", play(rt.Line{Outcome: recording.Lost})...),
	)
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
	areatest.WalkRuns(t, sub.BadSubscriptions, subscribing,
		areatest.Pass("SUB-38", bad(rt.Line{Error: `{"code":-32602,"message":"x"}`})...),
		areatest.Pass("SUB-38", bad(rt.Line{Error: `{"code":-32603,"message":"x"}`})...),
		areatest.Pass("SUB-38", bad(rt.Line{Outcome: recording.Sent, Tags: areatest.Pairs("ack", "2")})...),
		areatest.Pass("SUB-38", bad(rt.Line{Result: `{"resultType":"complete"}`})...),
		areatest.Warn("SUB-38", bad(rt.Line{Outcome: recording.Sent, Tags: areatest.Pairs("ack", "2"),
			Incoming: []string{`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged",` +
				`"params":{"notifications":{"resourcesListChanged":true}}}`}})...),
		areatest.Pass("SUB-38", named...),
		areatest.Warn("SUB-38", bad(rt.Line{Outcome: recording.Silent})...),
		areatest.NotApplicable("SUB-38", bad(rt.Line{Error: `{"code":-32601,"message":"x"}`})...),
		areatest.Pass("SUB-45", old(rt.Line{Error: `{"code":-32601,"message":"x"}`})...),
		areatest.Warn("SUB-45", old(rt.Line{Result: `{}`})...),
	)
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
	facts := areatest.HTTP(requirement.R20260728, subscribing)
	areatest.Due(t, id, facts.Combination, want, rt.New(name, facts, rec...))
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
	areatest.WalkRunsIn(t, recording.Changes, subscribing, []areatest.Run{
		areatest.Pass("SUB-28", modernChanges(good, again)...),
		// whose it is, is judged elsewhere
		areatest.Pass("SUB-28", modernChanges([]string{up("", "a:1")}, nil)...),
		areatest.Fail("SUB-28", modernChanges([]string{listed(`"list"`)}, nil)...),
		areatest.Pass("SUB-29", modernChanges(good, again)...),
		areatest.Fail("SUB-29", modernChanges(plus(up("", "a:1")), again)...),
		areatest.Fail("SUB-29", modernChanges(plus(up(`"7"`, "a:1")), again)...),
		areatest.Fail("SUB-29", modernChanges(plus(listMoved), again)...),
		areatest.NotApplicable("SUB-29", modernChanges(nil, nil)...),
		areatest.Pass("SUB-30", modernChanges(good, again)...),
		areatest.Fail("SUB-30", modernChanges(plus(listed("7")), again)...),
		areatest.Fail("SUB-30", modernChanges(plus(up(`"list"`, "a:1")), again)...),
		areatest.Fail("SUB-30",
			modernChanges(plus(areatest.Sent("notifications/tools/list_changed", "7", "")), again)...),
		areatest.Pass("SUB-31", modernChanges(good, again)...),
		areatest.Pass("SUB-31", modernChanges(plus(up("7", "a:1/x")), again)...),
		areatest.Fail("SUB-31", modernChanges(plus(up("7", "b:2")), again)...),
		areatest.Warn("SUB-31", modernChanges(plus(up("7", "c:3")), again)...),
		areatest.NotApplicable("SUB-31", modernChanges(nil, nil)...),
		areatest.Pass("SUB-32", modernChanges(good, again)...),
		areatest.Pass("SUB-32", modernChanges(plus(good...), again)...),
		areatest.Fail("SUB-32", modernChanges([]string{up(`"off"`, "a:1"), up(`"off"`, "a:1")}, again)...),
		areatest.NotApplicable("SUB-32", modernChanges(nil, nil)...),
		areatest.Blocked("SUB-32",
			append(modernChanges([]string{up(`7`, "a:1"), up(`7`, "a:1")}, nil), rt.Line{Over: true})...),
		areatest.Pass("SUB-33", modernChanges(good, again)...),
		areatest.Fail("SUB-33", modernChanges(good, []string{up("7", "a:1"), up(`"off"`, "a:1")})...),
		areatest.NotApplicable("SUB-33", modernChanges(good, nil)...),
		areatest.Pass("SUB-42", modernChanges(good, again)...),
		areatest.Fail("SUB-42", modernChanges(plus(listed(`"off"`)), again)...),
		areatest.Pass("SUB-43", modernChanges(good, again)...),
		areatest.Fail("SUB-43", modernChanges(good, again, updateOf1)...),
		areatest.NotApplicable("SUB-43", modernChanges(nil, nil)...),
		areatest.Pass("SUB-04", modernChanges(good, again)...),
		areatest.Fail("SUB-04", modernChanges(plus(areatest.Sent(verdict.Updated, "7", "")), again)...),
	}, inModern...)
	limited := modernChanges(good, again)
	limited[1] = rt.Line{Step: "listen", Method: "subscriptions/listen", ID: `"off"`,
		Params: `{"notifications":` + offFilter + `}`,
		Error:  `{"code":-32000,"message":"one is enough"}`, Tags: areatest.Pairs("name", "off", "who",
			"watcher", "uri", "a:1")}
	areatest.WalkRunsIn(t, recording.Changes, subscribing,
		[]areatest.Run{areatest.Warn("SUB-32", limited...)}, inModern...)
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
	areatest.WalkRuns(t, sub.Shutdown, subscribing,
		areatest.Pass("SUB-34", play("ended", "yes").Lines...),
		areatest.Pass("SUB-34", play("canceled", "yes").Lines...),
		areatest.Warn("SUB-34", play("lost", "yes").Lines...),
		areatest.Warn("SUB-34", play("update", "missed").Lines...),
		areatest.NotApplicable("SUB-34", play("update", "seen").Lines...),
		areatest.Blocked("SUB-34", play("update", "missed").Add(rt.Line{Over: true}).Lines...),
		areatest.Blocked("SUB-34", play("lost", "yes").Add(rt.Line{Over: true}).Lines...),
		areatest.NotApplicable("SUB-34", play().Lines...),
		areatest.Pass("SUB-35", result(id+`7}`)...),
		areatest.Fail("SUB-35", result(id+`"7"}`)...),
		areatest.Fail("SUB-35", result("")...),
		areatest.NotApplicable("SUB-35", play("canceled", "yes").Lines...),
	)
}
