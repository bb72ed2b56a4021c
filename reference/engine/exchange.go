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
	session *session
	in      *incoming
	header  http.Header // nil on stdio
	stream  *stream     // of a POST over Streamable HTTP: what belongs to it goes there, and not to its session
	held    atomic.Bool // open beyond processing: by a listen stream, or because a reply is withheld
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

// settle ends the exchange after processing, unless something keeps it open.
func (x *exchange) settle() {
	if !x.held.Load() {
		x.finish()
	}
}

// finish says that nothing more can come.
func (x *exchange) finish() {
	if x.stream != nil {
		x.stream.finish()
	}
}

// emit sends a message that belongs to a call through the hooks.
func (x *exchange) emit(ctx context.Context, c *hook.Call, m hook.Message) error {
	m.Call, m.Session, m.Transport = c, x.session, x.session.transport
	m.Revision = x.session.Revision()
	if c != nil {
		m.Revision = c.Revision
	}
	deliver := x.session.deliver
	if x.stream != nil {
		deliver = x.stream.push
	}
	return x.session.engine.emitter(ctx, m.To(deliver))
}

// count counts a message as being answered, before the goroutine that answers it may
// have got its turn.
func (e *Engine) count(s *session) {
	e.busy.Add(1)
	s.busy.Add(1)
}

func (e *Engine) uncount(s *session) {
	s.busy.Add(-1)
	e.busy.Add(-1)
}
