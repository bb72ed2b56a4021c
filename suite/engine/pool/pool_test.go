package pool_test

import (
	"context"
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

// mortal dies of the method "die", without a word.
func mortal(n int64, m gjson.Result, say func(string, ...any)) bool {
	return m.Get("method").Str != "die" && scenariotest.Lively(n, m, say)
}

func TestExpendableSessionsAreLentOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		st := scenariotest.Stage(t, srv)
		first, _, err := st.Borrow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, _, _ := st.Borrow(t.Context())
		begin := time.Now()
		time.AfterFunc(3*time.Second, func() { st.GiveBack(first) })
		third, _, err := st.Borrow(t.Context())
		if err != nil || third != first || time.Since(begin) != 3*time.Second {
			t.Errorf("got %v after %v, %v", third.ID(), time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, _, err := st.Borrow(ctx); err == nil {
			t.Error("a third session was lent")
		}
		second.Start(t.Context(), session.Request{Method: "die", Notification: true})
		time.Sleep(time.Second)
		st.GiveBack(second)
		fresh, _, err := st.Borrow(t.Context())
		if err != nil || fresh == second || !fresh.Alive() {
			t.Errorf("a dead session was lent, or none: %v", err)
		}
		st.GiveBack(fresh)
		st.GiveBack(third)
		if most := srv.Most.Load(); most != 2 {
			t.Errorf("%d connections stood at once", most)
		}
	})
}

// TestSlowTargetsGetMore: up to the number that is enough, and not where a single answer was quick.
func TestSlowTargetsGetMore(t *testing.T) {
	for _, quick := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			answers := 0
			srv := &scenariotest.Server{Script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
				if answers++; !quick || answers != 2 {
					time.Sleep(300 * time.Millisecond)
				}
				return mortal(n, m, say)
			}}
			st := scenariotest.Stage(t, srv)
			st.Limits.Probes, st.Probes = 1, 2
			clean, _ := st.Shared(t.Context())
			for range 3 {
				clean.Do(t.Context(), session.Request{Method: "ping"})
			}
			var lent []*session.Session
			for {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				s, _, err := st.Borrow(ctx)
				if err != nil {
					break
				}
				lent = append(lent, s)
			}
			if (len(lent) == 2) == quick || len(lent) > 2 {
				t.Errorf("%d sessions of a target that answers quickly once: %t", len(lent), quick)
			}
			for _, s := range lent {
				if st.GiveBack(s); !s.Alive() {
					t.Error("one more than at first is not kept")
				}
			}
		})
	}
}

func TestSharedSessionIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		st := scenariotest.Stage(t, srv)
		first, _ := st.Shared(t.Context())
		if again, _ := st.Shared(t.Context()); again != first {
			t.Error("two sessions are shared")
		}
		first.Start(t.Context(), session.Request{Method: "die", Notification: true})
		time.Sleep(time.Second)
		if again, err := st.Shared(t.Context()); err != nil || again == first || !again.Alive() {
			t.Errorf("the lost session is still shared: %v", err)
		}
		if all := st.Close(); len(all) != 2 || all[0].Lost == "" || all[1].Lost != "" {
			t.Errorf("got %+v", all)
		}
	})
}

func TestLimitHoldsOverPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		limit := pool.Connections(1)
		limited := func(o *pool.Options) { o.Limit = limit }
		one, two := scenariotest.Stage(t, srv, limited), scenariotest.Stage(t, srv, limited)
		for _, st := range []*pool.Pool{one, two, one} {
			rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
				if c, ok := p.Clean(); ok {
					c.Do(session.Request{Step: "a", Method: "m"})
				}
				if c, ok := p.Expendable(); ok { // takes the place of the clean one
					c.Do(session.Request{Step: "b", Method: "die"})
				}
			})
			if x := rec.Step("b"); rec.Broken != nil || !rec.Step("a").Succeeded() || x == nil || !x.Fatal {
				t.Errorf("got %+v, %+v", rec.Broken, x)
			}
		}
		begin := time.Now()
		rec := scenariotest.Perform(t, two, func(p *scenario.Play) {
			p.Fresh(session.Options{})
			p.Fresh(session.Options{})
		})
		if rec.Broken == nil || rec.Broken.Code != recording.CodeOptedOut || time.Since(begin) != 0 {
			t.Errorf("got %+v after %v", rec.Broken, time.Since(begin))
		}
		one.Close()
		two.Close()
		if srv.Most.Load() != 1 || limit.Taken() != 0 {
			t.Errorf("%d connections stood at once, %d places are taken", srv.Most.Load(), limit.Taken())
		}
	})
}

