package scenario_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// told lists what became of messages in the end: step, outcome unless it is an answer, "?" where a status of
// HTTP refuses it, and "!" where it was fatal.
func told(rec *recording.Recording) string {
	var all []string
	for _, x := range rec.Exchanges {
		if x.Step.Sent() != x.Step || x.Step == recording.StepAlive {
			continue
		}
		s := strings.TrimSuffix(string(x.Step)+":"+string(x.Outcome), ":replied")
		all = append(all, s+map[bool]string{true: "?"}[x.Status >= 400]+map[bool]string{true: "!"}[x.Fatal])
	}
	return strings.Join(all, " ")
}

// killing is a server with four methods that it does not survive: "die" always, "once" on the first
// connection only, "deafen" by not answering any more. It answers "poison", and does not survive what comes
// next.
func killing() *scenariotest.Server {
	var deaf, doomed sync.Map // the connections that it is; one may end while the next begins
	return &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
		method := m.Get("method").Str
		if method == "deafen" {
			deaf.Store(n, true)
		}
		_, silent := deaf.Load(n)
		_, dies := doomed.Load(n)
		if method == "poison" {
			doomed.Store(n, true)
		}
		switch {
		case dies:
			return false
		case silent:
			return method != "ping" // a ping is not answered either
		case method == "die", method == "once" && n == 1:
			return false
		case method == "silence":
			return true
		case method == "null":
			say(`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}`)
			return true
		}
		return scenariotest.Lively(n, m, say)
	}}
}

func TestLossIsAttributed(t *testing.T) {
	message := func(method recording.Step) session.Request {
		return session.Request{Step: method, Body: fmt.Appendf(nil, `{"method":%q}`, method)}
	}
	numbered := func(method recording.Step) session.Request {
		return session.Request{Step: method, ID: []byte("7"), Body: fmt.Appendf(nil, `{"id":7,"method":%q}`,
			method)}
	}
	note := func(method recording.Step) session.Request {
		return session.Request{Step: method, Method: string(method), Notification: true}
	}
	asking := func(method string) func(*scenario.Client) {
		return func(c *scenario.Client) {
			c.Do(session.Request{Step: "m", Method: method})
		}
	}
	probing := func(all ...session.Request) func(*scenario.Client) {
		return func(c *scenario.Client) { c.Probes(all...) }
	}
	for name, c := range map[string]struct {
		play func(c *scenario.Client)
		want string
	}{
		"an answer":         {asking("m"), "m"},
		"silence":           {asking("silence"), "m:silent"},
		"death":             {asking("die"), "m:lost!"},
		"death by chance":   {asking("once"), "m"},
		"deafness":          {asking("deafen"), "m:silent!"},
		"probe, answered":   {probing(session.Request{Step: "p", Method: "m"}), "p"},
		"probe, overlooked": {probing(message("silence")), "silence:silent"},
		"probe, a notification": {probing(session.Request{Step: "p", Method: "n", Notification: true}),
			"p:sent"},
		"probe, death": {probing(message("die")), "die:lost!"},
		"probes": {probing(message("silence"), message("n")),
			"silence:silent n:silent"},
		"probes, one is deadly": {probing(message("a"), message("die"), message("b")),
			"a:silent die:lost! b:silent"},
		"to some of which nothing is said": {probing(message("a"), numbered("b"), message("c")),
			"a:silent b c:silent"},
		"the last without an id": {probing(numbered("a"), message("null")), "a null"},
		"one without an id": {probing(message("a"), message("null"), message("c")),
			"a:silent null c:silent"},
		"notifications, two are deadly": {probing(note("a"), note("die"), note("b"), note("die"), note("c")),
			"a:sent die:lost! b:sent die:lost! c:sent"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, killing())
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
					if client, ok := p.Expendable(); ok {
						c.play(client)
					}
				})
				if got := told(rec); got != c.want {
					t.Errorf("got  %s\nwant %s", got, c.want)
				}
			})
		})
	}
}

// TestLateLoss: where a message is answered that the session is lost over later, it is named, and not the
// one that went without an answer. Where none does it alone, none is.
func TestLateLoss(t *testing.T) {
	tired := &scenariotest.Server{}
	for name, c := range map[string]struct {
		server *scenariotest.Server
		want   string
		conns  int64
	}{
		"a message": {killing(), "poison", 6}, "after some messages": {tired, "", 4},
	} {
		synctest.Test(t, func(t *testing.T) {
			heard := map[int64]int{}
			tired.Script = func(n int64, m gjson.Result, say func(string, ...any)) bool {
				heard[n]++
				return heard[n] < 7 && scenariotest.Lively(n, m, say)
			}
			st := scenariotest.Stage(t, c.server)
			rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
				client, _ := p.Expendable()
				for _, method := range []string{"a", "b", "c", "poison", "d", "e", "f"} {
					client.Do(session.Request{Step: recording.Step(method), Method: method})
				}
			})
			var fatal []string
			for _, x := range rec.Exchanges {
				if x.Fatal {
					fatal = append(fatal, string(x.Step.Sent()))
				}
			}
			if got := strings.Join(fatal, " "); got != c.want || told(rec) != "a b c poison d e f" {
				t.Errorf("%s: %q is fatal, and %s", name, got, told(rec))
			}
			if n := c.server.Conns.Load(); n > c.conns {
				t.Errorf("%s: %d connections", name, n)
			}
		})
	}
}

