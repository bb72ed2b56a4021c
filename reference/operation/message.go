package operation

import (
	"context"
	"errors"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// errWithheld ends the way of a message that is not sent.
var errWithheld = errors.New("the message is withheld")

// outgoing is a message on its way out, with what is sent around it.
type outgoing struct {
	hook.Message
	before, after []further
	times         int
	done          []func()
}

// further is another message; apart says that it belongs to no request.
type further struct {
	raw   []byte
	apart bool
}

// emit does what is to be done to a response or notification.
func (pl *plan) emit(ctx context.Context, m hook.Message, next hook.Emitter) error {
	on, method := OnResponse, ""
	switch {
	case m.Kind == hook.Notification:
		on, method = OnNotification, m.Method
	case m.Call != nil:
		method = m.Call.Method
	}
	out := &outgoing{Message: m, times: 1}
	for _, a := range pl.on[on] {
		if a.methods != nil && (on == OnResponse && m.Call == nil || !a.methods.Has(method)) {
			continue
		}
		if err := pl.alter(ctx, a, out); errors.Is(err, errWithheld) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return out.send(ctx, next)
}

func (out *outgoing) send(ctx context.Context, next hook.Emitter) error {
	defer func() {
		for _, done := range out.done {
			done()
		}
	}()
	all := out.before
	for range out.times {
		all = append(all, further{raw: out.Raw})
	}
	for _, one := range append(all, out.after...) {
		switch {
		case !one.apart:
			if err := next(ctx, out.With(one.raw)); err != nil {
				return err
			}
		case out.Session != nil:
			_ = out.Session.Send(ctx, one.raw) // lost without a stream to send it on
		}
	}
	return nil
}

// alter does one operation to a message; that of a batch has several.
func (pl *plan) alter(ctx context.Context, a *action, out *outgoing) error {
	m := out.Message
	modern := hook.Modern(m.Revision)
	if m.Call != nil {
		modern = m.Call.Modern
	}
	v, err := hook.Decode(m.Raw)
	if err != nil {
		return nil //nolint:nilerr // what is no JSON any more is sent as it is
	}
	parts, batch := v.([]any)
	if !batch {
		parts = []any{v}
	}
	changed, selected := false, false
	var last *subject
	for _, part := range parts {
		o, ok := part.(hook.Object)
		if !ok {
			continue
		}
		s := pl.atMessage(&subject{make: func(name string) (any, bool) {
			if name == "request" {
				return about(m.Call)
			}
			v, ok := o[name]
			return v, ok
		}}, m)
		if !a.selects(ctx, s, modern, m.Transport) {
			continue
		}
		selected, last = true, s
		if a.edits() {
			a.edit(s)
			for name := range s.asked {
				if v, kept := s.root[name]; kept && name != "request" {
					o[name] = v
				} else {
					delete(o, name)
				}
			}
			changed = changed || s.changed
		}
	}
	if changed {
		out.Raw = hook.Encode(v)
	}
	if !selected || a.edits() {
		return nil
	}
	return pl.around(ctx, a, last, out)
}

// around does to a message what is not an edit.
func (pl *plan) around(ctx context.Context, a *action, s *subject, out *outgoing) error {
	switch a.verb {
	case "silence":
		return errWithheld
	case "abort":
		if out.Session != nil {
			out.Session.Abort()
		}
		return errWithheld
	case "delay":
		if !pl.pause(ctx, a) {
			return ctx.Err()
		}
	case "repeat":
		out.times = a.Repeat
	case "reorder":
		out.done = append(out.done, pl.reorder(ctx, a, out.Message))
	case "send":
		message, ok := a.expand(s, nil, a.Send)
		switch {
		case !ok || !a.allowed(s):
		case a.After:
			out.after = append(out.after, further{hook.Encode(message), a.Apart})
		default:
			out.before = append(out.before, further{hook.Encode(message), a.Apart})
		}
	case "note":
		a.note(s)
	}
	return nil
}
