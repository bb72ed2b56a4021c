package engine

import (
	"context"
	"io"
	"sync"
)

// pipeCapacity bounds what one side of a Pipe may have written before the other
// reads it.
const pipeCapacity = 4 << 20

// buffer is one direction of a Pipe: a bounded queue of bytes. Unlike io.Pipe it
// lets the writer go on before the reader comes.
type buffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	data    []byte
	closed  bool
}

func newBuffer() *buffer {
	b := &buffer{}
	b.changed = sync.NewCond(&b.mu)
	return b
}

func (b *buffer) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for len(b.data) == 0 && !b.closed {
		b.changed.Wait()
	}
	if len(b.data) == 0 {
		return 0, io.EOF
	}
	n := copy(p, b.data)
	b.data = b.data[n:]
	if len(b.data) == 0 {
		b.data = nil
	}
	b.changed.Broadcast()
	return n, nil
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	written := 0
	for written < len(p) {
		for len(b.data) >= pipeCapacity && !b.closed {
			b.changed.Wait()
		}
		if b.closed {
			return written, io.ErrClosedPipe
		}
		n := min(len(p)-written, pipeCapacity-len(b.data))
		b.data = append(b.data, p[written:written+n]...)
		written += n
		b.changed.Broadcast()
	}
	return written, nil
}

// Close ends the direction: what has been written can still be read.
func (b *buffer) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.changed.Broadcast()
	return nil
}

// Conn is the client's end of an in-process stdio connection. Close ends both
// directions, CloseWrite only the client's, like closing the standard input of a
// process.
type Conn struct {
	in, out *buffer
}

// Read reads what the server wrote; io.EOF when the server has ended.
func (c *Conn) Read(p []byte) (int, error) { return c.out.Read(p) }

// Write writes to the server.
func (c *Conn) Write(p []byte) (int, error) { return c.in.Write(p) }

// CloseWrite ends the input of the server.
func (c *Conn) CloseWrite() error { return c.in.Close() }

// Close ends the connection.
func (c *Conn) Close() error {
	_ = c.in.Close() // closing a buffer cannot fail
	return c.out.Close()
}

// Pipe opens an in-process stdio connection. It ends with the context, with the
// server, or when the client closes it.
func (e *Engine) Pipe(ctx context.Context) (*Conn, error) {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errClosed
	}
	e.pipes.Add(1)
	e.mu.Unlock()
	c := &Conn{in: newBuffer(), out: newBuffer()}
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	go func() {
		defer e.pipes.Done()
		defer stop()
		// How the connection ended shows at the client's end.
		_ = e.ServeStream(ctx, c.in, c.out)
		_ = c.in.Close()
		_ = c.out.Close()
	}()
	return c, nil
}
