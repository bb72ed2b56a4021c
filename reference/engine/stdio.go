package engine

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

const (
	// maxLine bounds a message on stdio.
	maxLine = 16 << 20
	// grace is how long the reader of a stream waits for the answer to a message
	// before it reads on. Calls that need no time are thereby answered in
	// the order in which they came; the others run side by side.
	grace = 5 * time.Millisecond
	// drainTime is how long what is being answered may still take when the input
	// has ended: whoever pipes requests in wants to see the answers.
	drainTime = 2 * time.Second
)

// settle waits until nothing is being answered, within a bound.
func settle(ctx context.Context, busy *atomic.Int64, bound time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, bound)
	defer cancel()
	for busy.Load() > 0 && hook.Pause(ctx, grace) {
	}
}

// ServeStream serves one connection over a pair of streams: a message per line.
// It returns nil when the input ends, and an error when the context ends, the
// server is closed, or a stream breaks. A Read or Write that is blocked by then
// is abandoned; closing the streams ends it.
func (e *Engine) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	s := e.newSession(hook.Stdio)
	defer s.end()
	defer context.AfterFunc(ctx, s.ctx.cancel)()
	var end func()
	if wrap := e.config.Hooks.Stdio; wrap != nil {
		in, out, end = wrap(s.ctx, in, out)
	}
	lines := &lineWriter{session: s, lock: make(chan struct{}, 1), out: out, broken: make(chan struct{})}
	s.deliver = lines.deliver
	if err := e.register(s); err != nil {
		return err
	}
	err := e.readLines(s, in, lines)
	if err == nil {
		defer s.endBecause(reasonClient)
		settle(s.ctx, &s.busy, drainTime)
	}
	if err != nil && ctx.Err() != nil {
		s.endBecause(reasonInterrupted)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && end != nil {
		end()
	}
	return err
}

// readLines processes the input line by line until it ends.
func (e *Engine) readLines(s *session, in io.Reader, out *lineWriter) error {
	type line struct {
		raw  []byte
		long bool
		err  error
	}
	input := make(chan line)
	go func() {
		reader := bufio.NewReaderSize(in, 64<<10)
		for l := (line{}); l.err == nil; {
			l.raw, l.long, l.err = readLine(reader)
			select {
			case input <- l:
			case <-s.ctx.Done():
				return
			}
		}
	}()
	for {
		select {
		case <-s.ctx.Done():
			return errClosed
		case <-out.broken:
			return out.err
		case l := <-input:
			switch {
			case l.long:
				x := &exchange{session: s, Traced: hook.Traced{Trace: e.arrived(s, parse(nil))}}
				x.refuse(s.ctx, failAt(http.StatusRequestEntityTooLarge, codeInvalidRequest,
					"Invalid request: the message is too long"))
			case len(bytes.TrimSpace(l.raw)) > 0:
				in := parse(l.raw)
				s.inOrder(in, nil, e.arrived(s, in))
			case l.err == nil: // a line with nothing in it, which is no message
				e.arrived(s, parse(l.raw))
			}
			if errors.Is(l.err, io.EOF) {
				return nil
			}
			if l.err != nil {
				return l.err
			}
		}
	}
}

// inOrder processes a message of a connection on which messages come one after the other (stdio,
// HTTP+SSE) and returns when it has been answered, or takes time.
func (s *session) inOrder(in *incoming, header http.Header, t *hook.Trace) {
	x := &exchange{session: s, in: in, header: header, Traced: hook.Traced{Trace: t}}
	done := make(chan struct{})
	s.count()
	go func() {
		defer close(done)
		x.accept()
	}()
	select {
	case <-done:
	case <-time.After(grace):
	case <-s.ctx.Done():
	}
}

// readLine reads up to the next newline, which it takes off. Of a line that is
// too long it reads all and keeps nothing; long says so, if there is more to come.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long, line = true, nil
		}
		if !long {
			line = append(line, part...)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		return bytes.TrimSuffix(line, []byte("\n")), long && err == nil, err
	}
}

// lineWriter writes messages as lines, each in one piece. The lock is a channel
// so that a writer that waits for it counts as blocked in a synctest bubble.
type lineWriter struct {
	session *session
	lock    chan struct{}
	out     io.Writer
	broken  chan struct{}
	err     error // hook.ErrOutputClosed: what is written is lost
}

func (w *lineWriter) deliver(ctx context.Context, m hook.Message) error {
	select {
	case w.lock <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-w.lock }()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(w.err, hook.ErrOutputClosed):
		return nil
	case w.err != nil:
		return w.err
	}
	line := make([]byte, 0, len(m.Raw)+len(m.Tail.Bytes())+1)
	line = append(append(append(line, m.Raw...), m.Tail.Bytes()...), '\n')
	var trace *hook.Trace
	if m.Call != nil {
		trace = m.Call.Trace
	}
	w.session.left(trace, &journal.Entry{Session: w.session.ID(), Revision: m.Revision},
		line[:len(line)-1:len(line)-1])
	if m.Write != nil {
		w.err = m.Write(ctx, w.out, line)
	} else {
		_, w.err = w.out.Write(line)
	}
	switch {
	case errors.Is(w.err, hook.ErrOutputClosed):
		return nil
	case w.err != nil:
		close(w.broken)
	}
	return w.err
}

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
