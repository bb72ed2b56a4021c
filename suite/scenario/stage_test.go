package scenario

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/tidwall/gjson"
)

// mortal dies of the method "die", without a word.
func mortal(n int64, m gjson.Result, say func(string, ...any)) bool {
	return m.Get("method").Str != "die" && lively(n, m, say)
}

func TestExpendableSessionsAreLentOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{script: mortal}
		st := stage(t, srv)
		first, err := st.borrow(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		second, _ := st.borrow(t.Context())
		begin := time.Now()
		time.AfterFunc(3*time.Second, func() { st.giveBack(first) })
		third, err := st.borrow(t.Context())
		if err != nil || third != first || time.Since(begin) != 3*time.Second {
			t.Errorf("got %v after %v, %v", third.ID(), time.Since(begin), err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := st.borrow(ctx); err == nil {
			t.Error("a third session was lent")
		}
		second.Start(t.Context(), session.Request{Method: "die", Notification: true})
		time.Sleep(time.Second)
		st.giveBack(second)
		fresh, err := st.borrow(t.Context())
		if err != nil || fresh == second || !fresh.Alive() {
			t.Errorf("a dead session was lent, or none: %v", err)
		}
		st.giveBack(fresh)
		st.giveBack(third)
		if most := srv.most.Load(); most != 2 {
			t.Errorf("%d connections stood at once", most)
		}
	})
}

func TestSharedSessionIsOpenedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{script: mortal}
		st := stage(t, srv)
		first, _ := st.shared(t.Context())
		if again, _ := st.shared(t.Context()); again != first {
			t.Error("two sessions are shared")
		}
		first.Start(t.Context(), session.Request{Method: "die", Notification: true})
		time.Sleep(time.Second)
		if again, err := st.shared(t.Context()); err != nil || again == first || !again.Alive() {
			t.Errorf("the lost session is still shared: %v", err)
		}
		if all := st.Close(); len(all) != 2 || all[0].Lost == "" || all[1].Lost != "" {
			t.Errorf("got %+v", all)
		}
	})
}

func TestPoolHoldsOverStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{script: mortal}
		pool := NewPool(1)
		one, two := stage(t, srv), stage(t, srv)
		pool.Join(one)
		pool.Join(two)
		for _, st := range []*Stage{one, two, one} {
			rec := perform(t, st, func(ctx context.Context, p *Play) {
				if c, ok := p.Clean(ctx); ok {
					c.Do(ctx, session.Request{Step: "a", Method: "m"})
				}
				if c, ok := p.Expendable(ctx); ok { // takes the place of the clean one
					c.Do(ctx, session.Request{Step: "b", Method: "die"})
				}
			})
			if x := rec.Step("b"); rec.Broken != nil || !rec.Step("a").Succeeded() || x == nil || !x.Fatal {
				t.Errorf("got %+v, %+v", rec.Broken, x)
			}
		}
		begin := time.Now()
		rec := perform(t, two, func(ctx context.Context, p *Play) {
			p.Fresh(ctx, session.Options{})
			p.Fresh(ctx, session.Options{})
		})
		if rec.Broken == nil || rec.Broken.Code != recording.CodeOptedOut || time.Since(begin) != 0 {
			t.Errorf("got %+v after %v", rec.Broken, time.Since(begin))
		}
		one.Close()
		two.Close()
		if srv.most.Load() != 1 || len(pool.slots) != 0 {
			t.Errorf("%d connections stood at once, %d places are taken", srv.most.Load(), len(pool.slots))
		}
	})
}
