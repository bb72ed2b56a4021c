package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"syscall"

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
		j.messages = append(j.messages, append([]byte(nil), body...))
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
	for {
		l, err := r.Next()
		if err != nil {
			return
		}
		s.takeLine(l)
		if s.limitErr() != nil {
			return
		}
	}
}

func (s *stdio) takeLine(l wire.Line) {
	f := wire.Frame{Channel: channelOut, Dir: wire.In, Raw: l.Data, Size: l.Size, Truncated: l.Truncated, Flaws: l.Flaws}
	if f.HasFlaw(wire.FlawUnterminated) {
		why := s.wasCut()
		if s.limitErr() != nil {
			why = "the limit of the connection was reached"
		}
		if why != "" {
			s.note(channelOut, fmt.Sprintf("%d bytes of an unfinished line were dropped: %s", l.Size, why))
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
		return nil, fmt.Errorf("cannot send: %w", err)
	}
	j := newJob(m)
	select {
	case s.jobs <- j:
	case <-ctx.Done():
		return nil, fmt.Errorf("the target does not read its input: an earlier message is still being written: %w", ended(ctx))
	case <-s.quit:
		return nil, fmt.Errorf("cannot send: %w", ErrClosed)
	case <-s.over:
		return nil, fmt.Errorf("cannot send: %w", s.Err())
	}
	select {
	case err := <-j.done:
		if err != nil {
			return nil, s.writeError(err)
		}
	case <-ctx.Done():
		return nil, fmt.Errorf("the target does not read its input: the message of %d bytes was not taken: %w", len(j.data), ended(ctx))
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
			return nil, fmt.Errorf("cannot send: %w", s.Err())
		}
	}
	return stdioSent(), nil
}

func (s *stdio) writeError(err error) error {
	if ended := s.Err(); ended != nil {
		return fmt.Errorf("cannot send: %w", ended)
	}
	if errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) {
		// Most often this is the end of the target, noticed a moment before
		// the process was reaped: then that is what there is to say.
		if within(drainWait, s.over) {
			return fmt.Errorf("cannot send: %w", s.Err())
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
