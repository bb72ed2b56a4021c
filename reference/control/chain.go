package control

import (
	"context"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// chain is the way of each kind of message through some rules to the server.
type chain struct {
	handle  hook.Handler
	emit    hook.Emitter
	receive hook.Receiver
	event   hook.EventWriter
	web     way
}

// exchange is an HTTP request and where its response goes.
type exchange struct {
	w http.ResponseWriter
	r *http.Request
}

// way is what HTTP requests pass.
type way = hook.Way[exchange, error]

// serves is an HTTP handler as a way.
func serves(h http.Handler) way {
	return func(ctx context.Context, x exchange) error {
		if ctx != x.r.Context() {
			x.r = x.r.WithContext(ctx)
		}
		h.ServeHTTP(x.w, x.r)
		return nil
	}
}

// handler is a way as an HTTP handler.
func handler(pass way) http.Handler {
	return http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) { _ = pass(r.Context(), exchange{w, r}) },
	)
}

// around is a hook of HTTP as one around a way.
func around(web func(http.Handler) http.Handler) func(way) way {
	if web == nil {
		return nil
	}
	return func(next way) way { return serves(web(handler(next))) }
}

// through is the way through the rule, too: each kind of hook acts where the rule applies, and lets
// everything else pass.
func (n *node) through(next chain) chain {
	h := hook.Compared(n.hooks)
	web := around(h.HTTP)
	if n.Needs.Authorization { // is demanded whether the rule acts or not
		demands, acts := around(hook.RequireBearer().HTTP), web
		web = func(next way) way { return hook.Wrap(acts, demands(next)) }
	}
	return chain{
		pass(n, h.Handle, next.handle, func(_ context.Context, c *hook.Call) *hook.Trace { return c.Trace }),
		pass(n, h.Emit, next.emit, n.ofMessage),
		pass(n, h.Receive, next.receive, traceOf),
		pass(n, h.Event, next.event, n.ofEvent),
		pass(n, web, next.web, traceOf),
	}
}

func traceOf[X any](ctx context.Context, _ X) *hook.Trace { return hook.TraceOf(ctx) }

// pass is the way of one kind of message through a rule, by the trace of the message.
func pass[X, R any](
	n *node, around func(hook.Way[X, R]) hook.Way[X, R], next hook.Way[X, R], of hook.Way[X, *hook.Trace],
) hook.Way[X, R] {
	if around == nil || next == nil {
		return next
	}
	act := around(next)
	return func(ctx context.Context, x X) R {
		if ctx, ok := n.enter(ctx, of(ctx, x)); ok {
			return act(ctx, x)
		}
		return next(ctx, x)
	}
}

// entered leads what comes to a server into the rules of a set, and what passes them to the server.
func entered[X, R any](s *Set, kind func(*chain) *hook.Way[X, R]) func(hook.Way[X, R]) hook.Way[X, R] {
	return func(next hook.Way[X, R]) hook.Way[X, R] {
		s.mu.Lock()
		defer s.mu.Unlock()
		*kind(&s.base) = next
		s.link()
		return func(ctx context.Context, x X) R { return (*kind(s.head.Load()))(ctx, x) }
	}
}