// TestTurns: where scenarios take turns, a session goes on from one to the next, but makes
// room when another one is opened that it is not needed beside.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		limit := pool.Turns()
		one, two := scenariotest.Stage(t, srv, func(o *pool.Options) { o.Limit = limit }),
			scenariotest.Stage(t, srv, func(o *pool.Options) { o.Limit = limit })
		clean := func(p *scenario.Play) { p.Clean() }
		probe := func(p *scenario.Play) { p.Expendable() }
		both := func(p *scenario.Play) { clean(p); probe(p) }
		for i, c := range []struct {
			stage       *pool.Pool
			script      func(*scenario.Play)
			conns, most int64 // so far
		}{
			{one, clean, 1, 1}, {one, clean, 1, 1}, {one, probe, 2, 1}, {one, probe, 2, 1},
			{two, probe, 3, 1},
			{two, clean, 4, 1}, {one, clean, 5, 1}, {one, both, 6, 2}, {one, both, 6, 2},
		} {
			done := limit.Turn()
			scenariotest.Perform(t, c.stage, c.script)
			done()
			if conns, most := srv.Conns.Load(), srv.Most.Load(); conns != c.conns || most != c.most {
				t.Errorf("after script %d there were %d connections, and %d at once", i, conns, most)
			}
		}
	})
}

// TestRenewedSessionsAreLentOn: the session that takes the place of a lost one is no script's
// own, so that a target which survives costs no more processes than it lost.
func TestRenewedSessionsAreLentOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		st := scenariotest.Stage(t, srv)
		st.Limits.Probes = 1
		lost, _, _ := st.Borrow(t.Context())
		lost.Start(t.Context(), session.Request{Method: "die", Notification: true})
		time.Sleep(time.Second)
		fresh, err := st.Renew(t.Context(), lost)
		if err != nil || fresh == lost {
			t.Fatal(err)
		}
		second, _ := st.Renew(t.Context(), lost) // of another client in the same session
		st.GiveBack(second)
		st.GiveBack(fresh)
		next, _, err := st.Borrow(t.Context())
		if err != nil || next != fresh || second.Alive() || srv.Conns.Load() != 3 {
			t.Errorf("%v, %d connections", err, srv.Conns.Load())
		}
		st.GiveBack(next)
	})
}

// TestLeftSessionsAreTakenOver: each script has its part of the session in its recording, and
// one that nobody takes over is closed in the end.
func TestLeftSessionsAreTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		st := scenariotest.Stage(t, srv)
		play := func(method string, leave bool) (*recording.Recording, bool) {
			var used bool
			rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
				var c *scenario.Client
				c, used, _ = p.GoOn(session.Options{})
				c.Do(session.Request{Step: "a", Method: method})
				if leave {
					c.Leave()
				}
			})
			return rec, used
		}
		first, used := play("m", true)
		second, usedAgain := play("m", true)
		if used || !usedAgain || first.Sessions[0] != second.Sessions[0] || srv.Conns.Load() != 1 {
			t.Fatalf("%d connections", srv.Conns.Load())
		}
		id := first.Sessions[0].ID
		for _, f := range st.Transcript.Session(id) {
			if a, b := first.Parts[id].Holds(f.Number), second.Parts[id].Holds(f.Number); a == b {
				t.Errorf("frame %d: %t and %t", f.Number, a, b)
			}
		}
		if own := second.Step("a").Request; !second.Parts[id].Holds(own) {
			t.Errorf("frame %d is not in the recording", own)
		}
		play("die", true) // ends the session, twice: the one of its own as well
		if last, _ := play("m", true); last.Sessions[0] == first.Sessions[0] || !last.Step("a").Succeeded() {
			t.Error("a dead session was taken over")
		}
		st.Close()
		synctest.Wait()
		if n := srv.Now.Load(); n != 0 {
			t.Errorf("%d connections are left", n)
		}
	})
}

// TestOpeningSessionsAreLent: the session that an opening script leaves is lent before another is opened.
func TestOpeningSessionsAreLent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &scenariotest.Server{Script: mortal}
		st := scenariotest.Stage(t, srv)
		left, err := st.Open(t.Context(), session.Options{Kind: recording.Clean})
		if err != nil {
			t.Fatal(err)
		}
		st.Leave(left, scenario.Opening)
		for _, mine := range []bool{true, false} {
			s, used, err := st.Borrow(t.Context())
			if err != nil || used != mine || (s == left) != mine || s.Kind() != recording.Probe {
				t.Errorf("lent %s, used %t, %v", s.ID(), used, err)
			}
			defer st.GiveBack(s)
		}
	})
}
