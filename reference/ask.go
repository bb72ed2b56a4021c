package reference

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/engine"
)

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
