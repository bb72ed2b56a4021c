package control

import (
	"context"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// chain is the way through a rule and all that come after it.
type chain struct {
	handle  hook.Handler
	emit    hook.Emitter
	receive hook.Receiver
	event   hook.EventWriter
	web     func(w http.ResponseWriter, r *http.Request)
}

// ways are the rules to which messages come next, by what these act on: a rule that does not act on something is not
// on its way.
type ways struct{ handle, emit, receive, event, web *chain }

// before are the ways with a rule before them.
func (w *ways) before(n *node) *ways {
	next := *w
	for _, one := range []struct {
		acts bool
		way  **chain
	}{
		{n.hooks.Handle != nil, &next.handle}, {n.hooks.Emit != nil, &next.emit}, {n.hooks.Receive != nil, &next.receive},
		{n.hooks.Event != nil, &next.event}, {n.hooks.HTTP != nil, &next.web},
	} {
		if one.acts {
			*one.way = &n.own
		}
	}
	return &next
}

// build makes the way through the rule: each kind of hook acts where the rule
// applies, and lets everything else pass.
func (n *node) build() {
	n.own = chain{
		handle:  func(ctx context.Context, c *hook.Call) *hook.Reply { return n.next.Load().handle.handle(ctx, c) },
		emit:    func(ctx context.Context, m hook.Message) error { return n.next.Load().emit.emit(ctx, m) },
		receive: func(ctx context.Context, in hook.Incoming) { n.next.Load().receive.receive(ctx, in) },
		event:   func(ctx context.Context, e hook.Event) error { return n.next.Load().event.event(ctx, e) },
		web:     func(w http.ResponseWriter, r *http.Request) { n.next.Load().web.web(w, r) },
	}
	pass := n.own
	// What comes after the rule asks on its own account, or not at all.
	if n.hooks.Handle != nil {
		act := n.hooks.Handler(func(ctx context.Context, c *hook.Call) *hook.Reply { return pass.handle(hook.WithLeave(ctx, nil), c) })
		n.own.handle = func(ctx context.Context, c *hook.Call) *hook.Reply {
			if !n.may(c.Trace) {
				return pass.handle(ctx, c)
			}
			return act(n.asking(ctx, func() bool { return n.applies(c.Trace) }), c)
		}
	}
	if n.hooks.Emit != nil {
		act := n.hooks.Emitter(func(ctx context.Context, m hook.Message) error { return pass.emit(hook.WithLeave(ctx, nil), m) })
		n.own.emit = func(ctx context.Context, m hook.Message) error {
			if !n.sends(ctx, m, n.may) {
				return pass.emit(ctx, m)
			}
			return act(n.asking(ctx, func() bool { return n.sends(ctx, m, n.applies) }), m)
		}
	}
	if h := n.hooks.Receive; h != nil {
		act := h(func(ctx context.Context, in hook.Incoming) { pass.receive(hook.WithLeave(ctx, nil), in) })
		n.own.receive = func(ctx context.Context, in hook.Incoming) {
			if t := hook.TraceOf(ctx); n.may(t) {
				act(n.asking(ctx, func() bool { return n.applies(t) }), in)
				return
			}
			pass.receive(ctx, in)
		}
	}
	if h := n.hooks.Event; h != nil {
		act := h(func(ctx context.Context, e hook.Event) error { return pass.event(hook.WithLeave(ctx, nil), e) })
		n.own.event = func(ctx context.Context, e hook.Event) error {
			if !n.writes(ctx, e, n.may) {
				return pass.event(ctx, e)
			}
			return act(n.asking(ctx, func() bool { return n.writes(ctx, e, n.applies) }), e)
		}
	}
	if h := n.hooks.HTTP; h != nil {
		act := h(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { pass.web(w, within(r, hook.WithLeave(r.Context(), nil))) }))
		n.own.web = func(w http.ResponseWriter, r *http.Request) {
			if t := hook.TraceOf(r.Context()); n.may(t) {
				act.ServeHTTP(w, within(r, n.asking(r.Context(), func() bool { return n.applies(t) })))
				return
			}
			pass.web(w, r)
		}
	}
}

// within is a request in a context.
func within(r *http.Request, ctx context.Context) *http.Request {
	if ctx == r.Context() {
		return r
	}
	return r.WithContext(ctx)
}
