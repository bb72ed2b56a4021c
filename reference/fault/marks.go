package fault

import "sync"

// marks remembers strings for a fault that keeps state: one server handles calls side by
// side. The zero value is ready for use.
type marks struct {
	mu  sync.Mutex
	set map[string]bool
}

// add marks a key, and reports whether it was marked before.
func (m *marks) add(key string) (before bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.set == nil {
		m.set = map[string]bool{}
	}
	before = m.set[key]
	m.set[key] = true
	return before
}

// has reports whether a key is marked.
func (m *marks) has(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set[key]
}
