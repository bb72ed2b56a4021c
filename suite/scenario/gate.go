package scenario

import (
	"context"
	"runtime"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Gate limits how many processes start at once. Programs that take seconds of
// processor time to start would else slow each other down until none of them
// answers in time, and a target be blamed for what the machine cannot do. A nil
// gate limits nothing.
type Gate struct{ slots chan struct{} }

// NewGate lets as many processes start at once as there are processors, but two
// at least.
func NewGate() *Gate { return &Gate{make(chan struct{}, max(runtime.NumCPU(), 2))} }

// enter waits until one more process may start; the caller calls leave when it has.
func (g *Gate) enter(ctx context.Context) (leave func(), err error) {
	if g == nil {
		return func() {}, nil
	}
	select {
	case g.slots <- struct{}{}:
		return func() { <-g.slots }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// firstSign is how long a process whose script performs the handshake itself counts
// as starting, unless it is heard of before: the script may have other plans.
const firstSign = 2 * time.Second

// start opens a session when the gate lets it.
func (st *Stage) start(ctx context.Context, o session.Options) (*session.Session, error) {
	leave, err := st.Gate.enter(ctx)
	if err != nil {
		return nil, err
	}
	s, err := session.Open(ctx, st.Dialer, o)
	if err != nil || !o.NoHandshake || st.Gate == nil {
		leave()
		return s, err
	}
	go func() {
		defer leave()
		s.Await(ctx, 0, firstSign, func(f *wire.Frame) bool { return f.Dir == wire.In })
	}()
	return s, nil
}
