package hook

import (
	"context"
	"time"
)

// Pause waits for a while; false says that the context ended before. No time at all is no
// wait.
func Pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
