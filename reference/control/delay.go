package control

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// maxDelay bounds a single delay, also one that was drawn.
const maxDelay = time.Hour

// Delay holds answers back. Its text is what the command line takes:
//
//	50ms                  always as long ("fixed:50ms" is the same)
//	uniform:10ms-90ms     anything in between, equally likely
//	lognormal:50ms,0.5    median and sigma: mostly short, sometimes very long
//	dribble:1KiB/s        the bytes come at this rate, from the first to the last
//
// The first three pass before a request is acted on; cancelling it ends them.
type Delay struct {
	// Kind is "fixed", "uniform", "lognormal" or "dribble".
	Kind string
	// Min is the fixed time, the lower end or the median; Max the upper end.
	Min, Max time.Duration
	// Sigma is the standard deviation of the logarithm.
	Sigma float64
	// Rate is in bytes a second.
	Rate int64
}

// The kinds of delays.
const (
	KindFixed     = "fixed"
	KindUniform   = "uniform"
	KindLognormal = "lognormal"
	KindDribble   = "dribble"
)

// Fixed is a delay that is always as long.
func Fixed(d time.Duration) *Delay { return &Delay{Kind: KindFixed, Min: d} }

// Uniform is a delay between two times, equally likely.
func Uniform(from, to time.Duration) *Delay { return &Delay{Kind: KindUniform, Min: from, Max: to} }

// Lognormal is a delay with a median and the standard deviation of its logarithm.
func Lognormal(median time.Duration, sigma float64) *Delay {
	return &Delay{Kind: KindLognormal, Min: median, Sigma: sigma}
}

// Dribble sends answers at a rate in bytes a second.
func Dribble(rate int64) *Delay { return &Delay{Kind: KindDribble, Rate: rate} }

func (d *Delay) validate() error {
	switch {
	case d.Kind == KindDribble && (d.Rate < 1 || d.Rate > 1<<40):
		return fmt.Errorf("a dribble needs a rate of at least one byte a second")
	case d.Kind == KindDribble:
		return nil
	case d.Kind != KindFixed && d.Kind != KindUniform && d.Kind != KindLognormal:
		return fmt.Errorf("unknown delay %q: known are fixed, uniform, lognormal and dribble", d.Kind)
	case d.Min < 0 || d.Min > maxDelay || d.Max > maxDelay:
		return fmt.Errorf("a delay must be between 0 and %s", maxDelay)
	case d.Kind == KindUniform && d.Max < d.Min:
		return fmt.Errorf("the delay ends (%s) before it begins (%s)", d.Max, d.Min)
	case math.IsNaN(d.Sigma) || d.Sigma < 0 || d.Sigma > 10:
		return fmt.Errorf("sigma must be between 0 and 10")
	}
	return nil
}

// String is the delay as ParseDelay reads it.
func (d Delay) String() string {
	switch d.Kind {
	case KindFixed:
		return d.Min.String()
	case KindUniform:
		return fmt.Sprintf("uniform:%s-%s", d.Min, d.Max)
	case KindLognormal:
		return fmt.Sprintf("lognormal:%s,%g", d.Min, d.Sigma)
	}
	return fmt.Sprintf("%s:%s/s", d.Kind, size(d.Rate))
}

// MarshalText writes the delay as ParseDelay reads it.
func (d Delay) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a delay as ParseDelay does.
func (d *Delay) UnmarshalText(text []byte) error {
	parsed, err := ParseDelay(string(text))
	if err == nil {
		*d = *parsed
	}
	return err
}

