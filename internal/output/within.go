package output

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// leastTime is how long a report may be written, however late the run has ended.
const leastTime = 10 * time.Second

// Within bounds how long write may take: until a time, or for ten seconds if that is later. What
// takes longer is given up with an error, and nothing more of it is written. Nothing is bounded
// if the time is zero.
func Within(until time.Time, write func(io.Writer) error) func(io.Writer) error {
	if until.IsZero() {
		return write
	}
	return func(w io.Writer) error {
		g := &gate{w: w}
		written := make(chan error, 1)
		go func() { written <- write(g) }()
		wait := max(time.Until(until), leastTime)
		select {
		case err := <-written:
			return err
		case <-time.After(wait):
			g.close()
			return fmt.Errorf("it took more than %s, and the time for the whole run is spent (--budget)",
				wait)
		}
	}
}

// gate is a writer that can be closed while somebody writes.
type gate struct {
	mu     sync.Mutex
	w      io.Writer
	closed bool
}

func (g *gate) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return 0, os.ErrClosed
	}
	return g.w.Write(p)
}

func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
}
