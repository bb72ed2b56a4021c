package session

import "time"

// Pace is how long the answers of the session have taken so far: the first one, in which the start
// of a process may be, and the longest of all others. It is 0 where there was none.
func (s *Session) Pace() (first, longest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.took, s.longest
}

// slowly is what each answer takes of a target that answers slowly, however busy the machine is.
const slowly = 300 * time.Millisecond

// Slow reports whether the target answers slowly: several answers have taken long, and none was quick.
func (s *Session) Slow() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.slow && s.longest > 0
}
