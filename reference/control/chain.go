package control

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// chain is the way through a rule and all that come after it.
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

// kind is where a chain has the way of one kind of message.
type kind[X, R any] func(*chain) *hook.Way[X, R]

func calls(c *chain) *hook.Handler      { return &c.handle }
func messages(c *chain) *hook.Emitter   { return &c.emit }
func input(c *chain) *hook.Receiver     { return &c.receive }
func events(c *chain) *hook.EventWriter { return &c.event }
func requests(c *chain) *way            { return &c.web }

// build makes the way through the rule: each kind of hook acts where the rule
// applies, and lets everything else pass.
func (n *node) build() {
	h := hook.Compared(n.hooks)
	through(n, calls, h.Handle, func(_ context.Context, c *hook.Call) *hook.Trace { return c.Trace })
	through(n, messages, h.Emit, n.ofMessage)
	through(n, input, h.Receive, traceOf)
	through(n, events, h.Event, n.ofEvent)
	web := around(h.HTTP)
	if n.about.Needs.Authorization { // is demanded whether the rule acts or not
		demands, acts := around(hook.RequireBearer().HTTP), web
		web = func(next way) way { return hook.Wrap(acts, demands(next)) }
	}
	through(n, requests, web, traceOf)
}

func traceOf[X any](ctx context.Context, _ X) *hook.Trace { return hook.TraceOf(ctx) }

// through makes the way of one kind of message through a rule, by the trace of the message.
func through[X, R any](
	n *node, k kind[X, R], around func(hook.Way[X, R]) hook.Way[X, R], of hook.Way[X, *hook.Trace],
) {
	pass := k.way(&n.next)
	if *k(&n.own) = pass; around == nil {
		return
	}
	act := around(pass)
	*k(&n.own) = func(ctx context.Context, x X) R {
		if ctx, ok := n.enter(ctx, of(ctx, x)); ok {
			return act(ctx, x)
		}
		return pass(ctx, x)
	}
}

// way is the way of the chain that is there at the time.
func (k kind[X, R]) way(there *atomic.Pointer[chain]) hook.Way[X, R] {
	return func(ctx context.Context, x X) R { return (*k(there.Load()))(ctx, x) }
}

// enters leads what comes to a server into the rules of a set, and what passes them to the server.
func (k kind[X, R]) enters(s *Set) func(hook.Way[X, R]) hook.Way[X, R] {
	return func(next hook.Way[X, R]) hook.Way[X, R] {
		*k(&s.base) = next
		return k.way(&s.head)
	}
}
