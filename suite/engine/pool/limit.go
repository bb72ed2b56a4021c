package pool

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Limit limits how many connections to one endpoint stand at once, over all its
// pools: the copies of some programs fight over a port or a lock file. Scenarios
// take turns, so that a session which no script holds can be closed to make room
// for another. A nil limit limits nothing.
type Limit struct {
	slots Semaphore // one per connection that stands; nil if only turns are taken
	turn  Semaphore // held while a scenario has its turn
	turns atomic.Int64
	exits exits // those that are about to end, and hold their place until they have

	// Settle is how long a connection stands after its last message, and how long its
	// place stays empty then; see [session.Settle].
	Settle time.Duration
	// Why is how the target shows that it allows no more connections; empty if the target file says so.
	Why string

	beside sync.Map // sessions that stand beside the one that is allowed, and hold no place

	mu    sync.Mutex
	pools []*Pool
	freed time.Time // when the last connection was closed
}

// Connections allows that many connections; nil, which limits nothing, if n is 0.
func Connections(n int) *Limit {
	if n <= 0 {
		return nil
	}
	return &Limit{slots: make(Semaphore, n), turn: make(Semaphore, 1)}
}

// Turns allows any number of connections, but lets no more stand than the scenario
// whose turn it is has asked for.
func Turns() *Limit { return &Limit{turn: make(Semaphore, 1)} }

// join adds a pool, whose sessions may be closed to make room.
func (l *Limit) join(p *Pool) {
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.pools = append(l.pools, p)
	}
}

// Turn waits for the turn of a scenario; the caller ends it with done.
func (l *Limit) Turn() (done func()) {
	if l == nil {
		return func() {}
	}
	l.turn <- struct{}{}
	l.turns.Add(1)
	return func() { <-l.turn }
}

// shown reports whether the target has shown the limit. It has borne a session too many once.
func (l *Limit) shown() bool { return l != nil && l.Why != "" }

// OneByOne reports whether connections stand for one scenario at a time.
func (l *Limit) OneByOne() bool { return l != nil && l.slots == nil }

// take takes a place for a connection: one that is free, that of a session which is
// about to end, or if need be that of a shared session. As scenarios take turns, nobody
// else will give a place back.
func (l *Limit) take(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if l.slots == nil {
		return l.evict(ctx)
	}
	free := func(context.Context) error { return nil }
	for _, room := range []func(context.Context) error{free, l.exits.wait, l.evict} {
		if err := room(ctx); err != nil {
			return err
		}
		select {
		case l.slots <- struct{}{}:
			return l.settle(ctx)
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
	}
	if l.Why != "" {
		return &session.OpenError{Code: recording.CodeOptedOut,
			Reason: "the target keeps one session at a time, and the script needs one more: " + l.Why}
	}
	return &session.OpenError{Code: recording.CodeOptedOut,
		Reason: fmt.Sprintf("the target file allows no more than %d at once (instances), and the script "+
			"needs one more", cap(l.slots))}
}

// calm waits until what was sent has reached the target, before the connection ends.
func (l *Limit) calm() {
	if l != nil && l.Settle > 0 {
		time.Sleep(l.Settle)
	}
}

// settle waits until the target can have noticed that the last connection was closed. If
// the context ends before, the place is given back.
func (l *Limit) settle(ctx context.Context) error {
	l.mu.Lock()
	wait := l.Settle - time.Since(l.freed)
	l.mu.Unlock()
	if wait <= 0 {
		return nil
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		<-l.slots
		return context.Cause(ctx)
	}
}

// evict closes the sessions that scripts share, side by side, and waits until
// nothing is left of them. Where only turns are taken, it spares the one that was shared
// in this turn.
func (l *Limit) evict(ctx context.Context) error {
	l.mu.Lock()
	pools := slices.Clone(l.pools)
	l.mu.Unlock()
	var wg sync.WaitGroup
	for _, p := range pools {
		wg.Go(func() { p.evict(l.OneByOne()) })
	}
	wg.Wait()
	return l.exits.wait(ctx)
}

// leave gives the place of a session back.
func (l *Limit) leave(s *session.Session) {
	if l != nil {
		if _, beside := l.beside.LoadAndDelete(s); !beside {
			l.release()
		}
	}
}

// release gives a place back.
func (l *Limit) release() {
	if l != nil && l.slots != nil {
		l.mu.Lock()
		l.freed = time.Now()
		l.mu.Unlock()
		<-l.slots
	}
}
