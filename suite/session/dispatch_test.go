package session

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// scripted greets, and hands everything else to the script.
func scripted(script server) transport.Dialer {
	return server(func(m gjson.Result, say teller) bool {
		return greet(m, say) || script(m, say)
	}).pipe()
}

func TestRepliesFindTheirRequests(t *testing.T) {
	ask := func(id recording.Step) Request { return Request{Step: id, Method: "m", ID: json.RawMessage(id)} }
	for name, c := range map[string]struct {
		says []string // once everything was sent
		send []Request
		want []string // the raw reply of each, or its outcome
	}{
		"out of order": {
			[]string{`{"id":2,"result":"b"}`, `{"id":1,"result":"a"}`},
			[]Request{ask("1"), ask("2")}, []string{`"a"`, `"b"`}},
		"in a batch": {
			[]string{`[{"id":2,"result":"b"},{"method":"n"},{"id":1,"result":"a"}]`},
			[]Request{ask("1"), ask("2")}, []string{`"a"`, `"b"`}},
		"number for string": {
			[]string{`{"id":1,"result":"a"}`},
			[]Request{ask(`"1"`), ask("2")}, []string{`"a"`, "silent"}},
		"string and number": {
			[]string{`{"id":"1","result":"a"}`, `{"id":1.0,"result":"b"}`},
			[]Request{ask("1"), ask(`"1"`)}, []string{`"b"`, `"a"`}},
		"no id, one is awaited": {
			[]string{`{"id":null,"error":"e"}`},
			[]Request{ask("1")}, []string{`"e"`}},
		"no id, two are awaited": {
			[]string{`{"id":null,"error":"e"}`},
			[]Request{ask("1"), ask("2")}, []string{"silent", "silent"}},
		"no id, then the proper one": {
			[]string{`{"id":null,"error":"e"}`, `{"id":1,"result":"a"}`},
			[]Request{ask("1")}, []string{`"a"`}},
		"no id, to a probe": {
			[]string{`{"id":null,"error":"e"}`, `{"id":1,"result":"a"}`},
			[]Request{ask("1"), {Step: "p", Body: []byte("{")}}, []string{`"a"`, `"e"`}},
		"unknown id": {
			[]string{`{"id":99,"result":"a"}`},
			[]Request{ask("1")}, []string{`"a"`}},
		"unknown id, then the proper one": {
			[]string{`{"id":1e999999999,"result":"x"}`, `{"id":98,"result":"y"}`, `{"id":1,"result":"a"}`},
			[]Request{ask("1")}, []string{`"a"`}},
		"a batch, all answers": {
			[]string{`{"id":1,"result":"a"}`, `{"id":2,"result":"b"}`},
			[]Request{{Step: "b", Body: []byte(`[{"id":1,"method":"x"},{"id":2,"method":"x"}]`), Answers: 2}},
			[]string{`"a"`}},
		"a batch, refused": {
			[]string{`{"id":null,"error":"e"}`},
			[]Request{{Step: "b", Body: []byte(`[{"id":1,"method":"x"},{"id":2,"method":"x"}]`), Answers: 2}},
			[]string{`"e"`}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				seen := 0
				s := opened(t, scripted(func(m gjson.Result, say teller) bool {
					if m.Get("method").Str == "notifications/initialized" ||
						m.Get("method").Str == "notifications/cancelled" {
						return true
					}
					if seen++; seen == len(c.send) {
						for _, line := range c.says {
							say("%s", line)
						}
					}
					return true
				}), options(requirement.R20250618))
				var pending []*Pending
				for _, q := range c.send {
					pending = append(pending, s.Start(t.Context(), q))
				}
				for i, p := range pending {
					x := p.Wait(t.Context())
					got := string(x.Outcome)
					if x.Outcome == recording.Replied {
						got = x.Message().Get("result").Raw + x.Message().Get("error").Raw
					}
					if got != c.want[i] {
						t.Errorf("%d: got %s, want %s", i, got, c.want[i])
					}
				}
			})
		})
	}
}

// early is an HTTP connection whose responses come before sending has returned.
type early struct {
	sink transport.Sink
	n    int
	body []string // of the responses, in the order of sending
	sent []string
	over requirement.Transport // default http
	code int                   // default 200
}

func (e *early) Transport() requirement.Transport { return cmp.Or(e.over, requirement.HTTP) }
func (e *early) Dial(_ context.Context, sink transport.Sink) (transport.Conn, error) {
	e.sink = sink
	return e, nil
}
func (e *early) Close(context.Context) transport.Ending { return transport.Ending{By: "us"} }
func (e *early) Done() <-chan struct{}                  { return nil }
func (e *early) Err() error                             { return nil }

