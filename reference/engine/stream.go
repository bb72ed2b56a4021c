package engine

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
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
	events  []streamEvent
	few     [1]streamEvent // room for most
	dropped int            // events that are no longer kept
	held    int            // bytes of those that are
	waiting int            // bytes of those that have not been handed to a reader
	unasked int            // of these, those that answer nothing
	read    int            // events that have been handed to a reader
	done    bool
	reader  int           // serial of the current reader; 0 if there is none
	readers int           // all so far
	changed chan struct{} // closed at the next change; nil if nobody waits
}

type streamEvent struct {
	hook.Message
	answer bool
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
	ev := streamEvent{Message: m, answer: m.Kind == hook.Response}
	gone := st.reader == 0 && st.readers > 0
	if st.unasked > maxHeld || gone && st.waiting > maxHeld || st.dropped+len(st.events)-st.read >= maxBacklog {
		st.done = true // nobody reads: give up
		st.signal()
		return io.ErrClosedPipe
	}
	st.events = append(st.events, ev)
	st.held += ev.size()
	st.waiting += ev.size()
	if !ev.answer {
		st.unasked += ev.size()
	}
	st.forget()
	st.signal()
	return nil
}

// size is how many bytes the message has.
func (ev *streamEvent) size() int { return len(ev.Raw) + len(ev.Tail.Bytes()) }

