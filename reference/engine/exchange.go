package engine

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// exchange is one incoming message (or batch) and the way back for what
// belongs to it. It is the context of all that is done for it.
type exchange struct {
	hook.Traced
	*session
	in     *incoming
	header http.Header // nil on stdio
	stream *stream     // of a POST over Streamable HTTP: what belongs to it goes there
	held   atomic.Bool // open beyond processing: by a listen stream, or because a reply is withheld
}

type exchangeKey struct{}

// Value implements context.Context.
func (x *exchange) Value(key any) any {
	if key == (exchangeKey{}) {
		return x
	}
	return x.Traced.Value(key)
}

// exchangeOf finds the exchange that a call belongs to.
func exchangeOf(ctx context.Context) *exchange {
	x, _ := ctx.Value(exchangeKey{}).(*exchange)
	return x
}

// finish says that nothing more can come.
func (x *exchange) finish() {
	if x.stream != nil {
		x.stream.finish()
	}
}

// emit sends a message that belongs to a call through the hooks.
func (x *exchange) emit(ctx context.Context, c *hook.Call, m hook.Message) error {
	m.Call, m.Session, m.Transport = c, x.session, x.transport
	m.Revision = x.Revision()
	if c != nil {
		m.Revision = c.Revision
	}
	deliver := x.deliver
	if x.stream != nil {
		deliver = x.stream.push
	}
	return x.engine.emitter(ctx, m.To(deliver))
}

// count counts a message as being answered, before the goroutine that answers it may
// have got its turn.
func (s *session) count() {
	s.engine.busy.Add(1)
	s.busy.Add(1)
}

func (s *session) uncount() {
	s.busy.Add(-1)
	s.engine.busy.Add(-1)
}
