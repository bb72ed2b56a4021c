package session

import (
	"sync"
	"time"
)

// silence is what is known, by method, of requests that were waited for in full.
type silence struct {
	mu       sync.Mutex
	unheard  map[string]int  // how many of them got no answer
	answered map[string]bool // that one had a result, or an answer that came late
}

// neverAnswered is how many requests of a method are waited for in full that get no answer before it is believed that the target answers none of them.
const neverAnswered = 3

// Forget has methods that were never answered waited for in full again, as when they are repeated.
func (h *Habits) Forget() {
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	clear(h.silence.unheard)
}

// noAnswer notes that a request was waited for in full.
func (h *Habits) noAnswer(method string) {
	if h == nil || method == "" {
		return
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.unheard == nil {
		h.silence.unheard = map[string]int{}
	}
	h.silence.unheard[method]++
}

// hasAnswered notes that a request had a result, or an answer that came late.
func (h *Habits) hasAnswered(method string) {
	if h == nil || method == "" {
		return
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.answered == nil {
		h.silence.answered = map[string]bool{}
	}
	h.silence.answered[method] = true
}

// expected is how long an answer is waited for: the whole time, or a part of it where the target has never given the method a result, and kept silent to several requests. Scripts ask
// for many things by one method, and a run that waits for each of them spends its time on one defect.
func (h *Habits) expected(method string, whole time.Duration) time.Duration {
	const part = 5
	if h == nil || method == "" {
		return whole
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.answered[method] || h.silence.unheard[method] < neverAnswered {
		return whole
	}
	return whole / part
}
