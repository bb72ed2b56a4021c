package scenario

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Pool limits how many connections to one endpoint stand at once, over all its
// stages: the copies of some programs fight over a port or a lock file. Scenarios
// on its stages take turns, so that a session which no script holds can be closed
// to make room for another. A nil pool limits nothing.
type Pool struct {
	slots chan struct{} // one per connection that stands; nil if only turns are taken
	turn  chan struct{} // holds a value while a scenario has its turn
	exits exits         // those that are about to end, and hold their place until they have

	// Settle is how long a connection stands after its last message, and how long its
	// place stays empty then; see [session.Settle].
	Settle time.Duration

	mu     sync.Mutex
	stages []*Stage
	freed  time.Time // when the last connection was closed
}

// NewPool allows that many connections; nil, which limits nothing, if n is 0.
func NewPool(n int) *Pool {
	if n <= 0 {
		return nil
	}
	return &Pool{slots: make(chan struct{}, n), turn: make(chan struct{}, 1)}
}

// NewTurns allows any number of connections, but lets no more stand than the scenario
// whose turn it is has asked for.
func NewTurns() *Pool { return &Pool{turn: make(chan struct{}, 1)} }

// Join adds a stage, whose sessions may be closed to make room.
func (l *Pool) Join(st *Stage) {
	st.Pool = l
	if l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.stages = append(l.stages, st)
	}
}

// Turn waits for the turn of a scenario; the caller ends it with done.
func (l *Pool) Turn() (done func()) {
	if l == nil {
		return func() {}
	}
	l.turn <- struct{}{}
	if l.slots == nil {
		// Whatever ends does so: a context without an end cannot keep us from it.
		_ = l.evict(context.Background())
	}
	return func() { <-l.turn }
}

// take takes a place for a connection: one that is free, that of a session which is
// about to end, or if need be that of a shared session. As scenarios take turns, nobody
// else will give a place back.
func (l *Pool) take(ctx context.Context) error {
	if l == nil {
		return nil
	}
	if l.slots == nil {
		return l.exits.wait(ctx)
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
	return &session.OpenError{Code: recording.CodeOptedOut,
		Reason: fmt.Sprintf("the target file allows %d instances at once, and the script needs one more", cap(l.slots))}
}

// calm waits until what was sent has reached the target, before the connection ends.
func (l *Pool) calm() {
	if l != nil && l.Settle > 0 {
		time.Sleep(l.Settle)
	}
}

// settle waits until the target can have noticed that the last connection was closed. If
// the context ends before, the place is given back.
func (l *Pool) settle(ctx context.Context) error {
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

// evict closes the sessions that the stages share, side by side, and waits until
// nothing is left of them.
func (l *Pool) evict(ctx context.Context) error {
	l.mu.Lock()
	stages := append([]*Stage(nil), l.stages...)
	l.mu.Unlock()
	var wg sync.WaitGroup
	for _, st := range stages {
		wg.Go(st.evict)
	}
	wg.Wait()
	return l.exits.wait(ctx)
}

// release gives a place back.
func (l *Pool) release() {
	if l != nil && l.slots != nil {
		l.mu.Lock()
		l.freed = time.Now()
		l.mu.Unlock()
		<-l.slots
	}
}
