package hook

import (
	"bytes"
	"context"
	"net/http"
	"reflect"
	"sync"
)

// A turn is what a deviation does about one message. It is counted when it acts: when what it lets pass
// differs from what came. Where it must not act, what came passes.
type turn struct {
	may  func() bool // counts the message
	undo []func()

	mu     sync.Mutex
	came   any // the message as it came
	passed bool
	result any // of letting it pass
}

type turnKey struct{}

// WithTurn has hooks that were made by [Compared] ask may whether they may act on the message of the context.
// Nil ends that: they may.
func WithTurn(ctx context.Context, may func() bool) context.Context {
	if may == nil {
		if turnOf(ctx) == nil {
			return ctx
		}
		return context.WithValue(ctx, turnKey{}, (*turn)(nil))
	}
	return context.WithValue(ctx, turnKey{}, &turn{may: may})
}

func turnOf(ctx context.Context) *turn {
	t, _ := ctx.Value(turnKey{}).(*turn)
	return t
}

// acts reports whether the deviation may act.
func (t *turn) acts() bool {
	if t.may() {
		return true
	}
	t.mu.Lock()
	undo := t.undo
	t.undo = nil
	t.mu.Unlock()
	for _, u := range undo {
		u()
	}
	return false
}

// Acts reports whether a deviation may act on the message of the context, and counts it. Only what shows in
// no message that passes has to ask: a wait, an extra message, the end of a connection.
func Acts(ctx context.Context) bool {
	t := turnOf(ctx)
	return t == nil || t.acts()
}

// Undo has a function called if the deviation must not act on the message of the context.
func Undo(ctx context.Context, undo func()) {
	if t := turnOf(ctx); t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.undo = append(t.undo, undo)
	}
}

// Hang waits for the end of the context, or of the server, if the deviation may act.
func Hang(ctx context.Context) {
	if Acts(ctx) {
		select {
		case <-ctx.Done():
		case <-ended(ctx):
		}
	}
}

// Cut breaks off the HTTP connection of the message, if the deviation may act.
func Cut(ctx context.Context) {
	if Acts(ctx) {
		panic(http.ErrAbortHandler)
	}
}

// Send has a session send a message of the deviation's own, if it may act. A client that has gone misses it.
func Send(ctx context.Context, s Session, raw []byte) {
	if Acts(ctx) {
		_ = s.Send(ctx, raw)
	}
}

// Abort ends a session, if the deviation may act.
func Abort(ctx context.Context, s Session) {
	if Acts(ctx) {
		s.Abort()
	}
}

// Compared has hooks act only on the messages on which they may ([WithTurn]). What a hook lets pass,
// withholds or answers is compared with what came, and where that differs it has acted.
func Compared(h Hooks) Hooks {
	h.Handle = compared(h.Handle, comparison[*Call, *Reply]{(*Call).copied, likeCalls, (*Reply).plain, true})
	h.Emit = compared(h.Emit, sends(likeMessages))
	h.Receive = compared(h.Receive, sends(func(a, b Incoming) bool { return bytes.Equal(a.Raw, b.Raw) }))
	h.Event = compared(h.Event, sends(func(a, b Event) bool { return reflect.DeepEqual(a, b) }))
	h.HTTP = comparedHTTP(h.HTTP)
	return h
}

// comparison says how what passes a hook, and what comes back, is compared.
type comparison[X, R any] struct {
	copied func(X) X // which shares nothing that a hook changes
	like   func(a, b X) bool
	plain  func(R) R // in a form that can be compared, and shares nothing
	// further says that what else passes, beside what came, is no act by itself.
	further bool
}

// sends is the comparison of what is sent and has no answer.
func sends[X any](like func(a, b X) bool) comparison[X, error] {
	return comparison[X, error]{same[X], like, same[error], false}
}

func same[T any](v T) T { return v }

// likeMessages reports whether messages are sent alike.
func likeMessages(a, b Message) bool {
	write := func(m Message) uintptr { return reflect.ValueOf(m.Write).Pointer() }
	return write(a) == write(b) && a.Status == b.Status && reflect.DeepEqual(a.Header, b.Header) &&
		bytes.Equal(a.Whole().Raw, b.Whole().Raw)
}

// compared is a hook around what passes a message on.
func compared[X, R any](around func(Way[X, R]) Way[X, R], by comparison[X, R]) func(Way[X, R]) Way[X, R] {
	if around == nil {
		return nil
	}
	return func(next Way[X, R]) Way[X, R] {
		pass := func(ctx context.Context, t *turn, x X) R {
			r := next(WithTurn(ctx, nil), x)
			t.mu.Lock()
			defer t.mu.Unlock()
			t.result = r
			return by.plain(r)
		}
		act := around(func(ctx context.Context, x X) (none R) {
			t := turnOf(ctx)
			if t == nil {
				return next(ctx, x)
			}
			came := t.came.(X)
			switch further := t.passes(); {
			case further && by.further:
				return next(WithTurn(ctx, nil), x)
			case !further && by.like(came, x) || t.acts():
				return pass(ctx, t, x)
			case further:
				return none
			}
			return pass(ctx, t, came)
		})
		return func(ctx context.Context, x X) R {
			t := turnOf(ctx)
			if t == nil {
				return act(ctx, x)
			}
			came := by.copied(x)
			t.came = came
			r := act(ctx, x)
			passed, result := t.state()
			plain, _ := result.(R)
			switch {
			case passed && reflect.DeepEqual(by.plain(r), by.plain(plain)):
				return plain
			case t.acts():
				return r
			case t.passes():
				return plain
			}
			return pass(ctx, t, came)
		}
	}
}

// passes notes that something passes, and reports whether something has before.
func (t *turn) passes() (further bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	further, t.passed = t.passed, true
	return further
}

func (t *turn) state() (passed bool, result any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.passed, t.result
}

func likeCalls(a, b *Call) bool {
	return a.Method == b.Method && bytes.Equal(a.Params, b.Params) && reflect.DeepEqual(a.Header, b.Header)
}

// copied is a call that a hook does not change.
func (c *Call) copied() *Call {
	other := *c
	other.Header = c.Header.Clone()
	return &other
}

// plain is a reply that shares nothing with the other, in the form of decoded JSON.
func (r *Reply) plain() *Reply {
	if r == nil {
		return nil
	}
	p := *r
	p.expand()
	p.Result, _ = Plain(p.Result).(Object)
	p.Error, _ = Plain(p.Error).(Object)
	p.Header = r.Header.Clone()
	return &p
}
