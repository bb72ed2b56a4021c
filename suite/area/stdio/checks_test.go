package stdio_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/canc"
	"github.com/mcpcheck/mcpcheck/suite/area/stdio"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestLines(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/message"}`
	reply := `{"jsonrpc":"2.0","id":5,"result":{}}`
	cut := areatest.Said(reply)
	cut.Flaws = []wire.Flaw{{Code: wire.FlawUnterminated}}
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("STDIO-01", areatest.Unasked(note), areatest.Said(reply)),
		areatest.Fail("STDIO-01", areatest.Unasked("Server running", note)),
		areatest.Fail("STDIO-01", areatest.Unasked(`{"level":30,"msg":"listed"}`, note)),
		areatest.Pass("STDIO-01",
			areatest.Unasked("{", `  "jsonrpc": "2.0",`, `  "method": "notifications/message"`, "}", note)),
		areatest.Pass("STDIO-02", areatest.Unasked(note, note+"\r")),
		areatest.Fail("STDIO-02", areatest.Unasked(note, "{", `  "jsonrpc": "2.0",`, `  "params": {`,
			"  },", `  "method": "notifications/message"`, "}")),
		areatest.Fail("STDIO-02", areatest.Unasked(note+note)),
		areatest.Pass("STDIO-02", areatest.Unasked("Server {running}", note)),
		areatest.Pass("STDIO-03", areatest.Said(reply)),
		areatest.Fail("STDIO-03", cut),
	)
	areatest.WalkRuns(t, recording.InvalidMessages, `{}`,
		areatest.Fail("STDIO-01", areatest.Unasked("unknown method"), areatest.Said(reply)),
	)
	areatest.WalkRuns(t, stdio.Framing, `{}`,
		areatest.Pass("STDIO-05", part("before", 1, ""), part("joined", 2, ""), part("split", 1, "")),
		areatest.Fail("STDIO-05", part("before", 1, ""), part("joined", 1, "")),
		areatest.Fail("STDIO-05", part("before", 1, ""), part("split", 0, recording.Silent)),
		areatest.Pass("STDIO-05", part("before", 1, ""), splitID("naïve", "naïve")),
		areatest.Fail("STDIO-05", part("before", 1, ""), splitID("naïve", "na\ufffd\ufffdve")),
		areatest.Fail("STDIO-05", part("before", 1, ""), part("separators", 0, recording.Silent),
			part("split", 1, "")),
		areatest.Blocked("STDIO-05", part("before", 0, recording.Lost), part("split", 0, recording.Silent)),
		areatest.Pass("STDIO-06",
			rt.Line{Step: "long", Method: "ping", Error: `{"code":-32600,"message":"too long"}`}),
		areatest.Fail("STDIO-06", part("long", 0, recording.Silent)),
	)
}

// An answer that was held back says nothing by itself: it may have come by chance. It does not come so after
// different times.
func TestHeldBack(t *testing.T) {
	after := func(took ...time.Duration) (all []rt.Line) {
		for _, d := range took {
			all = append(all, rt.Line{Step: "missing", Method: "resources/read",
				Error: `{"code":-32002,"message":"no"}`, HeldBack: d})
		}
		return all
	}
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.Pass("STDIO-03", after(10*time.Second)...),
		areatest.Pass("STDIO-03", after(time.Second, 1100*time.Millisecond)...),
		areatest.Fail("STDIO-03", after(10*time.Second, time.Second)...),
	)
}

// splitID is a request in three writes whose id came back as another one.
func splitID(sent, back string) rt.Line {
	return rt.Line{Step: "split", Method: "ping", ID: `"` + sent + `"`, Reply: `{"jsonrpc":"2.0","id":"` +
		back + `","result":{}}`}
}

// part is a step of the framing scenario with a number of answers.
func part(step recording.Step, answers int, o recording.Outcome) rt.Line {
	l := rt.Line{Step: step, Method: "ping", Outcome: o}
	for range answers {
		l.More = append(l.More, `{"jsonrpc":"2.0","id":5,"result":{}}`)
	}
	if answers > 0 {
		l.Outcome, l.Reply, l.More = recording.Replied, l.More[0], l.More[1:]
	}
	return l
}

