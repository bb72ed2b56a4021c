package operation

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/bytesize"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
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

// Validate says what is wrong with the delay; nil if it can be used.
func (d *Delay) Validate() error {
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
	return fmt.Sprintf("%s:%s/s", d.Kind, bytesize.Format(d.Rate))
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
		if d.Min, err = nearest.Duration(rest); err != nil {
			return nil, fmt.Errorf("delay %w", err)
		}
	case KindUniform:
		from, to, found := strings.Cut(rest, "-")
		if !found {
			err = errors.New("a uniform delay is written uniform:10ms-90ms")
		} else if d.Min, err = nearest.Duration(from); err == nil {
			d.Max, err = nearest.Duration(to)
		}
	case KindLognormal:
		median, sigma, found := strings.Cut(rest, ",")
		if !found {
			err = errors.New("a lognormal delay is written lognormal:50ms,0.5")
		} else if d.Min, err = nearest.Duration(median); err == nil {
			d.Sigma, err = strconv.ParseFloat(sigma, 64)
		}
	case KindDribble:
		if number, found := strings.CutSuffix(rest, "/s"); found {
			d.Rate, err = bytesize.Parse(number)
		} else {
			err = errors.New("a rate is written dribble:1KiB/s")
		}
	}
	if err == nil {
		err = d.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("delay %q: %w", s, err)
	}
	return d, nil
}

// Draw is how long the next delay is.
func (d *Delay) Draw(rng *rand.Rand) time.Duration {
	switch d.Kind {
	case KindUniform:
		return d.Min + time.Duration(rng.Int64N(int64(d.Max-d.Min)+1))
	case KindLognormal:
		return time.Duration(min(float64(d.Min)*math.Exp(d.Sigma*rng.NormFloat64()), float64(maxDelay)))
	}
	return d.Min
}
