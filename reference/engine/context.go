package engine

import (
	"context"
	"sync"
)

// lazyContext is a context that can be cancelled. Most are not waited for: it is tied to the one
// that it is made of when somebody waits, and not before.
type lazyContext struct {
	context.Context // what it is made of

	mu      sync.Mutex
	stopped bool
	tied    context.Context // nil if nobody has waited
	stop    context.CancelFunc
}

// Done implements context.Context.
func (c *lazyContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tied == nil {
		c.tied, c.stop = context.WithCancel(c.Context)
		if c.stopped {
			c.stop()
		}
	}
	return c.tied.Done()
}

// Err implements context.Context.
func (c *lazyContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return context.Canceled
	}
	return c.Context.Err()
}

// Value implements context.Context. Package context asks in this way what a context that it
// derives from this one is to be tied to.
func (c *lazyContext) Value(key any) any {
	c.mu.Lock()
	ctx := c.tied
	c.mu.Unlock()
	if ctx == nil {
		ctx = c.Context
	}
	return ctx.Value(key)
}

// cancel ends the context.
func (c *lazyContext) cancel() {
	c.mu.Lock()
	c.stopped = true
	stop := c.stop
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}
