package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Pipe speaks the framing of stdio over an in-process connection: for servers
// that are embedded in the calling program, and for tests. It does no I/O of its
// own and takes time from package time only, so it works inside a
// testing/synctest bubble.
type Pipe struct {
	// Open connects to a server and returns our end. Reads from it are the
	// server's standard output, writes its standard input. If it also has a
	// method CloseWrite() error, Close ends the server's input with it and
	// waits for the end of its output; else Close closes both at once.
	Open   func(context.Context) (io.ReadWriteCloser, error)
	Limits Limits
}

// Transport is stdio: the framing is the same.
func (p *Pipe) Transport() requirement.Transport { return requirement.Stdio }

// Dial opens one connection.
func (p *Pipe) Dial(ctx context.Context, sink Sink) (Conn, error) {
	if p.Open == nil {
		return nil, errors.New("cannot connect in process: no function to open a connection was given")
	}
	rwc, err := p.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot connect in process: %w", err)
	}
	c := &pipeConn{rwc: rwc}
	l := newLine(sink, p.Limits)
	l.exceeded = c.closeStream
	c.stdio = newStdio(l)
	c.start(rwc, rwc)
	c.wg.Go(func() {
		<-c.read
		if c.Err() == nil {
			c.note(channelOut, "the output of the target ended")
		}
		c.finish(errors.New("the target ended its output"))
	})
	return c, nil
}

type pipeConn struct {
	*stdio
	rwc       io.ReadWriteCloser
	closeOnce sync.Once
	once      sync.Once
	ending    Ending
}

func (c *pipeConn) closeStream() {
	c.closeOnce.Do(func() {
		if err := c.rwc.Close(); err != nil && !errors.Is(err, io.ErrClosedPipe) {
			c.note(channelIn, "closing the connection failed: "+err.Error())
		}
	})
}

// Close ends the input, waits, and closes the connection.
func (c *pipeConn) Close(ctx context.Context) Ending {
	c.once.Do(func() { c.ending = c.close(ctx) })
	return c.ending
}

func (c *pipeConn) close(ctx context.Context) Ending {
	begin := time.Now()
	e := c.ended()
	if half, ok := c.rwc.(interface{ CloseWrite() error }); ok && e.Reason == "" {
		e.How = "killed"
		if half.CloseWrite() == nil && waitFor(ctx, c.read, exitWait) {
			e.How = "exited"
		}
	}
	c.cutting("we closed the connection")
	c.finish(ErrClosed)
	c.closeStream()
	c.wait()
	if e.By == "us" {
		e.Took = time.Since(begin)
	}
	return e
}

// waitFor reports whether done is closed before the time is up or the context ends.
func waitFor(ctx context.Context, done <-chan struct{}, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-ctx.Done():
	case <-timer.C:
	}
	return isClosed(done)
}

// isClosed reports whether a channel to which nothing is sent is closed.
func isClosed(done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	default:
		return false
	}
}
