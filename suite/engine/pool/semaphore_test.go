package pool_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

func TestStarts(t *testing.T) {
	for name, c := range map[string]struct {
		options session.Options
		talks   bool          // whether the script says something at once
		took    time.Duration // until the last one stands
	}{
		"handshakes": {session.Options{Kind: recording.Clean}, false, 15 * time.Second},
		"without, mute": {session.Options{Kind: recording.Probe, NoHandshake: true}, false,
			2 * pool.FirstSign},
		"without, spoken": {session.Options{Kind: recording.Probe, NoHandshake: true}, true, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				busy := &scenariotest.Server{Script: scenariotest.Lively, Greeting: 5 * time.Second}
				st := scenariotest.Stage(t, busy,
					func(o *pool.Options) { o.Starts = make(pool.Semaphore, 2) })
				begin := time.Now()
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) {
					var wg sync.WaitGroup
					for range 6 {
						wg.Go(func() {
							client, ok := p.Fresh(c.options)
							if ok && c.talks {
								client.S.Do(p, session.Request{Step: "ping", Method: "ping"})
							}
						})
					}
					wg.Wait()
				})
				if took := time.Since(begin); took != c.took || rec.Broken != nil {
					t.Errorf("took %v: %+v", took, rec.Broken)
				}
			})
		})
	}
	t.Run("the end of a run", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		st := scenariotest.Stage(t, &scenariotest.Server{Script: scenariotest.Lively}, func(o *pool.Options) {
			o.Starts = make(pool.Semaphore, 1)
			o.Starts <- struct{}{}
		})
		cancel()
		if _, err := st.Open(ctx, session.Options{}); err == nil {
			t.Error("a process is started in a run that is over")
		}
	})
}

// TestLostHandshakes: a handshake that is not answered is tried once more, unless the
// target is a process of ours, which has all the time it needs to start.
func TestLostHandshakes(t *testing.T) {
	for name, c := range map[string]struct {
		owned bool
		mute  int64 // connections on which nothing is answered
		opens bool
		took  time.Duration
		again int
	}{
		"none is lost":         {false, 0, true, 0, 0},
		"one is lost":          {false, 1, true, 30 * time.Second, 1},
		"all are lost":         {false, 9, false, 60 * time.Second, 1},
		"a process that hangs": {true, 1, false, 30 * time.Second, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t, &scenariotest.Server{Script: scenariotest.Lively, Mute: c.mute})
				st.Facts.Owned = c.owned
				begin := time.Now()
				rec := scenariotest.Perform(t, st, func(p *scenario.Play) { p.Fresh(session.Options{}) })
				if took := time.Since(begin); took != c.took || (rec.Broken == nil) != c.opens {
					t.Errorf("took %v: %+v", took, rec.Broken)
				}
				again := st.Retried()
				if len(again) != c.again {
					t.Fatalf("%d handshakes were tried again: %+v", len(again), again)
				}
				for _, h := range again {
					if h.First.Outcome != recording.Silent || h.Second.Succeeded() != c.opens ||
						len(h.First.Evidence()) == 0 || len(h.Second.Evidence()) == 0 {
						t.Errorf("first %+v, second %+v", h.First, h.Second)
					}
				}
			})
		})
	}
}
