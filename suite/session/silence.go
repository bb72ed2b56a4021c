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
	mu sync.Mutex
	of map[string]heard
}

// heard is what is known of the requests of one method.
type heard struct {
	unheard  int  // how many of them got no answer
	answered bool // one had a result, or an answer that came late
	inTime   bool // one had a result within the time for one request
	overdue  bool // one was not answered in time in a clean session
}

// note changes what is known of a method.
func (h *Habits) note(method string, change func(*heard)) {
	if h == nil || method == "" {
		return
	}
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	if h.silence.of == nil {
		h.silence.of = map[string]heard{}
	}
	known := h.silence.of[method]
	change(&known)
	h.silence.of[method] = known
}

// known is what is known of a method.
func (h *Habits) known(method string) (known heard) {
	h.note(method, func(all *heard) { known = *all })
	return known
}

// neverAnswered is how many requests of a method are waited for in full that get no answer before it is
// believed that the target answers none of them.
const neverAnswered = 3

// Forget has methods that were never answered waited for in full again, as when they are repeated.
func (h *Habits) Forget() {
	h.silence.mu.Lock()
	defer h.silence.mu.Unlock()
	for method, known := range h.silence.of {
		known.unheard = 0
		h.silence.of[method] = known
	}
}

// noAnswer notes that a request was waited for in full, and whether that was in a clean session.
func (h *Habits) noAnswer(method string, clean bool) {
	h.note(method, func(known *heard) {
		known.unheard++
		known.overdue = known.overdue || clean
	})
}

// hasAnswered notes that a request had a result, or an answer that came late, and which of the two.
func (h *Habits) hasAnswered(method string, inTime bool) {
	h.note(method, func(known *heard) { known.answered, known.inTime = true, known.inTime || inTime })
}

// Overdue reports whether requests of a method are never answered in time, not even in a session in which
// nothing odd was sent: that one is not shows nothing of the session then.
func (s *Session) Overdue(method string) bool {
	known := s.opts.Habits.known(method)
	return known.overdue && !known.inTime
}

// expected is how long an answer is waited for: the whole time, or a part of it where the target has never
// given the method a result, and kept silent to several requests. Scripts ask for many things by one method,
// and a run that waits for each of them spends its time on one defect.
func (h *Habits) expected(method string, whole time.Duration) time.Duration {
	const part = 5
	enough := neverAnswered
	if strings.HasPrefix(method, notifications) {
		enough = 1
	}
	if known := h.known(method); known.answered || known.unheard < enough {
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