func TestEndings(t *testing.T) {
	for _, x := range []struct {
		owned bool
		how   string
		want  verdict.Outcome
	}{{true, "exited", verdict.Pass}, {true, "killed", verdict.Warn}, {true, "terminated", verdict.Warn},
		{false, "killed", verdict.NotApplicable}} {
		facts := areatest.Stdio(requirement.R20260728, `{}`)
		facts.Owned = x.owned
		rec := rt.New(recording.Everything, facts, areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`))
		rec.Sessions[0].Ending = &recording.Ending{By: "us", How: x.how, Took: 2 * time.Second}
		// One that was not waited for in full, when it was known that they stay.
		rec.Sessions = append(rec.Sessions, &recording.Session{ID: "hurried",
			Ending: &recording.Ending{By: "us", How: "terminated", Took: 250 * time.Millisecond}})
		got := areatest.Judge("STDIO-08", rec)
		if got.Outcome != x.want {
			t.Errorf("%s: %s, expected %s", x.how, got.Outcome, x.want)
		}
		if want := "it went on running and had to be " + x.how + ", after 2s"; x.want == verdict.Warn &&
			got.Actual != want {
			t.Errorf("%q, expected %q", got.Actual, want)
		}
	}
}

// TestEndingsWhileSubscribed: a subscription is no reason to stay, and one that is given up even less.
func TestEndingsWhileSubscribed(t *testing.T) {
	listen := areatest.WithTags(rt.Line{Step: "listen", Method: "subscriptions/listen", ID: `"a"`,
		Outcome: recording.Sent}, "ack", "2")
	stop := rt.Line{Step: "stop", Method: "notifications/cancelled", ID: "-", Params: `{"requestId":"a"}`,
		Outcome: recording.Sent}
	subscribe := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`,
		Result: `{}`}
	refused := rt.Line{Step: "subscribe", Method: "resources/subscribe", Params: `{"uri":"a:1"}`,
		Error: `{"code":-32602,"message":"no"}`}
	unsubscribe := rt.Line{Step: "unsubscribe", Method: "resources/unsubscribe", Params: `{"uri":"a:1"}`,
		Result: `{}`}
	for name, x := range map[string]struct {
		plain string // how a session without subscriptions ended
		lines []rt.Line
		want  string // what is said of the other one, which had to be killed
	}{
		"modern":       {"exited", areatest.Lines(listen), "while something was subscribed"},
		"cancelled":    {"exited", areatest.Lines(listen, stop), ""},
		"legacy":       {"exited", areatest.Lines(subscribe), "while something was subscribed"},
		"refused":      {"exited", areatest.Lines(refused), ""},
		"unsubscribed": {"exited", areatest.Lines(subscribe, unsubscribe), ""},
		"never ends":   {"killed", areatest.Lines(listen), "input was closed"},
	} {
		facts := areatest.Stdio(requirement.R20260728, `{}`)
		facts.Owned = true
		rec := rt.New(recording.Everything, facts, x.lines...)
		rec.Sessions[0].Ending = &recording.Ending{By: "us", How: "killed", Took: 2 * time.Second}
		rec.Sessions = append(rec.Sessions,
			&recording.Session{ID: "plain", Ending: &recording.Ending{By: "us", How: x.plain}})
		got := areatest.Judge("STDIO-08", rec)
		if (got.Outcome == verdict.Warn) != (x.want != "") || !strings.HasSuffix(got.Expected, x.want) {
			t.Errorf("%s: %s %s", name, got.Outcome, got.Expected)
		}
	}
}

func TestFlushedInTime(t *testing.T) {
	facts := areatest.Stdio(requirement.R20250618, `{}`)
	late := areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	late.Outcome = recording.Silent
	for closed, want := range map[time.Duration]verdict.Outcome{time.Hour: verdict.NotApplicable,
		time.Millisecond: verdict.Fail} {
		rec := rt.New(recording.Everything, facts, late)
		rec.Sessions[0].Closed = closed
		rec.Sessions[0].Ending = &recording.Ending{By: "us", How: "exited"}
		got := areatest.Judge("STDIO-03", rec)
		if want == verdict.Fail && got.Outcome != verdict.Fail || want != verdict.Fail && got.Outcome.Red() {
			t.Errorf("closed after %s: %+v", closed, got)
		}
	}
}

// A slow answer may come when the session happens to be ended, if others are as slow.
func TestSlowNotHeldBack(t *testing.T) {
	facts := areatest.Stdio(requirement.R20250618, `{}`)
	for name, c := range map[string]struct {
		other time.Duration // after which another request was answered while its session stood
		want  verdict.Outcome
	}{
		"as late": {11 * time.Second, verdict.Pass}, "sooner": {7 * time.Second, verdict.Fail},
		"later": {15 * time.Second, verdict.Fail},
	} {
		held, slow, done := areatest.Said(`{"jsonrpc":"2.0","id":5,"result":{}}`),
			areatest.Said(`{"jsonrpc":"2.0","id":6,"result":{}}`),
			areatest.Said(`{"jsonrpc":"2.0","id":7,"result":{}}`)
		held.Outcome, slow.Outcome, slow.Session = recording.Silent, recording.Silent, "s2"
		rec := rt.New(recording.Everything, facts, held, slow, done)
		for i, took := range []time.Duration{12 * time.Second, c.other} {
			x := rec.Exchanges[i]
			x.Sent = 0
			rec.Frame(x.Replies[0]).At = took
		}
		for _, s := range rec.Sessions {
			s.Closed, s.Ending = time.Hour, &recording.Ending{By: "us", How: "exited"}
		}
		rec.Session("s1").Closed = 12 * time.Second
		areatest.Due(t, "STDIO-03", name, c.want, rec)
	}
}

func TestProgress(t *testing.T) {
	read := rt.Line{Step: "integer-token", Method: "resources/read",
		Params: `{"uri":"a:1","_meta":{"progressToken":7}}`, Result: `{"contents":[]}`}
	during := func(messages ...string) rt.Line {
		l := read
		for _, m := range messages {
			l.Incoming = append(l.Incoming, `{"jsonrpc":"2.0","method":"notifications/progress","params":`+m+
				`}`)
		}
		return l
	}
	good := during(`{"progressToken":7,"progress":0.5}`,
		`{"progressToken":7,"progress":1,"total":2,"message":"on"}`)
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.NotApplicable("PROG-01", read),
		areatest.Pass("PROG-01", good),
		areatest.Fail("PROG-01", during(`{"progressToken":8,"progress":1}`)),
		areatest.Pass("PROG-02", good),
		areatest.Fail("PROG-02", during(`{"progressToken":"7","progress":1}`)),
		areatest.Fail("PROG-02", during(`{"progressToken":7,"progress":"50%"}`)),
		areatest.Pass("PROG-03", good),
		areatest.Fail("PROG-03",
			during(`{"progressToken":7,"progress":1}`, `{"progressToken":7,"progress":1.0}`)),
		areatest.Pass("PROG-04", good),
		areatest.Fail("PROG-04", read,
			areatest.Unasked(areatest.Sent("notifications/progress", "", `"progressToken":7,"progress":1`))),
	)
}

