package session

import (
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// anonymous handles a response without an id, on a channel that all messages share. It answers a probe, if
// one is under way: its id may not have been readable. Otherwise it can only be told whose it is if a single
// answer is awaited.
func (s *Session) anonymous(f *wire.Frame, m *wire.Message) {
	if p := s.probing(true); p != nil {
		p.attach(f, m)
		return
	}
	failed := !m.Get("result").Exists()
	awaiting := s.awaiting()
	if failed {
		awaiting = slices.DeleteFunc(awaiting, func(p *Pending) bool { return p.listening })
	}
	switch {
	case len(awaiting) == 1:
		awaiting[0].doubt(f, m)
	case len(awaiting) > 1 && failed:
		s.disputed(*f, awaiting)
	}
}

// doubtTime is how long the proper answer to a request may follow a response
// without its id.
const doubtTime = time.Second

// doubt takes a response without the id of a request for its answer, unless the proper one
// follows soon: it may as well be an illegal answer to a notification, or to nothing at
// all. Whoever answered under another id once is believed at once from then on, so that a
// session with such a target takes no longer than others, as long as it does so; not on the event
// stream of HTTP+SSE, where the id may be one of a caller's own, in another session.
func (p *Pending) doubt(f *wire.Frame, m *wire.Message) {
	id := m.Get("id")
	named := id.Exists() && id.Type != gjson.Null && f.Channel != streamSSE
	switch {
	case named && p.s.renames:
		p.attach(f, m)
		return
	case id.Value() == nil && !m.Get("result").Exists() && p.s.losesIDs():
		p.attach(f, m)
		return
	}
	frame := *f
	believe := func() {
		if !p.completed && len(p.x.Replies) == 0 {
			p.s.renames = p.s.renames || named
			p.s.nameless = p.s.nameless || id.Value() == nil && !m.Get("result").Exists() && !p.s.crowded
			p.attach(&frame, m)
		}
	}
	if named && p.doubtful == nil {
		p.doubtful = believe
	}
	time.AfterFunc(min(doubtTime, p.timeout()/2), func() {
		p.s.mu.Lock()
		defer p.s.mu.Unlock()
		believe()
	})
}

// believe takes what came under another id for the answer, as nothing can follow any more.
func (p *Pending) believe() {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	if p.doubtful != nil {
		p.doubtful()
	}
}

// disputed handles an error without an id that may answer any of several requests. Those that get their own
// answers soon did not ask for it. Of the others it cannot be told: they are given up, and sent again by
// [Session.Do], one at a time.
func (s *Session) disputed(f wire.Frame, askers []*Pending) {
	time.AfterFunc(min(doubtTime, askers[0].timeout()/2), func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		left := recording.Keep(askers, func(p *Pending) bool {
			return p.q.again && len(p.x.Replies) == 0 && (p.disputed || !p.completed)
		})
		for i, p := range left {
			if i == 0 {
				p.x.Others = append(p.x.Others, f.Number)
			}
			p.disputed = true
			p.once.Do(func() { close(p.done) })
		}
		s.nameless = s.nameless || len(left) > 0 && !s.crowded
	})
}

func (p *Pending) inDispute() bool {
	p.s.mu.Lock()
	defer p.s.mu.Unlock()
	return p.disputed
}

// mostDisputes is how often a message is sent again because of them.
const mostDisputes = 3

// disputedReason is why a request was given up whose answer cannot be told from those to others.
const disputedReason = "an error without an id came, and cannot be told to be the answer to this request " +
	"or to another one that was under way"

// losesIDs reports whether errors without an id are believed at once to answer the request that is awaited:
// the target was seen to answer so, and nothing was sent in the session that it may have been unable to read.
func (s *Session) losesIDs() bool {
	return s.nameless && time.Since(s.garbled) > 2*doubtTime && !s.crowded
}

// disproved notes that an exchange which was answered already has another answer: if the first one had no id
// it was that of something else.
func (s *Session) disproved(x *recording.Exchange) {
	s.nameless = s.nameless && (len(x.Replies) == 0 || x.Message().Get("id").Value() != nil)
}
