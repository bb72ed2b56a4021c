package reference

import (
	"context"
	"errors"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Session describes an open session.
type Session = engine.SessionInfo

// Health says how a server fares.
type Health struct {
	// Status is "ok", or "closed" once the server has ended.
	Status    string    `json:"status"`
	World     string    `json:"world"`
	Since     time.Time `json:"since"`
	Sessions  int       `json:"sessions"`
	Resources int       `json:"resources"`
	Templates int       `json:"templates"`
	Rules     int       `json:"rules"`
	// Journal is the newest number in the journal, JournalLost how many entries
	// it no longer has, JournalError why its file is no longer written.
	Journal      uint64 `json:"journal"`
	JournalLost  uint64 `json:"journalLost,omitempty"`
	JournalError string `json:"journalError,omitempty"`
}

var errClosed = errors.New("the server is closed")

// Journal is the journal of the server.
func (s *Server) Journal() *journal.Journal { return s.journal }

// Update changes a resource: change gets a copy of it. It reports whether there is
// such a resource, and sends the notifications that are due. The error is that of
// change, or says why the result cannot be served.
func (s *Server) Update(uri string, change func(r *Resource) error) (found bool, err error) {
	return s.engine.Update(uri, change)
}

// Patch applies a JSON merge patch to a resource, see world.MergeResource. It
// reports whether there is such a resource.
func (s *Server) Patch(uri string, patch []byte) (found bool, err error) {
	return s.engine.Update(uri, func(r *Resource) error {
		merged, err := world.MergeResource(*r, patch)
		if err == nil {
			*r = s.resolved(merged)
		}
		return err
	})
}

// Change puts and removes resources at once: clients are told of a changed list once,
// and of each resource that was there and is replaced.
func (s *Server) Change(put []Resource, remove []string) error { return s.engine.Change(put, remove) }

// PutTemplate adds a template at the end of the list, or replaces the one with the
// same URI template, and sends list_changed.
func (s *Server) PutTemplate(t Template) error { return s.engine.PutTemplate(t) }

// RemoveTemplate takes a template away, sends list_changed, and reports whether
// there was one.
func (s *Server) RemoveTemplate(uriTemplate string) bool { return s.engine.RemoveTemplate(uriTemplate) }

// World is a copy of the world as it is now.
func (s *Server) World() World { return s.engine.World() }

// Reset brings back the world, the rules and the timeline with which the server
// began; counts begin anew. Connections, subscriptions and the journal stay, and clients are
// told what is different for them.
func (s *Server) Reset() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended() {
		return errClosed
	}
	s.life.Lock()
	s.timeline()
	s.life.Unlock()
	s.rules.Clear()
	s.rules.ResetStates(s.pristine.States)
	if s.within == "" { // tokens are shared with namespaces
		s.options.Guard.Renew()
	}
	s.doors.Shut(0)
	if err := s.engine.SetRevisions(s.options.Revisions); err != nil {
		return err
	}
	if err := s.rules.Start(s.initial); err != nil {
		return err
	}
	err := s.engine.Replace(s.overlay(), s.pageSize)
	s.play()
	return err
}

// Sessions lists the open sessions, oldest first.
func (s *Server) Sessions() []Session { return s.engine.Sessions() }

// EndSession ends a session, as a server may at any time, and reports whether there
// was one.
func (s *Server) EndSession(id string) bool { return s.engine.EndSession(id) }

// PageSize is the number of entries on a page, from the options or the world; 0 if all are on one.
func (s *Server) PageSize() int { return s.engine.PageSize() }

// Health says how the server fares.
func (s *Server) Health() Health {
	h := Health{
		Status: "ok", World: s.pristine.Name, Since: s.engine.Since(), Sessions: len(s.engine.Sessions()),
		Rules: len(s.rules.List()), Journal: s.journal.Last(), JournalLost: s.journal.Lost(),
	}
	h.Resources, h.Templates = s.engine.Counts()
	if s.engine.Closed() {
		h.Status = "closed"
	}
	if err := s.journal.Err(); err != nil {
		h.JournalError = err.Error()
	}
	return h
}

// ended reports whether the server has been closed.
func (s *Server) ended() bool {
	s.life.Lock()
	defer s.life.Unlock()
	return s.closed
}

// Ask is a request of the server's to a client, Answer what the client says to it.
type (
	Ask    = engine.Ask
	Answer = engine.Answer
)

// Why a client cannot be asked; the errors of [Server.Ask] wrap one of them, or say that the
// context has ended.
var (
	ErrNoSession = engine.ErrNoSession
	ErrNotAsked  = engine.ErrNotAsked
)

// Ask sends a request of the server's, a ping say, to the client of a session of a
// revision with a handshake, and waits for the answer. Both are in the journal.
func (s *Server) Ask(ctx context.Context, session string, a Ask) (Answer, error) {
	return s.engine.Ask(ctx, session, a)
}
