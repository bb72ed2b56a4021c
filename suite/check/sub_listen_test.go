package check

import (
	"strconv"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// sent is a notification of a subscription; an empty id leaves it out.
func sent(method, id, params string) string {
	if id != "" {
		if params != "" {
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/subscriptionId":` + id + `}`
	}
	return `{"jsonrpc":"2.0","method":"` + method + `","params":{` + params + `}}`
}

// script counts frames, so that listen requests can name the one of their
// acknowledgment.
type script struct {
	lines  []rt.Line
	frames int
}

func (s *script) add(l rt.Line) *script {
	s.lines = append(s.lines, l)
	s.frames += len(l.Incoming) + len(l.More)
	if l.Method != "" || l.Step != "" {
		s.frames++
	}
	if l.Reply != "" || l.Result != "" || l.Error != "" {
		s.frames++
	}
	return s
}

// listen is a request for a filter that is acknowledged with another one.
func (s *script) listen(id, name, asked, granted string, tags ...string) *script {
	return s.acked(id, name, asked, sent(acked, id, `"notifications":`+granted), tags...)
}

// acked is a listen request followed by a message that passes for its
// acknowledgment.
func (s *script) acked(id, name, asked, ack string, tags ...string) *script {
	l := rt.Line{Step: "listen", Method: "subscriptions/listen", ID: id, Params: `{"notifications":` + asked + `}`, Outcome: recording.Sent,
		Incoming: []string{ack}, Tags: pairs("name", name, "who", "watcher", "uri", "a:1", "other", "b:2", "ack", strconv.Itoa(s.frames+2))}
	return s.add(and(l, tags...))
}

func (s *script) hears(mark string, messages ...string) *script {
	return s.add(rt.Line{Mark: mark, Incoming: messages})
}

const (
	uriFilter  = `{"resourceSubscriptions":["a:1"]}`
	listFilter = `{"resourcesListChanged":true}`
	offFilter  = `{"resourceSubscriptions":["a:1"],"resourcesListChanged":false}`
)

func TestListenChecks(t *testing.T) {
	open := func(asked, granted string, tags ...string) []rt.Line {
		return new(script).listen("7", "full", asked, granted, append([]string{"listed", "1", "templates", "0"}, tags...)...).lines
	}
	ack := func(raw string) []rt.Line { return new(script).acked("7", "full", uriFilter, raw).lines }
	early := new(script).add(rt.Line{Incoming: []string{updateOf1}}).listen("7", "full", uriFilter, uriFilter).lines
	late := lines(rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "7", Params: `{"notifications":` + uriFilter + `}`, Outcome: recording.Sent,
		Incoming: []string{sent(updated, "7", `"uri":"a:1"`), sent(acked, "7", `"notifications":`+uriFilter)}, Tags: pairs("ack", "3")})
	refused := func(code string) []rt.Line {
		return lines(rt.Line{Step: "listen", Method: "subscriptions/listen", Params: `{"notifications":` + listFilter + `}`,
			Error: `{"code":` + code + `,"message":"no"}`, Tags: pairs("name", "list")})
	}
	mute := rt.Line{Step: "listen", Method: "subscriptions/listen", Params: `{}`, Outcome: recording.Sent, Tags: pairs("name", "full")}
	httpFailure := mute
	httpFailure.Status = 500
	walkRuns(t, recording.Listening, subscribing, []run{
		{"SUB-20", Pass, open(uriFilter, uriFilter)},
		{"SUB-20", Fail, lines(and(mute, "alive", "yes"))},
		{"SUB-20", Blocked, lines(mute)},
		{"SUB-20", Fail, lines(httpFailure)},
		{"SUB-27", NotApplicable, lines(httpFailure)},
		{"SUB-20", Fail, refused("-32601")},
		{"SUB-20", NotApplicable, refused("-32602")},
		{"SUB-20", Fail, lines(rt.Line{Step: "listen", Method: "subscriptions/listen", Result: `{"resultType":"complete"}`})},
		{"SUB-21", Pass, open(uriFilter, uriFilter)},
		{"SUB-21", Pass, early}, // what bears no id belongs to nothing
		{"SUB-21", Fail, late},
		{"SUB-21", Fail, lines(rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "7", Result: `{"resultType":"complete"}`})},
		{"SUB-21", NotApplicable, refused("-32602")},
		{"SUB-22", Pass, open(uriFilter, `{}`)},
		{"SUB-22", Fail, ack(sent(acked, "7", ""))},
		{"SUB-22", Fail, open(uriFilter, `{"resourcesListChanged":"true"}`)},
		{"SUB-22", Fail, open(uriFilter, `{"resourceSubscriptions":[1]}`)},
		{"SUB-23", Pass, open(uriFilter, uriFilter)},
		{"SUB-23", Fail, ack(sent(acked, `"7"`, `"notifications":{}`))},
		{"SUB-23", Fail, ack(sent(acked, "", `"notifications":{}`))},
		{"SUB-24", Pass, open(uriFilter, `{"resourceSubscriptions":[],"resourcesListChanged":false}`)},
		{"SUB-24", Fail, open(uriFilter, `{"resourceSubscriptions":["a:1"],"resourcesListChanged":true}`)},
		{"SUB-24", Warn, open(uriFilter, `{"resourceSubscriptions":["A:1"]}`)},
		{"SUB-27", Pass, open(uriFilter, uriFilter)},
		{"SUB-27", Fail, open(uriFilter, `{}`)},
		{"SUB-27", Warn, open(uriFilter, `{}`, "templates", "2")},
		{"SUB-27", Warn, open(uriFilter, `{}`, "listed", "5")},
		{"SUB-27", NotApplicable, open(listFilter, listFilter)},
		{"SUB-37", Pass, open(uriFilter, uriFilter)},
		{"SUB-37", Fail, open(uriFilter, uriFilter, "ended", "3")},
		{"SUB-37", Warn, open(uriFilter, uriFilter, "ended", "9000")},
		{"SUB-37", NotApplicable, open(uriFilter, `{}`, "ended", "3")},
		{"LCH-06", Pass, open(listFilter, listFilter)},
		{"LCH-06", Fail, open(listFilter, `{}`)},
		{"LCH-06", Fail, open(listFilter, `{"resourcesListChanged":false}`)},
		{"LCH-06", Fail, refused("-32602")},
		{"LCH-06", NotApplicable, refused("-32601")},
	})
	unsupported := func(granted string) []rt.Line {
		return new(script).listen("7", "unsupported", `{"toolsListChanged":true,"resourcesListChanged":true}`, granted, "unsupported", "toolsListChanged").lines
	}
	walkRuns(t, recording.Listening, subscribing, []run{
		{"SUB-25", Pass, unsupported(listFilter)},
		{"SUB-25", Warn, unsupported(`{"toolsListChanged":false}`)},
		{"SUB-25", Fail, unsupported(`{"toolsListChanged":true}`)},
	})
}

