package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// The channels of stdio.
const (
	channelIn  = "stdin"
	channelOut = "stdout"
)

// stdio is the framing of stdio over any pair of streams: one message per line,
// in both directions.
type stdio struct {
	*line
	jobs  chan *job
	read  chan struct{} // closed when the reader is through
	quit  chan struct{} // closed to end the writer
	wg    sync.WaitGroup
	stop  sync.Once
	cutMu sync.Mutex
	cut   string // why we cut the stream, if we did; its last line is then not the target's fault
}

// job is what is on its way to the writer: the messages, and the bytes to write.
type job struct {
	data     []byte
	messages [][]byte
	done     chan error // takes one value
}

func newJob(m Message) *job {
	j := &job{done: make(chan error, 1)}
	for _, body := range append([][]byte{m.Body}, m.Behind...) {
		j.messages = append(j.messages, body)
		j.data = append(j.data, body...)
		if !m.Raw {
			j.data = append(j.data, '\n')
		}
	}
	return j
}

func newStdio(l *line) *stdio {
	return &stdio{line: l, jobs: make(chan *job), read: make(chan struct{}), quit: make(chan struct{})}
}

// start reads lines from in until its end and writes to out what Send is given.
// The caller closes both.
func (s *stdio) start(in io.Reader, out io.Writer) {
	s.wg.Go(func() {
		defer close(s.read)
		s.readLines(in)
	})
	s.wg.Go(func() { s.writeMessages(out) })
}

// wait returns when neither reader nor writer is left.
func (s *stdio) wait() {
	s.stop.Do(func() { close(s.quit) })
	s.wg.Wait()
}

// wasCut is why we cut the stream; empty if we did not.
func (s *stdio) wasCut() string {
	s.cutMu.Lock()
	defer s.cutMu.Unlock()
	return s.cut
}

// cutting announces that we are about to cut the stream.
func (s *stdio) cutting(why string) {
	s.cutMu.Lock()
	defer s.cutMu.Unlock()
	if s.cut == "" {
		s.cut = why
	}
}

func (s *stdio) readLines(in io.Reader) {
	r := wire.NewLineReader(s.meter(in), s.limits.Message)
	r.Turns = s.limits.Turns
	for {
		f, err := r.Next()
		if err != nil {
			return
		}
		s.takeLine(f)
		if s.limitErr() != nil {
			return
		}
	}
}

func (s *stdio) takeLine(f wire.Frame) {
	f.Channel, f.Dir = channelOut, wire.In
	if f.HasFlaw(wire.FlawUnterminated) {
		why := s.wasCut()
		if s.limitErr() != nil {
			why = "the limit of the connection was reached"
		}
		if why != "" {
			s.note(channelOut, fmt.Sprintf("%d bytes of an unfinished line were dropped: %s", f.Size, why))
			return
		}
	}
	if !f.HasFlaw(wire.FlawBlank) {
		s.inspect(&f)
	}
	s.emit(f)
}

func (s *stdio) writeMessages(out io.Writer) {
	for {
		select {
		case <-s.quit:
			return
		case j := <-s.jobs:
			// Recorded first, so that it precedes its answer.
			for _, raw := range j.messages {
				s.emit(wire.Frame{Channel: channelIn, Dir: wire.Out, Raw: raw})
			}
			_, err := out.Write(j.data)
			if err != nil {
				s.note(channelIn, "the message could not be written: "+err.Error())
			}
			j.done <- err
		}
	}
}

// Send writes the message and, unless it is raw, a newline, in one piece, with what
// stands behind it. It returns when the stream has taken all of it. If the context ends first, the
// message may have been written in part; what is left of it is still written
// when the target reads on.
func (s *stdio) Send(ctx context.Context, m Message) (*Sent, error) {
	if err := s.Err(); err != nil {
		return nil, unsent(err)
	}
	j := newJob(m)
	select {
	case s.jobs <- j:
	case <-ctx.Done():
		return nil, fmt.Errorf("the target does not read its input: an earlier message is still being "+
			"written: %w", ended(ctx))
	case <-s.quit:
		return nil, unsent(ErrClosed)
	case <-s.over:
		return nil, unsent(s.Err())
	}
	select {
	case err := <-j.done:
		if err != nil {
			return nil, s.writeError(err)
		}
	case <-ctx.Done():
		return nil, fmt.Errorf("the target does not read its input: the message of %d bytes was not "+
			"taken: %w", len(j.data), ended(ctx))
	case <-s.over:
		// The end of the target and the end of the write race; a write that
		// was complete counts.
		select {
		case err := <-j.done:
			if err == nil {
				break
			}
			return nil, s.writeError(err)
		default:
			return nil, unsent(s.Err())
		}
	}
	return stdioSent(), nil
}

func (s *stdio) writeError(err error) error {
	if ended := s.Err(); ended != nil {
		return unsent(ended)
	}
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		// Most often this is the end of the target, noticed a moment before
		// the process was reaped: then that is what there is to say.
		if within(drainWait, s.over) {
			return unsent(s.Err())
		}
		return fmt.Errorf("the target has closed its input: %w", err)
	}
	return fmt.Errorf("cannot write to the target: %w", err)
}

func stdioSent() *Sent {
	return &Sent{
		Channel: channelOut,
		Status:  func() int { return 0 },
		Header:  func() http.Header { return nil },
		Err:     func() error { return nil },
		Cancel:  func() {},
	}
}

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
	return c.close(func() Ending { return c.end(ctx) })
}

func (c *pipeConn) end(ctx context.Context) Ending {
	begin := time.Now()
	e := c.ended()
	if half, ok := c.rwc.(interface{ CloseWrite() error }); ok && e.Reason == "" {
		e.How = "killed"
		if half.CloseWrite() == nil && waitFor(ctx, exitWait, c.read) {
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

// waitFor reports whether all channels are closed before the time is up or the context ends.
func waitFor(ctx context.Context, d time.Duration, all ...<-chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	for _, done := range all {
		select {
		case <-done:
		case <-ctx.Done():
		}
		if !isClosed(done) {
			return false
		}
	}
	return true
}

// within is [waitFor] without a context.
func within(d time.Duration, all ...<-chan struct{}) bool {
	return waitFor(context.Background(), d, all...)
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