// TestLostAgain: in a repetition a message that costs a fresh session, alone, is not tried another time.
func TestLostAgain(t *testing.T) {
	for _, c := range []struct {
		patience, conns int64
	}{{0, 1 + 3*2}, {2, 1 + 1 + 3}} {
		synctest.Test(t, func(t *testing.T) {
			srv := killing()
			st := scenariotest.Stage(t, srv)
			st.Limits.Patience = int(c.patience)
			var fatal []bool
			scenariotest.Perform(t, st, func(p *scenario.Play) {
				c, _ := p.Expendable()
				for _, x := range []*recording.Exchange{
					c.Do(session.Request{Step: "a", Method: "die"}),
					c.Probes(session.Request{Step: "b", Method: "die"})[0],
					c.Probes(session.Request{Step: "c", Method: "die"})[0],
					c.Do(session.Request{Step: "d", Method: "m"}),
				} {
					fatal = append(fatal, x.Fatal)
				}
			})
			if want := []bool{true, true, true, false}; !slices.Equal(fatal, want) {
				t.Errorf("patience %d: fatal are %v", c.patience, fatal)
			}
			if n := srv.Conns.Load(); n != c.conns {
				t.Errorf("patience %d: %d connections, expected %d", c.patience, n, c.conns)
			}
		})
	}
}

// TestLostSideBySide: of messages that were lost together only those that the target dies of
// cost a process of their own, and only they are fatal.
func TestLostSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := killing()
		script := server.Script
		server.Script = func(n int64, m gjson.Result, say func(string, ...any)) bool {
			if m.Get("method").Str == "initialize" {
				time.Sleep(time.Second) // it takes longer to start than to notice that one has died
			}
			return script(n, m, say)
		}
		st := scenariotest.Stage(t, server)
		methods := []string{"a", "b", "die", "c", "d", "e", "f", "die", "g", "h", "i", "j"}
		rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
			c, _ := p.Expendable()
			scenario.Each(c, methods, func(_ int, method string, c *scenario.Client) {
				c.Do(session.Request{Step: recording.Step(method), Method: method})
			})
			c.Do(session.Request{Step: "afterwards", Method: "m"})
		})
		if got, want := told(rec), "a b die:lost! c d e f die:lost! g h i j afterwards"; got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		// The first, and for each of the two one of its own and the next; and one more for each if what was
		// lost with it is noticed, and sent again, before it.
		if n := server.Conns.Load(); n > 7 {
			t.Errorf("%d connections", n)
		}
	})
}

// A session in which an ordinary request is not answered any more is not lent again, unless none is answered
// in time in any session, and a sign of life is given.
func TestLentThoughLate(t *testing.T) {
	for name, c := range map[string]struct {
		takes time.Duration // for an ordinary request in an expendable session
		clean time.Duration // for the one of a well-behaved script
		conns int64
	}{
		"late everywhere": {12 * time.Second, 12 * time.Second, 2}, "late after a probe": {12 * time.Second,
			time.Second, 4},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(
					string, ...any)) bool {
					takes := c.takes
					if n == 1 {
						takes = c.clean
					}
					if m.Get("method").Str == "resources/list" {
						time.AfterFunc(takes, func() { scenariotest.Lively(n, m, say) })
					}
					return true
				}}
				st := scenariotest.Stage(t, srv, func(o *pool.Options) { o.Habits = &session.Habits{} })
				st.Facts.Declared = []byte(`{"capabilities":{"resources":{}}}`)
				scenariotest.Perform(t, st, func(p *scenario.Play) {
					c, _ := p.Clean()
					c.Do(p.Ordinary("walk"))
				})
				for range 3 {
					scenariotest.Perform(t, st, func(p *scenario.Play) {
						if _, ok := p.Expendable(); !ok {
							t.Error("no session")
						}
					})
				}
				if n := srv.Conns.Load(); n != c.conns {
					t.Errorf("%d connections, expected %d", n, c.conns)
				}
			})
		})
	}
}

func TestEachKeepsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st := scenariotest.Stage(t,
			&scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
				go func() { // the later, the sooner
					time.Sleep(time.Duration(20-m.Get("params.i").Int()) * time.Second / 10)
					scenariotest.Lively(n, m, say)
				}()
				return true
			}})
		rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
			c, _ := p.Clean()
			scenario.Each(c, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, func(i, item int, c *scenario.Client) {
				c.Do(session.Request{Step: recording.Step(fmt.Sprint(item)), Method: "m",
					Params: map[string]any{"i": item}})
			})
		})
		for i, x := range rec.Exchanges {
			if string(x.Step) != fmt.Sprint(i) || !x.Succeeded() {
				t.Errorf("%d: got %s, %s", i, x.Step, x.Outcome)
			}
		}
	})
}

func TestPerformAlwaysEnds(t *testing.T) {
	needs := []recording.Name{"earlier"}
	for name, c := range map[string]struct {
		scenario scenario.Scenario
		earlier  map[recording.Name]*recording.Recording
		broken   recording.Code
		skipped  recording.Code
		opens    error // why no session can be opened
	}{
		"panic": {scenario.Scenario{Script: func(p *scenario.Play) {
			p.Fresh(session.Options{})
			panic("oops")
		}}, nil, recording.CodePanic, "", nil},
		"panic in scenario.Each": {scenario.Scenario{Script: func(p *scenario.Play) {
			c, _ := p.Clean()
			scenario.Each(c, []int{1, 2}, func(int, int, *scenario.Client) { panic("oops") })
		}}, nil, recording.CodePanic, "", nil},
		"panic in together": {scenario.Scenario{Script: func(p *scenario.Play) {
			scenario.Together(p, func(*scenario.Client) { panic("oops") })
		}}, nil, recording.CodePanic, "", nil},
		"nothing to build on": {scenario.Scenario{After: needs}, nil, recording.CodeNotExercised, "", nil},
		"broken ground": {scenario.Scenario{After: needs},
			map[recording.Name]*recording.Recording{
				"earlier": {Broken: &recording.Broken{Code: recording.CodeDied}},
			}, recording.CodeDied, "", nil},
		"no occasion": {scenario.Scenario{When: func(*scenario.Play) *recording.Skipped {
			return scenario.Skip(recording.CodeUndeclared, "no")
		}}, nil, "", recording.CodeUndeclared, nil},
		"no session to be had": {scenario.Scenario{Script: func(
			p *scenario.Play) {
			p.Clean()
		}}, nil, recording.CodeInterrupted, "", errors.New("no")},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := &scenariotest.Server{Script: scenariotest.Lively}
				st := scenariotest.Stage(t, srv, func(o *pool.Options) { o.Broken = c.opens })
				c.scenario.Name = "test"
				rec := scenario.Perform(t.Context(), st.Stage, &c.scenario, c.earlier)
				if b := rec.Broken; (b == nil) != (c.broken == "") || b != nil && b.Code != c.broken {
					t.Errorf("got %+v", b)
				}
				if s := rec.Skipped; (s == nil) != (c.skipped == "") || s != nil && s.Code != c.skipped {
					t.Errorf("got %+v", s)
				}
				st.Close()
				synctest.Wait()
				if n := srv.Now.Load(); n != 0 {
					t.Errorf("%d connections are left", n)
				}
			})
		})
	}
}

func TestWalk(t *testing.T) {
	for name, c := range map[string]struct {
		next func(cursor string) string // the rest of the result
		want string
	}{
		"to the end": {func(c string) string {
			return map[string]string{"": `,"nextCursor":"a"`, "a": `,"nextCursor":"b"`}[c]
		}, "3 done"},
		"null":        {func(string) string { return `,"nextCursor":null` }, "1 done"},
		"in a circle": {func(string) string { return `,"nextCursor":"a"` }, "2 cycle"},
		"without end": {func(c string) string { return fmt.Sprintf(`,"nextCursor":%q`, c+"x") }, "5 bound"},
		"to a refusal": {func(c string) string {
			return map[string]string{"": `,"nextCursor":"a"`, "a": "!"}[c]
		}, "2 refused"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t,
					&scenariotest.Server{Script: func(_ int64, m gjson.Result, say func(
						string, ...any)) bool {
						if next := c.next(m.Get("params.cursor").Str); next == "!" {
							say(`{"id":%s,"error":{"code":-32602,"message":"no"}}`, m.Get("id").Raw)
						} else {
							say(`{"id":%s,"result":{"resources":[]%s}}`, m.Get("id").Raw, next)
						}
						return true
					}})
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
					client, _ := p.Clean()
					client.Walk("resources/list", "resources", "page")
				})
				n := len(rec.Exchanges)
				if got := fmt.Sprint(n, " ", rec.Exchanges[n-1].Tags["end"]); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
			})
		})
	}
}
