package pool

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// A process that ignores the end of its input has to be waited for, up to twice two
// seconds, and a run opens dozens. Nothing that follows depends on its end, so it ends
// beside what is going on: side by side with others, and awaited where only so many may
// stand and at the end of the run.

// exits counts the sessions that are about to end.
type exits struct {
	mu   sync.Mutex
	left int
	none chan struct{} // closed when none is left; nil if nobody waits
}

// begin counts one more; done takes it back.
func (e *exits) begin() (done func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.left++
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.left--; e.left == 0 && e.none != nil {
			close(e.none)
			e.none = nil
		}
	}
}

// wait waits until none is left.
func (e *exits) wait(ctx context.Context) error {
	e.mu.Lock()
	if e.left == 0 {
		e.mu.Unlock()
		return nil
	}
	if e.none == nil {
		e.none = make(chan struct{})
	}
	none := e.none
	e.mu.Unlock()
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// leaving counts the sessions of the pool, or of all that share its limit.
func (p *Pool) leaving() *exits {
	if p.Limit != nil {
		return &p.Limit.exits
	}
	return &p.exits
}

// End closes a session that nobody uses any more, and gives its place back once nothing
// is left of it. It waits for that on HTTP only, where the target is told.
func (p *Pool) End(s *session.Session) {
	known, lendable := p.forget(s)
	if !known {
		return
	}
	if lendable {
		defer p.vacate()
	}
	p.Limit.calm()
	finish := s.Detach()
	done := p.leaving().begin()
	bury := func() {
		defer done()
		if p.Linger != nil {
			p.Linger(s)
		}
		ctx := context.Background()
		if p.Hasten {
			ctx = transport.Briefly(ctx)
		}
		finish(ctx)
		p.Limit.leave(s)
	}
	if !p.OnStdio() {
		bury()
		return
	}
	release, err := p.Ends.acquire(context.Background())
	if err != nil {
		panic(err) // that context has no end
	}
	go func() {
		defer release()
		bury()
	}()
}

// forget takes a session from those that scripts can get. It reports whether it was not
// ended before, and whether it was one of those that are lent.
func (p *Pool) forget(s *session.Session) (known, lendable bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended[s] {
		return false, false
	}
	p.ended[s] = true
	if p.clean == s {
		p.clean = nil
	}
	lendable = p.lent[s]
	delete(p.lent, s)
	if i := slices.Index(p.idle, s); i >= 0 {
		p.idle = slices.Delete(p.idle, i, i+1)
		lendable = true
	}
	return true, lendable
}

// vacate lets another expendable session take the place of one that was ended.
func (p *Pool) vacate() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.probes--
	p.wake()
}