func (e *early) Send(_ context.Context, m transport.Message) (*transport.Sent, error) {
	channel := string(rune('a' + e.n))
	e.sent = append(e.sent, string(m.Body))
	e.sink(wire.Frame{Channel: channel, Dir: wire.Out, Raw: m.Body, HTTP: &wire.HTTP{Method: "POST"}})
	if e.n < len(e.body) {
		e.sink(wire.Frame{Channel: channel, Dir: wire.In, Raw: []byte(e.body[e.n]),
			HTTP: &wire.HTTP{Status: e.status()}})
	}
	e.n++
	done := make(chan struct{})
	close(done)
	return &transport.Sent{Channel: channel, Request: channel, Done: done, Cancel: func() {},
		Err:    func() error { return nil },
		Status: e.status, Header: func() http.Header { return nil }}, nil
}

func (e *early) status() int { return cmp.Or(e.code, http.StatusOK) }

func TestEarlyResponsesWaitForTheirOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &early{body: []string{`{"method":"roots/list","id":5}`, "", `{"id":null,"error":"b"}`}}
		s := opened(t, e, bare(requirement.R20250618))
		first := s.Start(t.Context(), Request{Step: "a", Body: []byte("{")})
		synctest.Wait() // the question of the server has been answered
		second := s.Start(t.Context(), Request{Step: "b", Body: []byte("[")})
		if x := first.Wait(t.Context()); x.Outcome != recording.HTTPOnly || len(x.Replies) != 0 {
			t.Errorf("the first probe got the answer to another: %+v", x)
		}
		if x := second.Wait(t.Context()); x.Outcome != recording.Replied || e.n != 3 {
			t.Errorf("got %+v after %d messages", x, e.n)
		}
		answers := 0
		for _, x := range s.Record().Exchanges {
			if x.Step == recording.StepAnswer {
				answers++
				if x.Outcome != recording.Sent {
					t.Errorf("an answer of ours has the outcome %q", x.Outcome)
				}
			}
		}
		if answers != 1 {
			t.Errorf("a request of the server was answered %d times: %q", answers, e.sent)
		}
	})
}

// TestAnswersUnderOtherIDs: over HTTP the proper answer goes before one to others, wherever in the
// response it stands; where there is none, the one to others is the answer as soon as the response
// has ended.
func TestAnswersUnderOtherIDs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &early{body: []string{`[{"id":9,"result":"x"},{"id":1,"result":"a"}]`, `{"id":9,"result":"x"}`}}
		s := opened(t, e, bare(requirement.R20250618))
		begin := time.Now()
		for i, want := range []string{"a", "x"} {
			x := s.Do(t.Context(), Request{Method: "m", ID: json.RawMessage(strconv.Itoa(i + 1))})
			if x.Outcome != recording.Replied || x.Result().Str != want || time.Since(begin) > doubtTime/2 {
				t.Errorf("%s: got %+v after %v", want, x, time.Since(begin))
			}
		}
	})
}

// TestOtherIDsAreDoubtedOnce: a target that answers everything under ids of its own holds a session
// up once.
func TestOtherIDsAreDoubtedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, scripted(func(_ gjson.Result, say teller) bool {
			say(`{"id":99,"result":{}}`)
			return true
		}), options(requirement.R20250618))
		for _, most := range []time.Duration{doubtTime, 0, 0} {
			begin := time.Now()
			if x := s.Do(t.Context(), Request{Method: "m"}); !x.Succeeded() || time.Since(begin) > most {
				t.Errorf("%s after %v", x.Outcome, time.Since(begin))
			}
		}
	})
}

// TestStrayAnswersDoNotLast: who answered under another id once and under the proper one since
// then is not believed at once any more.
func TestStrayAnswersDoNotLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			if m.Get("method").Str != "m" {
				return true
			}
			say(`{"id":99,"result":"stray"}`)
			if asked++; asked > 1 {
				say(`{"id":%s,"result":"own"}`, m.Get("id").Raw)
			}
			return true
		}), options(requirement.R20250618))
		for i, want := range []string{"stray", "stray", "own", "own"} {
			x := s.Do(t.Context(), Request{Method: "m"})
			synctest.Wait()
			if got := x.Result().Str; got != want {
				t.Errorf("request %d got the answer %q, want %q", i+1, got, want)
			}
		}
	})
}

// TestSameIDTwice: over HTTP the answer to a request is its own although another one with the
// same id is under way.
func TestSameIDTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, &early{body: []string{"", `{"id":1,"result":"b"}`}}, bare(requirement.R20250618))
		q := Request{Method: "m", ID: json.RawMessage("1")}
		s.Start(t.Context(), q)
		second := s.Start(t.Context(), q)
		select {
		case <-second.Answered():
		default:
			t.Error("the answer was doubted")
		}
	})
}

// TestRefusedPostOverSSE: the response to a POST that is refused is that to the message in
// it, whatever its id.
func TestRefusedPostOverSSE(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, &early{over: requirement.SSE, code: http.StatusBadRequest,
			body: []string{`{"id":"server-error","error":{"code":-32600,"message":"no"}}`}},
			bare(requirement.R20241105))
		if x := s.Do(t.Context(), Request{Method: "m"}); x.Outcome != recording.Replied ||
			len(x.Replies) != 1 {
			t.Errorf("%s: %s, answered by the frames %v", x.Outcome, x.Reason, x.Replies)
		}
	})
}

