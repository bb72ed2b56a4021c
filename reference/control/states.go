package control

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// states are the states of scenarios by name. A map that has been stored is never changed.
type states struct {
	mu  sync.Mutex
	now atomic.Pointer[map[string]string]
}

func (s *states) get() map[string]string { return *s.now.Load() }

// set gives scenarios other states.
func (s *states) set(other map[string]string) {
	if len(other) == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	next := maps.Clone(s.get())
	maps.Copy(next, other)
	s.now.Store(&next)
}

// States are the states of the scenarios that have been set, by name.
func (s *Set) States() map[string]string { return maps.Clone(s.states.get()) }

// SetStates gives scenarios other states; those that are not named keep theirs.
func (s *Set) SetStates(other map[string]string) { s.states.set(other) }

// ResetStates forgets the states of all scenarios and sets these.
func (s *Set) ResetStates(initial map[string]string) {
	s.states.mu.Lock()
	s.states.now.Store(&map[string]string{})
	s.states.mu.Unlock()
	s.states.set(initial)
}

// statesAt are the states when a message was first looked at: what one rule does about them shows
// to the others with the next message.
func (n *node) statesAt(t *hook.Trace) map[string]string {
	if n.rule.While == nil && n.rule.Become == nil {
		return nil
	}
	at, _ := t.Once(&n.set.states, func() any { return n.set.states.get() }).(map[string]string)
	return at
}