func TestWhileListening(t *testing.T) {
	before := rt.Line{Step: "before", Method: "server/discover", Result: `{}`}
	during := func(l rt.Line) rt.Line { l.Step, l.Method = "during", "resources/read"; return l }
	progress := func(id string) string { return sent("notifications/progress", id, `"progressToken":"p","progress":1`) }
	play := func(l rt.Line) []rt.Line {
		return new(script).add(before).listen("7", "full", uriFilter, uriFilter).add(during(l)).lines
	}
	walkRuns(t, recording.Listening, subscribing, []run{
		{"SUB-39", Pass, play(rt.Line{Result: `{}`, Incoming: []string{progress("")}})},
		{"SUB-39", Fail, play(rt.Line{Result: `{}`, Incoming: []string{progress("7")}})},
		{"SUB-39", NotApplicable, play(rt.Line{Result: `{}`})},
		{"SUB-60", Pass, play(rt.Line{Result: `{}`})},
		{"SUB-60", Pass, play(rt.Line{Error: `{"code":-32602,"message":"x"}`})},
		{"SUB-60", Fail, play(rt.Line{Outcome: recording.Silent})},
		{"SUB-60", Blocked, play(rt.Line{Outcome: recording.Lost})},
	})
	bad := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Params, l.Kind = "listen", "subscriptions/listen", `{}`, recording.Probe
		return lines(l)
	}
	old := func(l rt.Line) []rt.Line {
		l.Step, l.Method, l.Kind = "old-subscribe", "resources/subscribe", recording.Probe
		return lines(l)
	}
	walkRuns(t, recording.BadSubscriptions, subscribing, []run{
		{"SUB-38", Pass, bad(rt.Line{Error: `{"code":-32602,"message":"x"}`})},
		{"SUB-38", Warn, bad(rt.Line{Error: `{"code":-32603,"message":"x"}`})},
		{"SUB-38", Warn, bad(rt.Line{Outcome: recording.Sent, Tags: pairs("ack", "2")})},
		{"SUB-38", NotApplicable, bad(rt.Line{Error: `{"code":-32601,"message":"x"}`})},
		{"SUB-45", Pass, old(rt.Line{Error: `{"code":-32601,"message":"x"}`})},
		{"SUB-45", Warn, old(rt.Line{Result: `{}`})},
	})
}

