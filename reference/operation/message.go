package operation

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// emit does what is to be done to a response or notification.
func (pl *plan) emit(m hook.Sending) error {
	on, method := OnResponse, ""
	switch {
	case m.Kind == hook.Notification:
		on, method = OnNotification, m.Method
	case m.Call != nil:
		method = m.Call.Method
	}
	var before, after []further
	p := &passage{session: m.Session, times: 1, send: func(a *action, raw []byte) {
		if one := (further{raw, a.Apart}); a.After {
			after = append(after, one)
		} else {
			before = append(before, one)
		}
	}}
	for _, a := range pl.on[on] {
		if a.methods != nil && (on == OnResponse && m.Call == nil || !a.methods.Has(method)) {
			continue
		}
		if err := pl.alter(m, a, &m.Message, p); err == errWithheld {
			return nil
		} else if err != nil {
			return err
		}
	}
	defer func() {
		for _, done := range p.done {
			done()
		}
	}()
	all := append(before, slices.Repeat([]further{{raw: m.Raw}}, p.times)...)
	for _, one := range append(all, after...) {
		if !one.apart {
			if err := m.Send(m.With(one.raw)); err != nil {
				return err
			}
		} else if m.Session != nil {
			hook.Send(m, m.Session, one.raw)
		}
	}
	return nil
}

// further is another message; apart says that it belongs to no request.
type further struct {
	raw   []byte
	apart bool
}

// alter does one operation to a message; that of a batch has several.
func (pl *plan) alter(ctx context.Context, a *action, m *hook.Message, p *passage) error {
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
		}}, *m)
		if !a.selects(ctx, s, modern, m.Transport) {
			continue
		}
		if selected, last = true, s; !a.edits() {
			continue
		}
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
	if changed {
		m.Raw = hook.Encode(v)
	}
	if !selected || a.edits() {
		return nil
	}
	return pl.do(ctx, a, last, p)
}
