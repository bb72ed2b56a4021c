package session

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// silence is what is known, by method, of requests that were waited for in full.
type silence struct {
	mu       sync.Mutex
	unheard  map[string]int  // how many of them got no answer
	answered map[string]bool // that one had a result, or an answer that came late
	inTime   map[string]bool // that one had a result within the time for one request
	overdue  map[string]bool // that one was not answered in time in a clean session
}

// neverAnswered is how many requests of a method are waited for in full that get no answer before it is
// believed that the target answers none of them.
const neverAnswered = 3

// Forget has methods that were never answered waited for in full again, as when they are repeated.
func (h *Habits) Forget() {
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	clear(h.silence.unheard)
}

// noAnswer notes that a request was waited for in full, and whether that was in a clean session.
func (h *Habits) noAnswer(method string, clean bool) {
	if h == nil || method == "" {
		return
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.unheard == nil {
		h.silence.unheard, h.silence.overdue = map[string]int{}, map[string]bool{}
	}
	h.silence.unheard[method]++
	h.silence.overdue[method] = h.silence.overdue[method] || clean
}

// hasAnswered notes that a request had a result, or an answer that came late, and which of the two.
func (h *Habits) hasAnswered(method string, inTime bool) {
	if h == nil || method == "" {
		return
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.answered == nil {
		h.silence.answered, h.silence.inTime = map[string]bool{}, map[string]bool{}
	}
	h.silence.answered[method] = true
	h.silence.inTime[method] = h.silence.inTime[method] || inTime
}

// Overdue reports whether requests of a method are never answered in time, not even in a session in which
// nothing odd was sent: that one is not shows nothing of the session then.
func (s *Session) Overdue(method string) bool {
	h := s.opts.Habits
	if h == nil {
		return false
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	return h.silence.overdue[method] && !h.silence.inTime[method]
}

// expected is how long an answer is waited for: the whole time, or a part of it where the target has never
// given the method a result, and kept silent to several requests. Scripts ask for many things by one method,
// and a run that waits for each of them spends its time on one defect.
func (h *Habits) expected(method string, whole time.Duration) time.Duration {
	const part = 5
	if h == nil || method == "" {
		return whole
	}
	enough := neverAnswered
	if strings.HasPrefix(method, notifications) {
		enough = 1
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.answered[method] || h.silence.unheard[method] < enough {
		return whole
	}
	return whole / part
}

// notifications is how their methods begin.
const notifications = "notifications/"

// AwaitDue waits for n notifications of a method that are due, as [Session.Await] does, and returns how many
// came. Of a target that never sent one when it was due, not even in the whole time, they are waited for in a
// part of it.
func (s *Session) AwaitDue(ctx context.Context, after, n int, method string, whole time.Duration,
	fits func(*wire.Frame) bool) (came int) {
	h := s.opts.Habits
	deadline := time.Now().Add(h.expected(method, whole))
	for came < n {
		f, ok := s.Await(ctx, after, time.Until(deadline), fits)
		if !ok {
			break
		}
		after = f.Number
		came++
	}
	switch {
	case came > 0:
		h.hasAnswered(method, true)
	case n > 0 && ctx.Err() == nil:
		h.noAnswer(method, false)
	}
	return came
}
