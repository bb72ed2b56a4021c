package scenario

import (
	"context"
	"fmt"
	"sync"

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

	mu     sync.Mutex
	stages []*Stage
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
		l.evict()
	}
	return func() { <-l.turn }
}

// take takes a place for a connection, if need be that of a shared session. There
// is no waiting: as scenarios take turns, nobody else will give a place back.
func (l *Pool) take(ctx context.Context) error {
	if l == nil || l.slots == nil {
		return nil
	}
	for _, room := range []func(){func() {}, l.evict} {
		room()
		select {
		case l.slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		default:
		}
	}
	return &session.OpenError{Code: recording.CodeOptedOut,
		Reason: fmt.Sprintf("the target file allows %d instances at once, and the script needs one more", cap(l.slots))}
}

// evict closes the sessions that the stages share.
func (l *Pool) evict() {
	l.mu.Lock()
	stages := append([]*Stage(nil), l.stages...)
	l.mu.Unlock()
	for _, st := range stages {
		st.evict()
	}
}

// release gives a place back.
func (l *Pool) release() {
	if l != nil && l.slots != nil {
		<-l.slots
	}
}