func TestEventStream(t *testing.T) {
	stream := new(script).listen("7", "full", uriFilter, uriFilter).lines
	for kind, want := range map[string]Outcome{"text/event-stream; charset=utf-8": Pass, "application/json": Fail} {
		stream[0].Header = map[string][]string{"Content-Type": {kind}}
		judgeHTTP(t, "SUB-40", recording.Listening, stream, want)
	}
}

// judgeHTTP judges a recording of 2026-07-28 on Streamable HTTP.
func judgeHTTP(t *testing.T, id string, name recording.Name, rec []rt.Line, want Outcome) {
	t.Helper()
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: requirement.HTTP}, subscribing)
	req, _ := requirement.Find(id)
	k, _ := Find(id)
	if got := Evaluate(k, req, facts, Recordings{name: rt.New(name, facts, rec...)}); got.Outcome != want {
		t.Errorf("%s: %s, expected %s\n%+v", id, got.Outcome, want, got)
	}
}

// modernChanges is a recording of changes: what comes for the first changes, and
// what after the first stream was cancelled.
func modernChanges(first, late []string, bystander ...string) []rt.Line {
	s := new(script).listen("7", "uris", uriFilter, uriFilter, "stopped", "100").
		listen(`"off"`, "off", offFilter, uriFilter).listen(`"list"`, "list", listFilter, listFilter)
	s.add(rt.Line{Step: "busy", Method: "server/discover", Result: `{}`, Session: "s2", Tags: pairs("who", "bystander")})
	s.hears(recording.MarkOther).hears(recording.MarkUpdate).hears(recording.MarkAdd, first...)
	s.add(rt.Line{Incoming: bystander, Session: "s2"})
	return s.hears(recording.MarkSilenced, late...).lines
}