// TestNoAnswerInTheMidstOfALine: a server may ask something while one of our messages is on its
// way in parts. The answer has to wait for the end of the line.
func TestNoAnswerInTheMidstOfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var heard []string
		var speak teller
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			heard, speak = append(heard, m.Raw), say
			if m.Get("method").Exists() {
				say(`{"jsonrpc":"2.0","id":%s,"result":{}}`, m.Get("id").Raw)
			}
			return true
		}), bare(requirement.R20250618))
		s.Do(t.Context(), Request{Method: "ping"})
		const message = `{"jsonrpc":"2.0","id":"x","method":"ping"}`
		for i, part := range []string{message[:9], message[9:20]} {
			s.Do(t.Context(), Request{Body: []byte(part), Unframed: true, NoAwait: true})
			speak(`{"jsonrpc":"2.0","id":"server-%d","method":"ping"}`, i)
			time.Sleep(time.Second)
		}
		if x := s.Do(t.Context(), Request{ID: json.RawMessage(`"x"`),
			Body: []byte(message[20:])}); !x.Succeeded() {
			t.Errorf("got %+v", x)
		}
		synctest.Wait()
		if len(heard) != 4 || heard[1] != message {
			t.Errorf("the server heard %q", heard)
		}
	})
}

func TestRepeatedAnswersPutNothingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := make(chan struct{})
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			if m.Get("id").Raw != "1" {
				return true
			}
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Second):
						say(`{"id":1,"result":{}}`)
					}
				}
			}()
			return true
		}), options(requirement.R20250618))
		defer close(stop)
		first := s.Start(t.Context(), Request{Method: "m", ID: json.RawMessage("1")})
		begin := time.Now()
		x := s.Do(t.Context(), Request{Method: "m", ID: json.RawMessage("2")})
		if took := time.Since(begin); x.Outcome != recording.Silent || took != 11*time.Second {
			t.Errorf("%s after %v", x.Outcome, took)
		}
		if y := first.Finish(); len(y.Replies) < 10 {
			t.Errorf("only %d answers were noted", len(y.Replies))
		}
	})
}

func TestLateAnswersAreNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			if m.Get("method").Str == "slow" {
				go func() { time.Sleep(15 * time.Second); say(`{"id":%s,"result":{}}`, m.Get("id").Raw) }()
			}
			return true
		}), options(requirement.R20250618))
		x := s.Do(t.Context(), Request{Method: "slow"})
		if x.Outcome != recording.Silent {
			t.Errorf("got %s", x.Outcome)
		}
		time.Sleep(10 * time.Second)
		s.Close(t.Context())
		if x.Outcome != recording.Silent || len(x.Replies) != 1 || x.Message().Exists() {
			t.Errorf("got %+v", x)
		}
		if last := s.Record().Exchanges[len(
			s.Record().Exchanges)-1]; last.Method != "notifications/cancelled" ||
			last.Param("requestId").Raw != string(x.ID) {
			t.Errorf("the request was not cancelled: %+v", last)
		}
	})
}

func TestServerRequestsAreAnswered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		script := scripted(func(m gjson.Result, say teller) bool {
			switch {
			case m.Get("method").Str == "m":
				go func() {
					say(`{"id":"p","method":"ping"}`)
					say(`{"id":2,"method":"sampling/createMessage"}`)
					say(`{"id":null,"method":"ping"}`)
					say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
				}()
			case !m.Get("method").Exists():
				got = append(got, m.Get("id").Raw+m.Get("result").Raw+m.Get("error.code").Raw)
			}
			return true
		})
		for rev, want := range map[requirement.Revision]int{requirement.R20251125: 2,
			requirement.R20260728: 0} {
			got = nil
			s := opened(t, script, options(rev))
			s.Do(t.Context(), Request{Method: "m"})
			synctest.Wait()
			if len(got) != want {
				t.Errorf("%s: got %v", rev, got)
			}
		}
	})
}

// An error under the id of a request of the target's own is its reaction to our answer, and says
// nothing about the message that is under way.
func TestReactionsToOurAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := opened(t, scripted(func(m gjson.Result, say teller) bool {
			switch {
			case m.Get("method").Str == "m":
				say(`{"id":"p","method":"ping"}`)
				say(`{"id":%s,"result":{}}`, m.Get("id").Raw)
			case m.Get("id").Raw == "900001":
				say(`{"id":"p","error":{"code":-32601,"message":"no such method"}}`)
				say(`{"id":null,"error":{"code":-32600,"message":"no request"}}`)
			}
			return true
		}), options(requirement.R20251125))
		s.Do(t.Context(), Request{Method: "m"})
		synctest.Wait()
		x := s.Do(t.Context(), Request{Body: []byte(`{"jsonrpc":"2.0","id":900001}`)})
		if x.Error().Get("code").Int() != -32600 {
			t.Errorf("got %s (%s)", x.Error().Raw, x.Outcome)
		}
	})
}