// ParseDelay reads a delay from its text.
func ParseDelay(s string) (*Delay, error) {
	kind, rest, ok := strings.Cut(s, ":")
	if !ok {
		kind, rest = KindFixed, s
	}
	d := &Delay{Kind: kind}
	var err error
	switch kind {
	case KindFixed:
		d.Min, err = time.ParseDuration(rest)
	case KindUniform:
		from, to, found := strings.Cut(rest, "-")
		if !found {
			return nil, fmt.Errorf("delay %q: a uniform delay is written uniform:10ms-90ms", s)
		}
		if d.Min, err = time.ParseDuration(from); err == nil {
			d.Max, err = time.ParseDuration(to)
		}
	case KindLognormal:
		median, sigma, found := strings.Cut(rest, ",")
		if !found {
			return nil, fmt.Errorf("delay %q: a lognormal delay is written lognormal:50ms,0.5", s)
		}
		if d.Min, err = time.ParseDuration(median); err == nil {
			d.Sigma, err = strconv.ParseFloat(sigma, 64)
		}
	case KindDribble:
		number, found := strings.CutSuffix(rest, "/s")
		if !found {
			return nil, fmt.Errorf("delay %q: a rate is written dribble:1KiB/s", s)
		}
		d.Rate, err = parseSize(number)
	}
	if err != nil {
		return nil, fmt.Errorf("delay %q: %w", s, err)
	}
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("delay %q: %w", s, err)
	}
	return d, nil
}

var units = []struct {
	name  string
	bytes int64
}{{"MiB", 1 << 20}, {"KiB", 1 << 10}, {"MB", 1e6}, {"kB", 1e3}, {"B", 1}, {"", 1}}

func parseSize(s string) (int64, error) {
	for _, u := range units {
		number, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(number, 10, 64)
		if err != nil || n > math.MaxInt64/u.bytes {
			break
		}
		return n * u.bytes, nil
	}
	return 0, fmt.Errorf("%q is no number of bytes, as 500B, 1KiB or 2MB are", s)
}

func size(n int64) string {
	for _, u := range units {
		if n >= u.bytes && n%u.bytes == 0 {
			return strconv.FormatInt(n/u.bytes, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10) + "B"
}

// hooks makes the delay happen.
func (d *Delay) hooks(rng *rand.Rand) hook.Hooks {
	if d.Kind == KindDribble {
		return d.dribbling()
	}
	var mu sync.Mutex
	draw := func() time.Duration {
		mu.Lock()
		defer mu.Unlock()
		return d.draw(rng)
	}
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if !c.Notification() && !hook.Pause(ctx, draw()) {
			return &hook.Reply{} // cancelled: nothing is sent
		}
		return next(ctx, c)
	})
}

// draw is how long the next delay is.
func (d *Delay) draw(rng *rand.Rand) time.Duration {
	switch d.Kind {
	case KindUniform:
		return d.Min + time.Duration(rng.Int64N(int64(d.Max-d.Min)+1))
	case KindLognormal:
		return time.Duration(min(float64(d.Min)*math.Exp(d.Sigma*rng.NormFloat64()), float64(maxDelay)))
	}
	return d.Min
}

// dribbling sends everything slowly: JSON answers, events and lines.
func (d *Delay) dribbling() hook.Hooks {
	return hook.Join(
		hook.OnHTTP(func(*http.Request) bool { return true }, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			next.ServeHTTP(&bodyWriter{ResponseWriter: w, write: func(w http.ResponseWriter, p []byte) (int, error) {
				ctx, cancel := alive(r.Context())
				defer cancel()
				err := d.trickle(ctx, p, func(part []byte) error { return push(w, part) })
				return len(p), err
			}}, r)
		}),
		hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
			slow, cancel := alive(ctx)
			defer cancel()
			return d.trickle(slow, eventBytes(e), func(part []byte) error { return next(ctx, hook.Event{Raw: part, Stream: e.Stream}) })
		}),
		hook.OnMessage(func(m hook.Message) bool { return m.Transport == hook.Stdio }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
			m.Write = func(ctx context.Context, w io.Writer, framed []byte) error {
				return d.trickle(ctx, framed, func(part []byte) error {
					_, err := w.Write(part)
					return err
				})
			}
			return next(ctx, m)
		}),
	)
}

// ticks is into how many parts a second's bytes are divided.
const ticks = 20

// trickle writes bytes at the rate.
func (d *Delay) trickle(ctx context.Context, p []byte, write func([]byte) error) error {
	part := int(max(d.Rate/ticks, 1))
	for len(p) > 0 {
		n := min(part, len(p))
		if err := write(p[:n]); err != nil {
			return err
		}
		if p = p[n:]; len(p) == 0 {
			return nil
		}
		if !hook.Pause(ctx, time.Duration(float64(n)/float64(d.Rate)*float64(time.Second))) {
			return ctx.Err()
		}
	}
	return nil
}
