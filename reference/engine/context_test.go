package engine

import (
	"context"
	"runtime"
	"testing"
	"time"
)

// A lazy context ends like any other: by itself, with what it is made of, and for what is made
// of it, whether that is waited for before or after. Nothing takes a goroutine.
func TestLazyContext(t *testing.T) {
	type key struct{}
	for name, end := range map[string]func(parent context.CancelFunc, c *lazyContext){
		"itself": func(_ context.CancelFunc, c *lazyContext) { c.cancel() },
		"parent": func(parent context.CancelFunc, _ *lazyContext) { parent() },
	} {
		for _, before := range []bool{true, false} {
			parent, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "v"))
			c := &lazyContext{Context: &lazyContext{Context: parent}}
			goroutines := runtime.NumGoroutine()
			derived := context.Context(c)
			if before {
				var stop context.CancelFunc
				derived, stop = context.WithTimeout(c, time.Hour)
				defer stop()
			}
			if c.Err() != nil || derived.Err() != nil || derived.Value(key{}) != "v" {
				t.Errorf("%s: it has ended, or lost its value", name)
			}
			end(cancel, c)
			<-derived.Done()
			<-c.Done()
			if c.Err() != context.Canceled || derived.Err() != context.Canceled ||
				context.Cause(derived) != context.Canceled || c.Value(key{}) != "v" {
				t.Errorf("%s, waited for before: %t: %v, %v", name, before, c.Err(), derived.Err())
			}
			if n := runtime.NumGoroutine(); n > goroutines {
				t.Errorf("%s: %d goroutines, and %d before", name, n, goroutines)
			}
			cancel()
		}
	}
}
