package engine

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// exchange is one incoming message (or batch) and the way back for what
// belongs to it. It is the context of all that is done for it.
type exchange struct {
	hook.Traced
	session *session
	in      *incoming
	header  http.Header // nil on stdio
	deliver func(ctx context.Context, m hook.Message) error
	// ended, if not nil, is called once, when nothing more can come.
	ended func()

	held atomic.Bool // open beyond processing: by a listen stream, or because a reply is withheld
	over atomic.Bool
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

func (x *exchange) finish() {
	if !x.over.Swap(true) && x.ended != nil {
		x.ended()
	}
}

// emit sends a message that belongs to a call through the hooks.
func (x *exchange) emit(ctx context.Context, c *hook.Call, m hook.Message) error {
	m.Call, m.Session, m.Transport = c, x.session, x.session.transport
	m.Revision = x.session.Revision()
	if c != nil {
		m.Revision = c.Revision
	}
	return x.session.engine.emitter(ctx, m.To(x.deliver))
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

// visit is what goes with an HTTP request while it is handled. It is its context.
type visit struct {
	hook.Traced
	trace hook.Trace
	entry journal.Entry // of the request
	head  journal.HTTP
	body  readBody
	rec   recorder
	// busy counts a POST as being answered from before it is journalled until its message is counted by itself:
	// who has seen it in the journal may end the server, and it will be answered. It is not counted for longer
	// because its response may be a stream that stays open. It is nil if no answer is due.
	busy atomic.Pointer[atomic.Int64]
	// values are those of the headers of the answer.
	values [2]string
}

type visitKey struct{}

// Value implements context.Context.
func (v *visit) Value(key any) any {
	if key == (visitKey{}) {
		return v
	}
	return v.Traced.Value(key)
}

// visitOf is that of the context of an HTTP request.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// settled says that the message of the request is counted by itself from here on, or that none is left.
func (v *visit) settled() {
	if busy := v.busy.Swap(nil); busy != nil {
		busy.Add(-1)
	}
}