func TestModernChanges(t *testing.T) {
	up := func(id, uri string) string { return sent(updated, id, `"uri":"`+uri+`"`) }
	listed := func(id string) string { return sent(listUpdated, id, "") }
	good := []string{up("7", "a:1"), up(`"off"`, "a:1"), listed(`"list"`)}
	again := []string{up(`"off"`, "a:1")}
	plus := func(more ...string) []string { return append(append([]string{}, good...), more...) }
	inModern := []requirement.Revision{requirement.R20260728}
	walkRuns(t, recording.Changes, subscribing, []run{
		{"SUB-28", Pass, modernChanges(good, again)},
		{"SUB-28", Pass, modernChanges([]string{up("", "a:1")}, nil)}, // whose it is, is judged elsewhere
		{"SUB-28", Fail, modernChanges([]string{listed(`"list"`)}, nil)},
		{"SUB-29", Pass, modernChanges(good, again)},
		{"SUB-29", Fail, modernChanges(plus(up("", "a:1")), again)},
		{"SUB-29", Fail, modernChanges(plus(up(`"7"`, "a:1")), again)},
		{"SUB-29", Fail, modernChanges(plus(listMoved), again)},
		{"SUB-29", NotApplicable, modernChanges(nil, nil)},
		{"SUB-30", Pass, modernChanges(good, again)},
		{"SUB-30", Fail, modernChanges(plus(listed("7")), again)},
		{"SUB-30", Fail, modernChanges(plus(up(`"list"`, "a:1")), again)},
		{"SUB-30", Fail, modernChanges(plus(sent("notifications/tools/list_changed", "7", "")), again)},
		{"SUB-31", Pass, modernChanges(good, again)},
		{"SUB-31", Pass, modernChanges(plus(up("7", "a:1/x")), again)},
		{"SUB-31", Fail, modernChanges(plus(up("7", "b:2")), again)},
		{"SUB-31", Warn, modernChanges(plus(up("7", "c:3")), again)},
		{"SUB-31", NotApplicable, modernChanges(nil, nil)},
		{"SUB-32", Pass, modernChanges(good, again)},
		{"SUB-32", Pass, modernChanges(plus(good...), again)},
		{"SUB-32", Fail, modernChanges([]string{up(`"off"`, "a:1"), up(`"off"`, "a:1")}, again)},
		{"SUB-32", NotApplicable, modernChanges(nil, nil)},
		{"SUB-33", Pass, modernChanges(good, again)},
		{"SUB-33", Fail, modernChanges(good, []string{up("7", "a:1"), up(`"off"`, "a:1")})},
		{"SUB-33", NotApplicable, modernChanges(good, nil)},
		{"SUB-42", Pass, modernChanges(good, again)},
		{"SUB-42", Fail, modernChanges(plus(listed(`"off"`)), again)},
		{"SUB-43", Pass, modernChanges(good, again)},
		{"SUB-43", Fail, modernChanges(good, again, updateOf1)},
		{"SUB-43", NotApplicable, modernChanges(nil, nil)},
		{"SUB-04", Pass, modernChanges(good, again)},
		{"SUB-04", Fail, modernChanges(plus(sent(updated, "7", "")), again)},
	}, inModern...)
	limited := modernChanges(good, again)
	limited[1] = rt.Line{Step: "listen", Method: "subscriptions/listen", ID: `"off"`, Params: `{"notifications":` + offFilter + `}`,
		Error: `{"code":-32000,"message":"one is enough"}`, Tags: pairs("name", "off", "who", "watcher", "uri", "a:1")}
	walkRuns(t, recording.Changes, subscribing, []run{{"SUB-32", Warn, limited}}, inModern...)
}

func TestEndOfSubscription(t *testing.T) {
	play := func(tags ...string) *script {
		return new(script).listen("7", "shutdown", uriFilter, uriFilter, tags...).add(rt.Line{Mark: recording.MarkShutdown})
	}
	result := func(meta string) []rt.Line {
		return play("ended", "yes").add(rt.Line{Incoming: []string{`{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete"` + meta + `}}`}}).lines
	}
	const id = `,"_meta":{"io.modelcontextprotocol/subscriptionId":`
	walkRuns(t, recording.Shutdown, subscribing, []run{
		{"SUB-34", Pass, play("ended", "yes").lines},
		{"SUB-34", Pass, play("canceled", "yes").lines},
		{"SUB-34", Warn, play("lost", "yes").lines},
		{"SUB-34", Warn, play("update", "missed").lines},
		{"SUB-34", NotApplicable, play("update", "seen").lines},
		{"SUB-34", NotApplicable, play().lines},
		{"SUB-35", Pass, result(id + `7}`)},
		{"SUB-35", Fail, result(id + `"7"}`)},
		{"SUB-35", Fail, result("")},
		{"SUB-35", NotApplicable, play("canceled", "yes").lines},
	})
}
