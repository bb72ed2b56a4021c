package pool

import (
	"context"
	"runtime"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Semaphore is a channel with a place for each of those that do something at once; one
// that is nil limits nothing.
type Semaphore chan struct{}

// Starts lets as many processes start at once as there are processors, but two at least.
// Programs that take seconds of processor time to start would else slow each other down
// until none of them answers in time, and a target be blamed for what the machine cannot
// do.
func Starts() Semaphore { return make(Semaphore, max(runtime.NumCPU(), 2)) }

// Ends lets some processes end at once, and has those that end one more wait: each
// takes up memory until it is gone.
func Ends() Semaphore { return make(Semaphore, max(4*runtime.NumCPU(), 16)) }

// acquire waits for a place; release gives it back.
func (s Semaphore) acquire(ctx context.Context) (release func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// pause gives the place of the caller to another one until it resumes.
func (s Semaphore) pause() (resume func()) {
	if s == nil {
		return func() {}
	}
	<-s
	return func() { s <- struct{}{} }
}

// firstSign is how long a process whose script performs the handshake itself counts
// as starting, unless it is heard of before: the script may have other plans.
const firstSign = 2 * time.Second

// start opens a session when one more process may start.
func (p *Pool) start(ctx context.Context, o session.Options) (*session.Session, error) {
	release, err := p.Starts.acquire(ctx)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(ctx, p.Dialer, o)
	if err != nil || !o.NoHandshake || p.Starts == nil {
		release()
		return s, err
	}
	go func() {
		defer release()
		s.Await(ctx, 0, firstSign, func(f *wire.Frame) bool { return f.Dir == wire.In })
	}()
	return s, nil
}
