package session

import (
	"context"
	"errors"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Hand gives the connection of a session away: the first session that is opened by the dialer begins on it,
// and has all that comes from then on. Nothing may be under way.
func (s *Session) Hand() transport.Dialer { return handed{s} }

type handed struct{ from *Session }

func (h handed) Transport() requirement.Transport { return h.from.over }

func (h handed) Dial(_ context.Context, sink transport.Sink) (transport.Conn, error) {
	s := h.from
	if !s.Alive() {
		return nil, errors.New("the connection has ended")
	}
	s.heir.Store(&sink)
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.end()
	s.rec.Complete()
	return s.conn, nil
}
