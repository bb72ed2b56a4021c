package pool_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// stayers is a dialer of processes that ignore the end of their input.
type stayers struct {
	transport.Dialer
	mu        sync.Mutex
	now, most int   // those that are about to end, and the most at once
	brief     int   // how many of them were not waited for in full
	standing  int   // all that have not ended
	stood     []int // how many others stood whenever one was started
}

const lingerTime = 2 * time.Second

func (d *stayers) count(change func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	change()
	d.most = max(d.most, d.now)
}

func (d *stayers) Dial(ctx context.Context, sink transport.Sink) (transport.Conn, error) {
	c, err := d.Dialer.Dial(ctx, sink)
	d.count(func() { d.stood = append(d.stood, d.standing); d.standing++ })
	return &stayer{c, d}, err
}

type stayer struct {
	transport.Conn
	d *stayers
}

func (c *stayer) Close(ctx context.Context) transport.Ending {
	wait := lingerTime
	c.d.count(func() { c.d.now++ })
	if transport.IsBrief(ctx) {
		wait = time.Second / 4
		c.d.count(func() { c.d.brief++ })
	}
	time.Sleep(wait)
	c.Conn.Close(ctx)
	c.d.count(func() { c.d.now--; c.d.standing-- })
	return transport.Ending{By: "us", How: "terminated", Took: wait}
}

// stays is a stage in front of processes that ignore the end of their input.
func stays(t *testing.T, change ...func(*pool.Options)) (*pool.Pool, *stayers) {
	d := &stayers{}
	st := scenariotest.Stage(t, &scenariotest.Server{Script: scenariotest.Lively}, func(o *pool.Options) {
		d.Dialer, o.Dialer = o.Dialer, d
		for _, f := range change {
			f(o)
		}
	})
	return st, d
}

// opens is a script that opens some sessions of its own beside the shared one.
func opens(n int) func(*scenario.Play) {
	return func(p *scenario.Play) {
		p.Clean()
		for range n {
			p.Fresh(session.Options{})
		}
	}
}

// TestNobodyWaitsForProcessesThatStay: scenarios go on while the processes of earlier ones
// end, and the stage is closed when the last one has.
func TestNobodyWaitsForProcessesThatStay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, d := stays(t)
		begin := time.Now()
		var all []*recording.Session
		for range 5 {
			all = append(all, scenariotest.Perform(t, st, opens(2)).Sessions...)
		}
		if took := time.Since(begin); took != 0 {
			t.Errorf("the scenarios took %v", took)
		}
		all = append(all, st.Close()...)
		if took := time.Since(begin); took != lingerTime || len(all) != 11 {
			t.Errorf("all was over after %v, with %d sessions", took, len(all))
		}
		for _, s := range all {
			if s.Ending == nil || s.Ending.Took != lingerTime || s.Closed == 0 {
				t.Errorf("%+v", s)
			}
		}
		if d.most != 11 || d.standing != 0 || d.brief != 0 {
			t.Errorf("%d ended at once, %d are left, %d were not waited for in full", d.most, d.standing,
				d.brief)
		}
	})
}

// TestExit: no more processes end at once than there is room for.
func TestExit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, d := stays(t, func(o *pool.Options) { o.Ends = make(pool.Semaphore, 3) })
		begin := time.Now()
		scenariotest.Perform(t, st, opens(5))
		st.Close()
		if took := time.Since(begin); took != 2*lingerTime || d.most != 3 || d.standing != 0 {
			t.Errorf("it took %v, %d ended at once, %d are left", took, d.most, d.standing)
		}
	})
}

// TestPlacesOfProcessesThatStay: a process keeps its place until it is gone, those of one
// script end side by side, and where they are hastened none is waited for in full.
func TestPlacesOfProcessesThatStay(t *testing.T) {
	connections := func(n int) func() *pool.Limit { return func() *pool.Limit { return pool.Connections(n) } }
	for name, c := range map[string]struct {
		limit func() *pool.Limit // channels belong to the bubble in which they are made
		opens int                // by each script, beside the shared session
		stood []int              // how many others stood whenever one was started
		took  time.Duration      // four scripts and the end
		brief int                // how many were not waited for in full
	}{
		"one at a time": {connections(1), 0, []int{0}, lingerTime, 0},
		"two at a time": {connections(2), 1, []int{0, 1, 1, 1, 1}, 4 * lingerTime, 0},
		"hastened":      {connections(2), 1, []int{0, 1, 1, 1, 1}, 4 * lingerTime / 8, 5},
		"one by one":    {pool.Turns, 0, []int{0}, lingerTime, 0},
		"scenario-wise": {pool.Turns, 1, []int{0, 1, 1, 1, 1}, 4 * lingerTime, 0},
		"side by side": {pool.Turns, 3, []int{0, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3}, 4 * lingerTime / 8,
			13},
		"with no limits": {func() *pool.Limit { return nil }, 1, []int{0, 1, 2, 3, 4}, lingerTime, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				limit := c.limit()
				st, d := stays(t, func(o *pool.Options) { o.Limit, o.Hasten = limit, c.brief > 0 })
				begin := time.Now()
				for range 4 {
					done := limit.Turn()
					if rec := scenariotest.Perform(t, st, opens(c.opens)); rec.Broken != nil {
						t.Errorf("%+v", rec.Broken)
					}
					done()
				}
				st.Close()
				if took := time.Since(begin); took != c.took || !slices.Equal(d.stood, c.stood) ||
					d.brief != c.brief || d.standing != 0 {
					t.Errorf("it took %v, %v stood, %d were not waited for in full, %d are left", took,
						d.stood, d.brief, d.standing)
				}
			})
		})
	}
}

// TestEndOfTheRunWhileProcessesEnd: whoever waits for a place is let go when the run ends.
func TestEndOfTheRunWhileProcessesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		st, _ := stays(t, func(o *pool.Options) { o.Limit = pool.Connections(1) })
		scenariotest.Perform(t, st, func(p *scenario.Play) { p.Fresh(session.Options{}) })
		ctx, cancel := context.WithTimeout(t.Context(), lingerTime/2)
		defer cancel()
		begin := time.Now()
		if _, err := st.Open(ctx, session.Options{}); err == nil || time.Since(begin) != lingerTime/2 {
			t.Errorf("%v after %v", err, time.Since(begin))
		}
		st.Close()
	})
}
