package schema

import (
	"hash/maphash"
	"sync"
)

// memory knows texts again, by hashes of 128 bits. It is safe for concurrent use.
type memory struct {
	seeds [2]maphash.Seed
	mu    sync.Mutex
	known map[[2]uint64]bool
}

// remembered is how many texts are remembered; then it begins anew.
const remembered = 1 << 16

func newMemory() memory {
	return memory{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, known: map[[2]uint64]bool{}}
}

func (m *memory) key(texts []string) (key [2]uint64) {
	for i, seed := range m.seeds {
		var h maphash.Hash
		h.SetSeed(seed)
		for _, text := range texts {
			_, _ = h.WriteString(text) // it never fails
			_ = h.WriteByte(0)
		}
		key[i] = h.Sum64()
	}
	return key
}

func (m *memory) has(texts ...string) bool {
	key := m.key(texts)
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.known[key]
}

func (m *memory) add(texts ...string) {
	key := m.key(texts)
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.known) >= remembered {
		clear(m.known)
	}
	m.known[key] = true
}
