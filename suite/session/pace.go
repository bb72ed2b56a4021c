package session

import (
	"context"
	"sync"
	"time"
)

// Paced spaces messages out evenly, so many a second over all sessions that have it as their
// limiter. It is nil, which limits nothing, if the rate is not above 0.
func Paced(rate float64) func(context.Context) error {
	if !(rate > 0) { // no number is no limit, either
		return nil
	}
	const slowest = time.Hour
	every := time.Duration(min(float64(time.Second)/rate, float64(slowest)))
	var mu sync.Mutex
	var next time.Time
	return func(ctx context.Context) error {
		mu.Lock()
		wait := max(time.Until(next), 0)
		next = time.Now().Add(wait + every)
		mu.Unlock()
		if wait == 0 {
			return nil
		}
		select {
		case <-time.After(wait):
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
