package session

import (
	"bytes"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// bar notes whether the first message after the handshake was refused for want of a session id, although it
// had the one that was issued, or none was: then the header is lost on the way, and nothing else that is sent
// says more than that.
func (s *Session) bar(initialized *recording.Exchange) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.barred = s.barred || s.wantsSession(initialized); s.barred {
		s.refuseBarred(initialized)
	}
}

// Barred says, in one sentence, how a target shows that it loses session ids; it is empty if it does not.
func (f *Found) Barred() string {
	for _, s := range f.Open {
		if s.barred {
			return "the first message after a handshake was refused by HTTP 400 about its session"
		}
	}
	return ""
}

// refuseBarred gives an exchange with such a target its outcome; the lock is held.
func (s *Session) refuseBarred(x *recording.Exchange) {
	s.barred = s.barred && (!x.Succeeded() || x.Method == "initialize") // else it was that one message
	if !s.barred || !s.wantsSession(x) {
		return
	}
	x.Outcome, x.Reason = recording.Refused,
		"the target refuses every request after initialize by HTTP 400 about its session, whose id it did "+
			"not issue (Mcp-Session-Id)"
	if s.session != "" {
		x.Reason = "the target refuses every request after initialize by HTTP 400 about its session, " +
			"although the id is sent that it issued (Mcp-Session-Id)"
	}
}

// wantsSession reports whether a message was answered by HTTP 400 that is about a session; the lock is held.
func (s *Session) wantsSession(x *recording.Exchange) bool {
	if s.over != requirement.HTTP || x.Status != http.StatusBadRequest {
		return false
	}
	frames := x.Evidence()
	for i := range s.incoming {
		if f := &s.incoming[i]; slices.Contains(frames, f.Number) && bytes.Contains(bytes.ToLower(f.Raw),
			[]byte("session")) {
			return true
		}
	}
	return false
}
