package session

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// turn waits until nothing else is awaited by [Session.Do], if it is for a message that is sent again, or
// where the target takes one message of a session at a time or its errors cannot be told apart otherwise.
// What it returns ends the turn.
func (s *Session) turn(ctx context.Context, q Request, again bool) (done func()) {
	if q.NoAwait || q.Step == recording.StepPrompt || q.Notification || !isPost(q) {
		return func() {}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	alone := again || s.nameless && s.over != requirement.HTTP || s.conflicts && s.session != ""
	if alone {
		s.alone++
	}
	for ctx.Err() == nil && (alone && s.doing > 0 || !alone && s.alone > 0) {
		s.awaitFreed(ctx, nil)
	}
	// What was not sent by Do may be waited for by nobody.
	for end := time.After(doubtTime); alone && s.over == requirement.HTTP && ctx.Err() == nil &&
		slices.ContainsFunc(s.pending, (*Pending).underWay); {
		if !s.awaitFreed(ctx, end) {
			break
		}
	}
	s.doing++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.doing--
		if alone {
			s.alone--
		}
		s.free()
	}
}

// awaitFreed waits, without the lock that is held, until a message is done; it returns false if something
// else came first.
func (s *Session) awaitFreed(ctx context.Context, end <-chan time.Time) bool {
	freed := s.freed
	s.mu.Unlock()
	defer s.mu.Lock()
	select {
	case <-freed:
		return true
	case <-end:
	case <-ctx.Done():
	}
	return false
}

// free tells those who wait for their turn to look again; the lock is held.
func (s *Session) free() {
	close(s.freed)
	s.freed = make(chan struct{})
}

// isPost reports whether a request is sent by POST, where it is sent over HTTP.
func isPost(q Request) bool { return q.HTTPMethod == "" || q.HTTPMethod == http.MethodPost }

func (p *Pending) underWay() bool { return !p.completed && isPost(p.q) }

// meet notes which messages are under way together with one that is about to be sent; the lock is held.
func (s *Session) meet(p *Pending) {
	if !isPost(p.q) {
		return
	}
	for _, q := range s.pending {
		if isPost(q.q) {
			p.met, q.met = true, true
		}
	}
}

// conflicted reports whether a message was refused because another one of the same session was under way: by
// HTTP 409, which no transport page has. The lock is held.
func (p *Pending) conflicted(x *recording.Exchange) bool {
	return x.Status == http.StatusConflict && isPost(p.q) && p.s.session != "" && (p.met || p.s.conflicts)
}

// conflictReason says why a message was refused.
const conflictReason = "the target answered HTTP 409 while another message of the session was under way"

// solitary notes, of a message that was sent again because it was refused while others were under way,
// whether the target took it.
func (s *Session) solitary(x *recording.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conflicts = s.conflicts || x.Status != 0 && x.Status != http.StatusConflict
}

// Turns is how many messages were sent in the session so far.
func (s *Session) Turns() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns
}