func TestCancellation(t *testing.T) {
	odd := func(step recording.Step) rt.Line {
		return rt.Line{Step: step, Method: "notifications/cancelled", ID: "-", Outcome: recording.Sent,
			Kind: recording.Probe}
	}
	answered, fatal := odd("no-id"), odd("no-id")
	answered.Outcome, answered.Reply = recording.Replied,
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":""}}`
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	done := rt.Line{Step: "done", Method: "ping", Result: `{}`}
	expired := rt.Line{Step: "done", Method: "ping", Outcome: recording.HTTPOnly, Status: http.StatusNotFound}
	refusedAfter := rt.Line{Step: "after", Method: "ping", Error: `{"code":-32603,"message":""}`}
	after := func(o recording.Outcome) rt.Line {
		l := rt.Line{Step: "after", Method: "ping", Outcome: o}
		if o == "" {
			l.Result = `{}`
		}
		return l
	}
	underWay := func(l rt.Line) rt.Line { l.Step, l.Method = "under-way", "resources/read"; return l }
	undisturbed := underWay(rt.Line{Result: `{"contents":[]}`})
	undisturbed.Step = "undisturbed"
	cut := func(step recording.Step, status int) rt.Line {
		return rt.Line{Step: step, Method: "ping", Outcome: recording.Refused, Status: status}
	}
	areatest.WalkRuns(t, canc.OddCancellations, `{}`,
		areatest.Pass("CANC-01", done, odd("finished"), odd("object-id"), after("")),
		areatest.Fail("CANC-01", done, answered),
		areatest.Fail("CANC-01", done, fatal),
		areatest.Blocked("CANC-01", cut("done", 429), fatal),
		areatest.Pass("CANC-01", done, odd("finished"), cut("unknown", 503), after("")),
		// the session serves nobody
		areatest.NotApplicable("CANC-01", expired, fatal),
		areatest.Warn("CANC-01", done, odd("unknown"), refusedAfter),
		areatest.Pass("CANC-01", done, underWay(rt.Line{Result: `{"contents":[]}`}), odd("no-id"), after("")),
		// of its own accord
		areatest.Pass("CANC-01", done, underWay(rt.Line{Error: `{"code":-32603,"message":"no"}`}),
			odd("no-id"), after("")),
		areatest.Warn("CANC-01", done, underWay(rt.Line{}), odd("no-id"), after(""), undisturbed),
		areatest.Warn("CANC-01", done, underWay(rt.Line{Error: `{"code":-32800,"message":"no"}`}),
			odd("unknown"), after(""), undisturbed),
		// there is nothing to hold it against
		areatest.Pass("CANC-01", done, underWay(rt.Line{}), odd("no-id"), after("")),
		areatest.Pass("CANC-01", done, underWay(rt.Line{}), odd("no-id"), after(""),
			rt.Line{Step: "undisturbed", Method: "resources/read"}),
	)
	finished := odd("finished")
	finished.Params = `{"requestId":"d"}`
	again := part("done", 2, "")
	again.ID = `"d"`
	listening := rt.Line{Step: "listen", Method: "subscriptions/listen", Outcome: recording.Sent,
		Tags: recording.Tags{scenario.TagEnded: "yes"}}
	areatest.WalkRuns(t, canc.OddCancellations, `{}`,
		areatest.Warn("CANC-01", done, finished, after(""), listening),
		// twice before it was cancelled: RPC-09
		areatest.Pass("CANC-01", again, finished, after("")),
	)
	raced := rt.Line{Step: "raced", Method: "ping", Outcome: recording.Sent}
	twice := part("raced", 2, "")
	gone := func(step recording.Step) rt.Line {
		return rt.Line{Step: step, Method: "ping", Outcome: recording.HTTPOnly, Status: http.StatusNotFound}
	}
	ping := func(step recording.Step, status int) rt.Line { // answered, or over HTTP only accepted
		if status == 0 {
			return rt.Line{Step: step, Method: "ping", Result: `{}`}
		}
		return rt.Line{Step: step, Method: "ping", Outcome: recording.HTTPOnly, Status: status}
	}
	control := func(o recording.Outcome) rt.Line { l := after(o); l.Step = "undisturbed"; return l }
	lives, lost := control(""), control(recording.Lost)
	areatest.WalkRuns(t, canc.CancelRace, `{}`,
		areatest.Pass("CANC-03", raced, part("raced", 1, ""), after("")),
		areatest.Fail("CANC-03", raced, twice, after("")),
		areatest.Fail("CANC-03", raced, after(recording.Silent)),
		areatest.Fail("CANC-03", raced, after(recording.Lost), lives, lives),
		// it ends after so many messages
		areatest.NotApplicable("CANC-03", raced, after(recording.Lost), lives, lost),
		// the time was over
		areatest.Blocked("CANC-03", raced, after(recording.Lost), lives, control(recording.Canceled)),
		areatest.Blocked("CANC-03", raced, after(recording.Lost), control(recording.Unsent)),
		// before there was a control
		areatest.Blocked("CANC-03", raced, after(recording.Lost), rt.Line{Over: true}),
		areatest.Fail("CANC-03", raced, gone("after"), lives, lives),
		areatest.NotApplicable("CANC-03", raced, gone("after"), lives, gone("undisturbed")),
		// there is nothing to hold it against
		areatest.Pass("CANC-03", raced, gone("after")),
		areatest.Fail("CANC-03", ping("before", 0), raced, ping("after", http.StatusAccepted)),
		// nor was it before
		areatest.NotApplicable("CANC-03", ping("before", http.StatusAccepted), raced,
			ping("after", http.StatusAccepted)),
	)
	areatest.WalkRuns(t, canc.DroppedReads, `{}`,
		areatest.Pass("CANC-05", after("")),
		areatest.Fail("CANC-05", after(recording.Silent)),
		areatest.Blocked("CANC-05", cut("after", 429)),
		areatest.Blocked("CANC-05", cut("after", 503)),
		areatest.Blocked("CANC-05", rt.Line{Step: "after", Method: "ping", Status: 503,
			Error: `{"code":-32603,"message":"too many"}`}),
	)
	listen := func(step recording.Step, acked string) rt.Line {
		return rt.Line{Step: step, Method: "subscriptions/listen", Outcome: recording.Sent,
			Tags: recording.Tags{"acknowledged": acked}}
	}
	areatest.WalkRuns(t, canc.ListenChurn, `{}`,
		areatest.Pass("CANC-60", listen("first", "yes"), listen("last", "yes"), after("")),
		areatest.NotApplicable("CANC-60", listen("first", "")),
		areatest.Fail("CANC-60", listen("first", "yes"), listen("last", ""), after("")),
		areatest.Blocked("CANC-60", listen("first", "yes"), cut("last", 429), cut("after", 429)),
	)
	cancel := func(id string) rt.Line {
		return areatest.Unasked(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` +
			id + `}}`)
	}
	areatest.WalkRuns(t, recording.Everything, `{}`,
		areatest.NotApplicable("CANC-07", done),
		areatest.Pass("CANC-07",
			rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "9", Outcome: recording.Sent},
			cancel("9")),
		areatest.Fail("CANC-07", rt.Line{Step: "read", Method: "resources/read", ID: "9", Result: `{}`},
			cancel("9")),
		areatest.Pass("CANC-08", areatest.Unasked(`{"jsonrpc":"2.0","id":"q","method":"ping"}`),
			cancel(`"q"`)),
		areatest.Fail("CANC-08", rt.Line{Step: "read", Method: "resources/read", ID: "9", Result: `{}`},
			cancel("9")),
	)
}

func TestStoppedReads(t *testing.T) {
	beside := func(step recording.Step, result string) rt.Line {
		return rt.Line{Step: step, Method: "resources/read", Result: result}
	}
	slow := rt.Line{Step: "slow", Method: "resources/read", Params: `{"_meta":{"progressToken":"t"}}`,
		Outcome: recording.Sent, Mark: "cancelling", Tags: recording.Tags{"grace": "0s"}}
	goesOn := slow
	goesOn.Outcome, goesOn.Result = recording.Replied, `{"contents":[]}`
	reported := areatest.Unasked(
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
	areatest.WalkRuns(t, canc.CancelledRead, `{}`,
		areatest.Pass("CANC-02", slow),
		areatest.Fail("CANC-02", goesOn),
		areatest.Fail("CANC-02", slow, reported),
		// there is nothing to hold it against
		areatest.Pass("CANC-02", slow, beside("under-way", "")),
		areatest.Warn("CANC-02", slow, beside("under-way", ""), beside("undisturbed", `{"contents":[]}`)),
	)
	resume := rt.Line{Step: "resume", ID: "-", Outcome: recording.Sent, Status: 200}
	none := resume
	none.Status = 405
	busy := resume
	busy.Status, busy.Outcome = 429, recording.Refused
	areatest.WalkRuns(t, canc.ResumedRead, `{}`,
		areatest.Pass("CANC-06", goesOn, resume),
		areatest.Fail("CANC-06", slow, resume),
		areatest.NotApplicable("CANC-06", slow, none),
		areatest.Blocked("CANC-06", slow, busy),
		areatest.Blocked("CANC-06", slow, resume, rt.Line{Over: true}),
	)
}