// forget drops the oldest of the events that were read, but for the last one, if more is kept than
// a client that comes back may expect. The caller holds mu.
func (st *stream) forget() {
	surplus := 0
	for surplus < min(st.read-st.dropped, len(st.events)-1) && (len(st.events)-surplus > maxReplay || st.held > maxHeld) {
		st.held -= st.events[surplus].size()
		surplus++
	}
	if surplus > 0 {
		st.events = append([]streamEvent(nil), st.events[surplus:]...)
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
func (st *stream) next(ctx context.Context, reader, i int) (ev streamEvent, ok bool) {
	for {
		st.mu.Lock()
		if st.reader != reader || i < st.dropped {
			st.mu.Unlock()
			return ev, false
		}
		if at := i - st.dropped; at < len(st.events) {
			ev = st.events[at]
			for ; st.read <= i; st.read++ {
				read := &st.events[st.read-st.dropped]
				st.waiting -= read.size()
				if !read.answer {
					st.unasked -= read.size()
				}
			}
			st.mu.Unlock()
			return ev, true
		}
		if st.done {
			st.mu.Unlock()
			return ev, false
		}
		if st.changed == nil {
			st.changed = make(chan struct{})
		}
		changed := st.changed
		st.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return ev, false
		}
	}
}

// eventID names event i of a stream, or with -1 its beginning. It is unique within
// the session and tells the stream.
func (st *stream) eventID(i int) string { return fmt.Sprintf("%d-%d", st.number, i+1) }

// parseEventID takes an event id apart.
func parseEventID(id string) (number, i int, ok bool) {
	a, b, ok := strings.Cut(id, "-")
	if !ok {
		return 0, 0, false
	}
	number, err1 := strconv.Atoi(a)
	i, err2 := strconv.Atoi(b)
	return number, i - 1, err1 == nil && err2 == nil && i >= 0
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

func (s *session) stream(number int) *stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, st := range s.streams {
		if st.number == number {
			return st
		}
	}
	return nil
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

// responder writes the events of a stream to an HTTP response.
type responder struct {
	engine  *Engine
	session *session
	w       http.ResponseWriter
	stream  *stream
	reader  int
	ids     bool // events carry ids
}

type writerKey struct{}

// head starts an event stream response.
func (p *responder) head() {
	h := p.w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	p.w.WriteHeader(http.StatusOK)
	flush(p.w)
}

// write writes one event through the hooks.
func (p *responder) write(ctx context.Context, ev hook.Event) error {
	ev.Stream = p.stream.kind
	ctx = context.WithValue(ctx, writerKey{}, p)
	if err := p.engine.event(ctx, ev); err != nil {
		return err
	}
	flush(p.w)
	return nil
}

// open starts the response, with an event that names its beginning if it is to be primed, and writes the
// events from number i on.
func (p *responder) open(ctx context.Context, primed bool, i int) {
	p.head()
	if primed && p.write(ctx, hook.Event{ID: p.stream.eventID(-1), Data: []byte{}}) != nil {
		p.stream.detach(p.reader)
		return
	}
	p.run(ctx, i)
}

// run writes the events from number i on until there are no more. A client that
// has gone ends it as well.
func (p *responder) run(ctx context.Context, i int) {
	defer p.stream.detach(p.reader)
	for ; ; i++ {
		ev, ok := p.stream.next(ctx, p.reader, i)
		if !ok {
			return
		}
		out := hook.Event{Data: ev.Whole().Raw, Response: ev.answer}
		if p.ids {
			out.ID = p.stream.eventID(i)
		}
		if p.stream.kind == "sse" {
			out.Type = "message"
		}
		eventCtx := context.WithValue(ctx, revisionKey{}, ev.Revision)
		if ev.Call != nil && ev.Call.Trace != nil {
			eventCtx = hook.WithTrace(eventCtx, ev.Call.Trace)
		}
		if p.write(eventCtx, out) != nil {
			return
		}
	}
}

// writeEvent is the innermost event writer.
func writeEvent(ctx context.Context, ev hook.Event) error {
	p, ok := ctx.Value(writerKey{}).(*responder)
	if !ok {
		return io.ErrClosedPipe
	}
	p.noteEvent(ctx, ev)
	raw := ev.Raw
	if raw == nil {
		raw = hook.EncodeEvent(ev)
	}
	_, err := p.w.Write(raw)
	if ev.Raw != nil {
		flush(p.w) // a part of an event is sent at once
	}
	return err
}

func flush(w http.ResponseWriter) {
	// A writer that cannot flush sends by itself.
	_ = http.NewResponseController(w).Flush()
}

// events serves the GET of HTTP+SSE (2024-11-05): a connection that lasts as
// long as its event stream. The first event tells where to post messages.
func (e *Engine) events(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		e.refuseHTTP(w, failAt(http.StatusNotAcceptable, codeInvalidRequest, "Not acceptable: accept text/event-stream"))
		return
	}
	s := e.newSession(e.ctx, hook.SSE)
	s.owner = hook.OwnerOf(r.Context())
	defer func() {
		if r.Context().Err() != nil {
			s.endBecause(reasonClient)
		}
		s.end()
	}()
	st := s.openStream("sse")
	s.deliver = st.push
	if err := e.register(s); err != nil {
		e.refuseHTTP(w, failAt(http.StatusServiceUnavailable, codeInternal, "Internal error: "+err.Error()))
		return
	}
	defer context.AfterFunc(r.Context(), func() { s.endBecause(reasonClient) })()
	out := &responder{engine: e, session: s, w: w, stream: st, reader: st.attach()}
	out.head()
	endpoint := PathMessages + hook.MountOf(r.Context()) + "?" + url.Values{"sessionId": {s.ID()}}.Encode()
	if out.write(r.Context(), hook.Event{Type: "endpoint", Data: []byte(endpoint)}) != nil {
		return
	}
	out.run(r.Context(), 0)
}

// message serves a POST of HTTP+SSE. The answer comes on the event stream.
func (e *Engine) message(w http.ResponseWriter, r *http.Request) {
	in, ok := e.body(w, r)
	if !ok {
		return
	}
	id := r.URL.Query().Get("sessionId")
	if id == "" {
		http.Error(w, "the parameter sessionId is missing", http.StatusBadRequest)
		return
	}
	s := e.reached(r, hook.SSE, id)
	if s == nil {
		http.Error(w, "there is no such connection", http.StatusNotFound)
		return
	}
	if !in.wellFormed {
		e.refuseHTTP(w, failAt(http.StatusBadRequest, codeParse, "Parse error: not a JSON text"))
		return
	}
	e.inOrder(s, in, s.deliver, r.Header, hook.TraceOf(r.Context()))
	w.WriteHeader(http.StatusAccepted)
}
