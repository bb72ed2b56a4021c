package engine

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	// maxReplay bounds the events that a stream keeps for a client that comes
	// back; maxBacklog those that wait for a client that reads slowly.
	maxReplay  = 64
	maxBacklog = 4096
	// maxHeld bounds, in bytes, what a stream keeps for a client that comes back, and what waits
	// for one that does not read: one message more, however long, and while it is connected the
	// answers to its own requests.
	maxHeld = 256 << 10
	// maxStreams bounds the streams that a session keeps, and those that its client opens by GET.
	maxStreams = 32
)

// stream is a sequence of events on their way to one HTTP response, or, if the
// client comes back with Last-Event-ID, to several after each other.
type stream struct {
	number int    // within the session
	kind   string // "post", "get" or "sse"

	mu      sync.Mutex
	events  []hook.Message
	few     [1]hook.Message // room for most
	dropped int             // events that are no longer kept
	held    int             // bytes of those that are
	read    int             // events that have been handed to a reader
	done    bool
	reader  int           // serial of the current reader; 0 if there is none
	readers int           // all so far
	changed chan struct{} // closed at the next change; nil if nobody waits
}

// signal wakes the readers. The caller holds mu.
func (st *stream) signal() {
	if st.changed != nil {
		close(st.changed)
		st.changed = nil
	}
}

// push adds a message.
func (st *stream) push(_ context.Context, m hook.Message) error {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.done {
		return io.ErrClosedPipe
	}
	if st.events == nil {
		st.events = st.few[:0]
	}
	gone := st.reader == 0 && st.readers > 0
	waiting, unasked := st.unread()
	if unasked > maxHeld || gone && waiting > maxHeld || st.dropped+len(st.events)-st.read >= maxBacklog {
		st.done = true // nobody reads: give up
		st.signal()
		return io.ErrClosedPipe
	}
	st.events = append(st.events, m)
	st.held += size(&m)
	st.forget()
	st.signal()
	return nil
}

// size is how many bytes a message has.
func size(m *hook.Message) int { return len(m.Raw) + len(m.Tail.Bytes()) }

// unread is how many bytes have not been handed to a reader, and how many of these answer nothing. The caller
// holds mu.
func (st *stream) unread() (all, unasked int) {
	for i := st.read - st.dropped; i < len(st.events); i++ {
		m := &st.events[i]
		all += size(m)
		if m.Kind != hook.Response {
			unasked += size(m)
		}
	}
	return all, unasked
}

// forget drops the oldest of the events that were read, but for the last one, if more is kept than
// a client that comes back may expect. The caller holds mu.
func (st *stream) forget() {
	surplus := 0
	for surplus < min(st.read-st.dropped, len(st.events)-1) && (len(st.events)-surplus > maxReplay ||
		st.held > maxHeld) {
		st.held -= size(&st.events[surplus])
		surplus++
	}
	if surplus > 0 {
		st.events = slices.Clone(st.events[surplus:])
		st.dropped += surplus
	}
}

// finish says that nothing more will come.
func (st *stream) finish() {
	st.mu.Lock()
	defer st.mu.Unlock()
	if !st.done {
		st.done = true
		st.signal()
	}
}

// attach makes the caller the reader; an earlier one ends.
func (st *stream) attach() (reader int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.readers++
	st.reader = st.readers
	st.signal()
	return st.reader
}

func (st *stream) detach(reader int) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.reader == reader {
		st.reader = 0
	}
}

func (st *stream) attached() bool {
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.reader != 0 && !st.done
}

// next waits for event number i (from 0). ok is false when there will be none
// for this reader.
func (st *stream) next(ctx context.Context, reader, i int) (m hook.Message, ok bool) {
	for {
		st.mu.Lock()
		if st.reader != reader || i < st.dropped {
			st.mu.Unlock()
			return m, false
		}
		if at := i - st.dropped; at < len(st.events) {
			m, st.read = st.events[at], max(st.read, i+1)
			st.mu.Unlock()
			return m, true
		}
		if st.done {
			st.mu.Unlock()
			return m, false
		}
		if st.changed == nil {
			st.changed = make(chan struct{})
		}
		changed := st.changed
		st.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return m, false
		}
	}
}

// eventID names event i of a stream, or with -1 its beginning. It is unique within
// the session and tells the stream.
func (st *stream) eventID(i int) string { return fmt.Sprintf("%d-%d", st.number, i+1) }

// resumed finds the stream that an event id is of, and the number of the event that follows; nil if there is
// none.
func (s *session) resumed(id string) (st *stream, next int) {
	a, b, _ := strings.Cut(id, "-")
	number, _ := strconv.Atoi(a) // no stream has the number of what is none
	next, err := strconv.Atoi(b)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if st.number == number && err == nil && next >= 0 {
			return st, next
		}
	}
	return nil, 0
}

// openStream adds a stream to a session. If there are many it forgets the oldest that nobody reads. Of those
// opened by GET it ends the oldest, which a server may do at any time (Streamable HTTP, listening for
// messages).
func (s *session) openStream(kind string) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streamCount++
	st := &stream{number: s.streamCount, kind: kind, reader: 1, readers: 1} // whoever opens it attaches to it
	s.streams = append(s.streams, st)
	for i := 0; len(s.streams) > maxStreams && i < len(s.streams)-1; {
		if s.streams[i].attached() {
			i++
			continue
		}
		s.streams = slices.Delete(s.streams, i, i+1)
	}
	opened := 0
	for _, other := range slices.Backward(s.streams) {
		if other.kind != "get" {
			continue
		}
		if opened++; opened > maxStreams {
			other.finish()
		}
	}
	return st
}

func (s *session) forgetStream(st *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.streams = slices.DeleteFunc(s.streams, func(other *stream) bool { return other == st })
}

// inUse reports whether something is being answered, or a stream is being read.
func (s *session) inUse() bool {
	if s.busy.Load() > 0 {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.listens) > 0 || slices.ContainsFunc(s.streams, (*stream).attached)
}

// pushToGet sends a message that belongs to no call on one GET stream: the newest
// that is being read, else the newest that was, whose reader may come back.
func (s *session) pushToGet(ctx context.Context, m hook.Message) error {
	s.mu.Lock()
	var chosen *stream
	for _, st := range s.streams {
		if st.kind == "get" && (chosen == nil || st.attached() || !chosen.attached()) {
			chosen = st
		}
	}
	s.mu.Unlock()
	if chosen == nil {
		return nil // the client does not listen: there is no way to it
	}
	return chosen.push(ctx, m)
}
