package check

import (
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestLines(t *testing.T) {
	note := `{"jsonrpc":"2.0","method":"notifications/message"}`
	reply := `{"jsonrpc":"2.0","id":5,"result":{}}`
	cut := said(reply)
	cut.Flaws = []wire.Flaw{{Code: wire.FlawUnterminated}}
	walkRuns(t, recording.Everything, `{}`, []run{
		{"STDIO-01", Pass, lines(unasked(note), said(reply))},
		{"STDIO-01", Fail, lines(unasked("Server running", note))},
		{"STDIO-01", Fail, lines(unasked(`{"level":30,"msg":"listed"}`, note))},
		{"STDIO-01", Pass, lines(unasked("{", `  "jsonrpc": "2.0",`, `  "method": "notifications/message"`, "}", note))},
		{"STDIO-02", Pass, lines(unasked(note, note+"\r"))},
		{"STDIO-02", Fail, lines(unasked(note, "{", `  "jsonrpc": "2.0",`, `  "params": {`, "  },", `  "method": "notifications/message"`, "}"))},
		{"STDIO-02", Fail, lines(unasked(note + note))},
		{"STDIO-02", Pass, lines(unasked("Server {running}", note))},
		{"STDIO-03", Pass, lines(said(reply))},
		{"STDIO-03", Fail, lines(cut)},
	})
	walkRuns(t, recording.Framing, `{}`, []run{
		{"STDIO-05", Pass, lines(part("before", 1, ""), part("joined", 2, ""), part("split", 1, ""))},
		{"STDIO-05", Fail, lines(part("before", 1, ""), part("joined", 1, ""))},
		{"STDIO-05", Fail, lines(part("before", 1, ""), part("split", 0, recording.Silent))},
		{"STDIO-05", Blocked, lines(part("before", 0, recording.Lost), part("split", 0, recording.Silent))},
		{"STDIO-06", Pass, lines(rt.Line{Step: "long", Method: "ping", Error: `{"code":-32600,"message":"too long"}`})},
		{"STDIO-06", Fail, lines(part("long", 0, recording.Silent))},
	})
}

// part is a step of the framing scenario with a number of answers.
func part(step string, answers int, o recording.Outcome) rt.Line {
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
	req, _ := requirement.Find("STDIO-08")
	k, _ := Find("STDIO-08")
	for _, x := range []struct {
		owned bool
		how   string
		want  Outcome
	}{{true, "exited", Pass}, {true, "killed", Warn}, {true, "terminated", Warn}, {false, "killed", NotApplicable}} {
		facts := rt.Facts(requirement.Combination{Revision: requirement.R20260728, Transport: requirement.Stdio}, `{}`)
		facts.Owned = x.owned
		rec := rt.New(recording.Everything, facts, said(`{"jsonrpc":"2.0","id":5,"result":{}}`))
		rec.Sessions[0].Ending = &recording.Ending{By: "us", How: x.how, Took: 2 * time.Second}
		// One that was not waited for in full, when it was known that they stay.
		rec.Sessions = append(rec.Sessions, &recording.Session{ID: "hurried", Ending: &recording.Ending{By: "us", How: "terminated", Took: 250 * time.Millisecond}})
		got := Evaluate(k, req, facts, Recordings{recording.Everything: rec})
		if got.Outcome != x.want {
			t.Errorf("%s: %s, expected %s", x.how, got.Outcome, x.want)
		}
		if want := "it went on running and had to be " + x.how + ", after 2s"; x.want == Warn && got.Actual != want {
			t.Errorf("%q, expected %q", got.Actual, want)
		}
	}
}

func TestFlushedInTime(t *testing.T) {
	facts := rt.Facts(requirement.Combination{Revision: requirement.R20250618, Transport: requirement.Stdio}, `{}`)
	late := said(`{"jsonrpc":"2.0","id":5,"result":{}}`)
	late.Outcome = recording.Silent
	req, _ := requirement.Find("STDIO-03")
	k, _ := Find("STDIO-03")
	for closed, want := range map[time.Duration]Outcome{time.Hour: NotApplicable, time.Millisecond: Fail} {
		rec := rt.New(recording.Everything, facts, late)
		rec.Sessions[0].Closed = closed
		rec.Sessions[0].Ending = &recording.Ending{By: "us", How: "exited"}
		got := Evaluate(k, req, facts, Recordings{recording.Everything: rec})
		if want == Fail && got.Outcome != Fail || want != Fail && got.Outcome.Red() {
			t.Errorf("closed after %s: %+v", closed, got)
		}
	}
}

func TestProgress(t *testing.T) {
	read := rt.Line{Step: "integer-token", Method: "resources/read", Params: `{"uri":"a:1","_meta":{"progressToken":7}}`, Result: `{"contents":[]}`}
	during := func(messages ...string) rt.Line {
		l := read
		for _, m := range messages {
			l.Incoming = append(l.Incoming, `{"jsonrpc":"2.0","method":"notifications/progress","params":`+m+`}`)
		}
		return l
	}
	good := during(`{"progressToken":7,"progress":0.5}`, `{"progressToken":7,"progress":1,"total":2,"message":"on"}`)
	walkRuns(t, recording.Everything, `{}`, []run{
		{"PROG-01", NotApplicable, lines(read)},
		{"PROG-01", Pass, lines(good)},
		{"PROG-01", Fail, lines(during(`{"progressToken":8,"progress":1}`))},
		{"PROG-02", Pass, lines(good)},
		{"PROG-02", Fail, lines(during(`{"progressToken":"7","progress":1}`))},
		{"PROG-02", Fail, lines(during(`{"progressToken":7,"progress":"50%"}`))},
		{"PROG-03", Pass, lines(good)},
		{"PROG-03", Fail, lines(during(`{"progressToken":7,"progress":1}`, `{"progressToken":7,"progress":1.0}`))},
		{"PROG-04", Pass, lines(good)},
		{"PROG-04", Fail, lines(read, unasked(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1}}`))},
	})
}

func TestCancellation(t *testing.T) {
	odd := func(step string) rt.Line {
		return rt.Line{Step: step, Method: "notifications/cancelled", ID: "-", Outcome: recording.Sent, Kind: recording.Probe}
	}
	answered, fatal := odd("no-id"), odd("no-id")
	answered.Outcome, answered.Reply = recording.Replied, `{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":""}}`
	fatal.Outcome, fatal.Fatal = recording.Lost, true
	done := rt.Line{Step: "done", Method: "ping", Result: `{}`}
	refusedAfter := rt.Line{Step: "after", Method: "ping", Error: `{"code":-32603,"message":""}`}
	after := func(o recording.Outcome) rt.Line {
		l := rt.Line{Step: "after", Method: "ping", Outcome: o}
		if o == "" {
			l.Result = `{}`
		}
		return l
	}
	walkRuns(t, recording.OddCancellations, `{}`, []run{
		{"CANC-01", Pass, lines(done, odd("finished"), odd("object-id"), after(""))},
		{"CANC-01", Fail, lines(done, answered)},
		{"CANC-01", Fail, lines(done, fatal)},
		{"CANC-01", Warn, lines(done, odd("unknown"), refusedAfter)},
	})
	raced := rt.Line{Step: "raced", Method: "ping", Outcome: recording.Sent}
	twice := part("raced", 2, "")
	walkRuns(t, recording.CancelRace, `{}`, []run{
		{"CANC-03", Pass, lines(raced, part("raced", 1, ""), after(""))},
		{"CANC-03", Fail, lines(raced, twice, after(""))},
		{"CANC-03", Fail, lines(raced, after(recording.Silent))},
	})
	walkRuns(t, recording.DroppedReads, `{}`, []run{
		{"CANC-05", Pass, lines(after(""))},
		{"CANC-05", Fail, lines(after(recording.Silent))},
	})
	listen := func(step, acked string) rt.Line {
		return rt.Line{Step: step, Method: "subscriptions/listen", Outcome: recording.Sent, Tags: map[string]string{"acknowledged": acked}}
	}
	walkRuns(t, recording.ListenChurn, `{}`, []run{
		{"CANC-60", Pass, lines(listen("first", "yes"), listen("last", "yes"), after(""))},
		{"CANC-60", NotApplicable, lines(listen("first", ""))},
		{"CANC-60", Fail, lines(listen("first", "yes"), listen("last", ""), after(""))},
	})
	cancel := func(id string) rt.Line {
		return unasked(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
	}
	walkRuns(t, recording.Everything, `{}`, []run{
		{"CANC-07", NotApplicable, lines(done)},
		{"CANC-07", Pass, lines(rt.Line{Step: "listen", Method: "subscriptions/listen", ID: "9", Outcome: recording.Sent}, cancel("9"))},
		{"CANC-07", Fail, lines(rt.Line{Step: "read", Method: "resources/read", ID: "9", Result: `{}`}, cancel("9"))},
		{"CANC-08", Pass, lines(unasked(`{"jsonrpc":"2.0","id":"q","method":"ping"}`), cancel(`"q"`))},
		{"CANC-08", Fail, lines(rt.Line{Step: "read", Method: "resources/read", ID: "9", Result: `{}`}, cancel("9"))},
	})
}

func TestStoppedReads(t *testing.T) {
	slow := rt.Line{Step: "slow", Method: "resources/read", Params: `{"_meta":{"progressToken":"t"}}`, Outcome: recording.Sent, Mark: "cancelling", Tags: map[string]string{"grace": "0s"}}
	goesOn := slow
	goesOn.Outcome, goesOn.Result = recording.Replied, `{"contents":[]}`
	reported := unasked(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t","progress":1}}`)
	walkRuns(t, recording.CancelledRead, `{}`, []run{
		{"CANC-02", Pass, lines(slow)},
		{"CANC-02", Fail, lines(goesOn)},
		{"CANC-02", Fail, lines(slow, reported)},
	})
	resume := rt.Line{Step: "resume", ID: "-", Outcome: recording.Sent, Status: 200}
	none := resume
	none.Status = 405
	walkRuns(t, recording.ResumedRead, `{}`, []run{
		{"CANC-06", Pass, lines(goesOn, resume)},
		{"CANC-06", Fail, lines(slow, resume)},
		{"CANC-06", NotApplicable, lines(slow, none)},
	})
}
