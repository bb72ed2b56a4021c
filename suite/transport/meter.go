package transport

import (
	"bytes"
	"errors"
	"io"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// ErrClosed is why nothing can be sent after Close, and why an HTTP response did not come whole
// that was under way then.
var ErrClosed = errors.New("the connection was closed by us")

// line is what all connections have in common: the sink, one frame at a time,
// the bounds, and how the connection ended.
type line struct {
	sink   Sink
	limits Limits

	sinkMu sync.Mutex // held while the sink runs
	frames int

	mu    sync.Mutex
	bytes int64
	err   error
	limit error // set if err is an exceeded limit
	over  chan struct{}
	// exceeded is called once, when a limit of the connection is exceeded.
	exceeded func()

	once   sync.Once
	ending Ending
}

// close ends the connection unless it was ended before, and says how it has come to its end.
func (l *line) close(end func() Ending) Ending {
	l.once.Do(func() { l.ending = end() })
	return l.ending
}

func newLine(sink Sink, limits Limits) *line {
	return &line{sink: sink, limits: limits.WithDefaults(), over: make(chan struct{}), exceeded: func() {}}
}

// emit hands a frame to the sink, and ends the connection instead when it had
// its share.
func (l *line) emit(f wire.Frame) {
	if f.Size < len(f.Raw) {
		f.Size = len(f.Raw)
	}
	l.sinkMu.Lock()
	l.frames++
	n := l.frames
	if n <= l.limits.Frames || f.Dir == wire.Note && n <= l.limits.Frames+100 {
		l.sink(f)
	}
	l.sinkMu.Unlock()
	if n == l.limits.Frames+1 {
		l.exceed(beyond("more than %d messages and events on one connection, the limit", l.limits.Frames))
	}
}

// note records an event.
func (l *line) note(channel, text string) {
	l.emit(wire.Frame{Channel: channel, Dir: wire.Note, Text: text})
}

// exceed ends the connection because of a limit.
func (l *line) exceed(err error) {
	l.mu.Lock()
	first := l.limit == nil
	if first {
		l.limit = err
	}
	l.mu.Unlock()
	if first {
		l.finish(err)
		l.exceeded()
	}
}

// finish says that nothing more can come in, and why. The first reason stands.
func (l *line) finish(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
		close(l.over)
	}
}

// Done is closed when nothing more can come in.
func (l *line) Done() <-chan struct{} { return l.over }

// Err is why the connection ended; nil while it has not.
func (l *line) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// ended says how the connection has come to its end, or that we end it now.
func (l *line) ended() Ending {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.err == nil:
		return Ending{By: "us"}
	case l.limit != nil:
		return Ending{By: "us", Reason: l.err.Error()}
	}
	return Ending{By: "target", Reason: l.err.Error()}
}

// limitErr is the limit that was exceeded, if any.
func (l *line) limitErr() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.limit
}

// meter counts what is read from r against the limit of the connection.
func (l *line) meter(r io.Reader) io.Reader { return &metered{l, r} }

type metered struct {
	line *line
	r    io.Reader
}

// Read fails for good once the connection has had all the bytes it may have.
func (m *metered) Read(p []byte) (int, error) {
	if err := m.line.limitErr(); err != nil {
		return 0, err
	}
	n, err := m.r.Read(p)
	m.line.mu.Lock()
	m.line.bytes += int64(n)
	over := m.line.bytes > m.line.limits.Total
	m.line.mu.Unlock()
	if over {
		err := beyond("the target sent more than %d bytes on one connection, the limit (--connection-bytes)",
			m.line.limits.Total)
		m.line.exceed(err)
		return n, err
	}
	return n, err
}

// inspect adds the flaws of the message itself to those of the framing. Of one that is nested
// too deeply only the beginning is kept, as of one that is too long.
func (l *line) inspect(f *wire.Frame) {
	if f.Truncated {
		return // what is left of a message that was cut is no JSON, but that was us
	}
	f.Size = max(f.Size, len(f.Raw))
	if known := l.limits.Results.Inspect(f); known > 0 {
		l.mu.Lock()
		l.bytes -= int64(known)
		l.mu.Unlock()
	}
	if f.HasFlaw(wire.FlawTooDeep) {
		f.Raw, f.Truncated = bytes.Clone(f.Raw[:min(len(f.Raw), foreignKept)]), true
	}
}
