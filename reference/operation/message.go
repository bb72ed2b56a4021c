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
	if err := pl.alter(m, on, method, &m.Message, p); err == errWithheld {
		p.times = 0
	} else if err != nil {
		return err
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

// alter does what is to be done to a message; that of a batch has several in it.
func (pl *plan) alter(ctx context.Context, on, method string, m *hook.Message, p *passage) error {
	if !slices.ContainsFunc(pl.on[on], func(a *action) bool { return a.concerns(method) }) {
		return nil // most messages need not be decoded
	}
	v, err := hook.Decode(m.Raw)
	if err != nil {
		return nil //nolint:nilerr // what is no JSON is sent as it is
	}
	parts, batch := v.([]any)
	if !batch {
		parts = []any{v}
	}
	var subjects []*subject
	for _, part := range parts {
		if o, ok := part.(hook.Object); ok {
			o[raw] = string(m.Raw)
			if session, ok := sessionOf(m.Session); ok {
				o["session"] = session
			}
			s := &subject{place: pl.ofMessage(*m), root: o}
			if m.Call != nil {
				s.request = requestOf(m.Call)
			}
			subjects = append(subjects, s)
		}
	}
	for _, a := range pl.on[on] {
		var last *subject
		for _, s := range subjects {
			if !a.selects(ctx, method, s) {
				continue
			}
			if last = s; a.edits() {
				a.edit(s)
			}
		}
		if last != nil && !a.edits() {
			if err := pl.do(ctx, a, last, p); err != nil {
				return err
			}
		}
	}
	changed, written := false, ""
	for _, s := range subjects {
		if s.changed[raw] {
			written = textOf(s.root[raw])
		}
		delete(s.root, raw)
		delete(s.root, "session")
		changed = changed || s.changed != nil
	}
	if written != "" {
		m.Raw = []byte(written)
	} else if changed {
		m.Raw = hook.Encode(v)
	}
	return nil
}
