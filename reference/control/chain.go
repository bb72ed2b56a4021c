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
	if n.hooks.Handle != nil {
		inner := hook.Handler(pass.handle)
		if n.late {
			inner = func(ctx context.Context, c *hook.Call) *hook.Reply { return pass.handle(hook.WithLeave(ctx, nil), c) }
		}
		act := n.hooks.Handler(inner)
		n.own.handle = func(ctx context.Context, c *hook.Call) *hook.Reply {
			if !n.may(c.Trace) {
				return pass.handle(ctx, c)
			}
			if n.late {
				ctx = hook.WithLeave(ctx, func(c *hook.Call) bool { return n.applies(c.Trace) })
			}
			return act(ctx, c)
		}
	}
	if n.hooks.Emit != nil {
		act := n.hooks.Emitter(pass.emit)
		n.own.emit = func(ctx context.Context, m hook.Message) error {
			if n.decides(ctx, m, n.may) {
				return act(ctx, m)
			}
			return pass.emit(ctx, m)
		}
	}
	if h := n.hooks.Receive; h != nil {
		act := h(pass.receive)
		n.own.receive = func(ctx context.Context, in hook.Incoming) {
			if n.applies(hook.TraceOf(ctx)) {
				act(ctx, in)
				return
			}
			pass.receive(ctx, in)
		}
	}
	if h := n.hooks.Event; h != nil {
		act := h(pass.event)
		n.own.event = func(ctx context.Context, e hook.Event) error {
			if n.appliesToEvent(ctx, e) {
				return act(ctx, e)
			}
			return pass.event(ctx, e)
		}
	}
	if h := n.hooks.HTTP; h != nil {
		act := h(http.HandlerFunc(pass.web))
		n.own.web = func(w http.ResponseWriter, r *http.Request) {
			if n.applies(hook.TraceOf(r.Context())) {
				act.ServeHTTP(w, r)
				return
			}
			pass.web(w, r)
		}
	}
}
