package control

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
)

// Delay holds answers back; see [operation.Delay].
type Delay = operation.Delay

// ParseDelay reads a delay from its text.
func ParseDelay(s string) (*Delay, error) { return operation.ParseDelay(s) }

// dribbling sends everything slowly: JSON answers, events and lines.
func dribbling(rate int64) hook.Hooks {
	return hook.Join(
		onBody(func(r *http.Request, w http.ResponseWriter, p []byte) (int, error) {
			if !hook.Acts(r.Context()) {
				return w.Write(p)
			}
			err := trickle(r.Context(), rate, p, func(part []byte) error { return push(w, part) })
			return len(p), err
		}),
		hook.OnEvent(func(e hook.Streaming) error {
			if !hook.Acts(e) {
				return e.Next()
			}
			return trickle(
				e,
				rate,
				hook.EncodeEvent(e.Event),
				func(part []byte) error { return e.Write(hook.Event{Raw: part, Stream: e.Stream}) },
			)
		}),
		hook.EditMessage(func(m *hook.Message) {
			if m.Transport == hook.Stdio {
				m.Write = func(ctx context.Context, w io.Writer, framed []byte) error {
					return trickle(ctx, rate, framed, func(part []byte) error {
						_, err := w.Write(part)
						return err
					})
				}
			}
		}),
	)
}

// ticks is into how many parts a second's bytes are divided.
const ticks = 20

// trickle writes bytes at the rate.
func trickle(ctx context.Context, rate int64, p []byte, write func([]byte) error) error {
	part := int(max(rate/ticks, 1))
	for len(p) > 0 {
		n := min(part, len(p))
		if err := write(p[:n]); err != nil {
			return err
		}
		if p = p[n:]; len(p) == 0 {
			return nil
		}
		if !hook.Pause(ctx, time.Duration(float64(n)/float64(rate)*float64(time.Second))) {
			return cmp.Or(ctx.Err(), context.Canceled) // or the server has ended
		}
	}
	return nil
}
