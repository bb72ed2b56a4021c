package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Why sessions and connections end, as the journal says it.
const (
	reasonClient      = "client"
	reasonServer      = "server"
	reasonAbort       = "abort"
	reasonEvicted     = "evicted"
	reasonDeleted     = "deleted"
	reasonShutdown    = "shutdown"
	reasonInterrupted = "interrupted" // told to end with its input still open, as by a signal
)

// noteIn notes an incoming message.
func (e *Engine) noteIn(entry *journal.Entry, token string, in *incoming) {
	entry.Direction = journal.In
	entry.Identity = journal.Fingerprint(token)
	if entry.Revision == "" && entry.Kind == journal.Request {
		entry.Revision, _ = scan.OneOf(in.params.version, e.spoken().modern...)
	}
	e.config.Journal.Note(entry, in.raw)
}

// follow makes a trace that of an incoming message that has been noted.
func (e *Engine) follow(t *hook.Trace, entry *journal.Entry, token string) {
	t.Method, t.URI, t.Transport, t.Connection, t.Session = entry.Method, entry.URI, entry.Transport, entry.Connection, entry.Session
	t.Token, t.Request, t.Server, t.Seq = token, entry.Kind == journal.Request, e.ctx, entry.Seq
}

// arrived notes a message of stdio.
func (e *Engine) arrived(s *session, in *incoming) *hook.Trace {
	entry := &journal.Entry{Transport: s.transport, Session: s.ID(), Revision: s.Revision()}
	in.describe(entry)
	e.noteIn(entry, "", in)
	t := &hook.Trace{}
	e.follow(t, entry, "")
	t.Params = in.params.raw
	return t
}

// left notes a message that is about to be sent. Its method is that of the call
// that it answers, or its own. The entry may say the revision already, for where
// there is no session that knows it.
func (e *Engine) left(s *session, t *hook.Trace, entry *journal.Entry, raw []byte) {
	if e.config.Journal == nil {
		return
	}
	entry.Classify(raw)
	entry.Direction = journal.Out
	if s != nil {
		entry.Revision, entry.Transport = cmp.Or(s.Revision(), entry.Revision), s.transport
		if s.known() {
			entry.Session = s.ID()
		}
	}
	if t != nil {
		entry.RequestSeq, entry.Rules = t.Seq, t.Marks()
		if entry.Kind == journal.Response {
			entry.Method, entry.URI = t.Method, t.URI
		}
		entry.Transport, entry.Session = cmp.Or(entry.Transport, t.Transport), cmp.Or(entry.Session, t.Session)
	}
	e.config.Journal.Note(entry, raw)
}

// visit is what goes with an HTTP request while it is handled. It is its context.
type visit struct {
	hook.Traced
	trace   hook.Trace
	entry   journal.Entry // of the request
	head    journal.HTTP
	pending pendingAnswer
	body    readBody
	rec     recorder
	// values are those of the headers of the answer.
	values [2]string
}

type visitKey struct{}

// Value implements context.Context.
func (v *visit) Value(key any) any {
	if key == (visitKey{}) {
		return v
	}
	return v.Traced.Value(key)
}

// visitOf is that of the context of an HTTP request.
func visitOf(ctx context.Context) *visit {
	v, _ := ctx.Value(visitKey{}).(*visit)
	return v
}

// readBody is the body of a POST. It is read before anything is decided about the request, so
// that it can be noted, and can then be read again.
type readBody struct {
	bytes.Reader
	data   []byte
	in     incoming  // what has been read
	rest   io.Reader // what has not been read
	closer io.Closer
}

// failing is a reader at its error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// atEnd is a reader at the end.
var atEnd io.Reader = failing{io.EOF}

// whole reports whether the body has been read to its end, is not too long, and has not been
// read by anybody else since.
func (b *readBody) whole() bool {
	return len(b.data) <= maxBody && b.rest == atEnd && b.Reader.Len() == len(b.data)
}

func (b *readBody) Read(p []byte) (int, error) {
	if b.Reader.Len() > 0 {
		return b.Reader.Read(p)
	}
	return b.rest.Read(p)
}

// WriteTo would skip the rest.
func (b *readBody) WriteTo(w io.Writer) (int64, error) {
	return io.Copy(w, struct{ io.Reader }{b})
}

func (b *readBody) Close() error { return b.closer.Close() }

// firstRead bounds what is allocated because a client announced it.
const firstRead = 64 << 10

// stalled reports whether the body was given up because it did not come in time.
func (b *readBody) stalled() bool {
	end, ok := b.rest.(failing)
	return ok && errors.Is(end.err, os.ErrDeadlineExceeded)
}

// readAhead reads a body and takes its place.
func (b *readBody) readAhead(r *http.Request) {
	// A byte more than was announced makes room to see the end.
	b.data = make([]byte, 0, min(max(r.ContentLength, 0), firstRead)+1)
	b.rest, b.closer = r.Body, r.Body
	for len(b.data) <= maxBody {
		if len(b.data) == cap(b.data) {
			b.data = slices.Grow(b.data, max(len(b.data), bytes.MinRead))
		}
		n, err := r.Body.Read(b.data[len(b.data):min(cap(b.data), maxBody+1)])
		b.data = b.data[:len(b.data)+n]
		if errors.Is(err, io.EOF) {
			b.rest = atEnd
			break
		}
		if err != nil {
			b.rest = failing{err}
			break
		}
	}
	b.Reader.Reset(b.data)
	r.Body = b
}

// observe notes a request before it is acted on, and what is written in answer.
func (e *Engine) observe(w http.ResponseWriter, r *http.Request) {
	v := &visit{
		entry: journal.Entry{Transport: hook.HTTP, Session: first(r.Header, headerSession), Connection: r.RemoteAddr, Kind: journal.HTTPRequest},
		head:  journal.HTTP{Method: r.Method, Path: r.URL.RequestURI(), Header: r.Header},
	}
	entry := &v.entry
	entry.HTTP = &v.head
	if r.URL.Path == PathEvents || r.URL.Path == PathMessages {
		entry.Transport, entry.Session = hook.SSE, r.URL.Query().Get("sessionId")
	}
	if s := e.find(entry.Session); s != nil {
		entry.Revision = s.Revision()
	}
	entry.Revision = cmp.Or(entry.Revision, first(r.Header, headerVersion))
	v.Traced = hook.Traced{Context: r.Context(), Trace: &v.trace}
	r = r.WithContext(v)
	r.Body = httpserve.Pace(w, r.Body)
	if r.Method == http.MethodPost && (r.URL.Path == PathStreamable || r.URL.Path == PathMessages) {
		if r.Body != nil {
			v.body.readAhead(r)
		}
		v.body.in.parse(v.body.data)
		v.body.in.describe(entry)
		v.pending.begin(&e.busy)
		defer v.pending.settled()
	}
	token := journal.Token(r.Header)
	e.noteIn(entry, token, &v.body.in)
	e.follow(&v.trace, entry, token)
	v.trace.Params, v.trace.Header = v.body.in.params.raw, r.Header
	if entry.Kind == journal.HTTPRequest {
		v.trace.Method = r.Method
	}
	v.rec = recorder{ResponseWriter: w, engine: e, request: r, trace: &v.trace, entry: entry, values: &v.values}
	defer v.rec.end()
	if !e.access().Share(&v.rec, r, "GET, POST, DELETE") { // a preflight carries no token for a guard
		e.web.ServeHTTP(&v.rec, r)
	}
	v.rec.returned = true
}

// first is the first value of a header, whose name is written as such names are kept.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// pendingAnswer counts a POST as being answered from before it is journalled until its
// message is counted by itself: who has seen it in the journal may end the server, and
// it will be answered. It is not counted for longer because its response may be a stream
// that stays open.
type pendingAnswer struct {
	busy *atomic.Int64 // nil if no answer is due
	once sync.Once
}

func (d *pendingAnswer) begin(busy *atomic.Int64) {
	busy.Add(1)
	d.busy = busy
}

func (d *pendingAnswer) settled() {
	if d.busy != nil {
		d.once.Do(func() { d.busy.Add(-1) })
	}
}

// recorder notes what is written to an HTTP response, before it is.
type recorder struct {
	http.ResponseWriter
	engine  *Engine
	request *http.Request
	trace   *hook.Trace
	entry   *journal.Entry // of the request
	values  *[2]string
	// known is the body of an answer that is known to be a response with an id.
	known   []byte
	knownID json.RawMessage

	status    int
	streaming bool
	noted     bool
	expected  int    // the length of the body; -1 if it is not known
	body      []byte // what has come of it
	size      int
	returned  bool
}

// WriteHeader notes answers without a body and the opening of event streams.
func (w *recorder) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.begin(status)
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) begin(status int) {
	h := w.Header()
	w.status, w.expected = status, -1
	if n, err := strconv.Atoi(h.Get("Content-Length")); err == nil {
		w.expected = n
	}
	w.streaming = strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	switch {
	case w.streaming:
		e := w.derive(journal.Opened)
		e.Scope, e.HTTP = journal.ScopeStream, w.head()
		w.engine.config.Journal.Note(e, nil)
	case w.expected == 0 || w.expected < 0 && h.Get("Content-Type") == "":
		w.note(nil)
	}
}

// Write notes the answer when it is complete.
func (w *recorder) Write(p []byte) (int, error) {
	if w.status == 0 {
		if w.Header().Get("Content-Type") == "" && len(p) > 0 {
			w.Header().Set("Content-Type", http.DetectContentType(p)) // as net/http would
		}
		w.begin(http.StatusOK)
	}
	if !w.streaming && !w.noted {
		w.size += len(p)
		switch {
		case w.size == len(p) && w.size >= w.expected && w.expected > 0:
			w.note(p) // all at once
		default:
			if len(w.body) <= maxBody {
				w.body = append(w.body, p...)
			}
			if w.expected > 0 && w.size >= w.expected {
				w.note(w.body)
			}
		}
	}
	return w.ResponseWriter.Write(p)
}

// Flush sends what is buffered.
func (w *recorder) Flush() {
	if w.status == 0 {
		w.begin(http.StatusOK)
	}
	flush(w.ResponseWriter)
}

// Unwrap is for http.ResponseController.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *recorder) head() *journal.HTTP {
	return &journal.HTTP{Status: w.status, Header: w.Header()}
}

// derive makes an entry about the request.
func (w *recorder) derive(k journal.Kind) *journal.Entry {
	e := w.entry.Following(k)
	e.Session, e.Rules = w.session(), w.trace.Marks()
	return e
}

// session is that of the request or, for a handshake, of the answer.
func (w *recorder) session() string { return cmp.Or(w.entry.Session, first(w.Header(), headerSession)) }

func (w *recorder) note(body []byte) {
	w.noted = true
	if w.engine.config.Journal == nil {
		return
	}
	e := w.derive(journal.HTTPAnswer)
	if w.known != nil && same(body, w.known) {
		e.Kind, e.ID = journal.Response, w.knownID
	} else if e.Classify(body); e.Kind == journal.Unreadable {
		e.Kind = journal.HTTPAnswer
	}
	e.Method, e.URI = w.entry.Method, w.entry.URI
	e.Direction, e.HTTP = journal.Out, w.head()
	w.engine.config.Journal.Note(e, body)
}

// sendParts notes an answer whose result has been rendered before, and sends it as it is.
func (w *recorder) sendParts(status int, extra http.Header, m hook.Message) {
	h := w.Header()
	custom := len(h) > 0 || len(extra) > 0
	maps.Copy(h, extra)
	*w.values = [2]string{"application/json", strconv.Itoa(len(m.Raw) + len(m.Tail.Bytes()))}
	h["Content-Type"], h["Content-Length"] = w.values[:1:1], w.values[1:]
	a := journal.Answer{
		Request: w.entry, ID: m.Call.ID, Session: w.session(), Rules: w.trace.Marks(), Head: m.Raw, Rest: m.Tail, Status: status,
	}
	if custom {
		a.Header = h
	}
	w.status, w.noted = status, true
	w.engine.config.Journal.NoteAnswer(&a)
	w.ResponseWriter.WriteHeader(status)
	for _, part := range [...][]byte{m.Raw, m.Tail.Bytes()} {
		if len(part) > 0 {
			_, _ = w.ResponseWriter.Write(part) // a client that has gone needs no answer
		}
	}
}

// end notes how the request ended, if that has not been seen yet.
func (w *recorder) end() {
	gone := w.request.Context().Err() != nil
	reason := reasonServer
	switch {
	case gone && !w.engine.Closed():
		reason = reasonClient
	case w.engine.Closed():
		reason = reasonShutdown
	case !w.returned:
		reason = reasonAbort
	}
	switch {
	case w.noted:
		return
	case w.streaming || w.status == 0 && (gone || !w.returned):
		e := w.derive(journal.Closed)
		e.Scope, e.Reason = journal.ScopeStream, reason
		w.engine.config.Journal.Note(e, nil)
	default:
		w.status = cmp.Or(w.status, http.StatusOK) // net/http answers for a handler that wrote nothing
		w.note(w.body)
	}
}

// noteEvent notes a server-sent event.
func (p *responder) noteEvent(ctx context.Context, ev hook.Event) {
	if p.engine.config.Journal == nil {
		return
	}
	data := ev.Data
	if data == nil {
		data = ev.Raw
	}
	entry := &journal.Entry{Stream: ev.Stream, EventID: ev.ID, Retry: int(ev.Retry.Milliseconds())}
	if len(data) == 0 || ev.Type == "endpoint" {
		entry.Kind, entry.Direction = journal.Event, journal.Out
		entry.Transport, entry.Session, entry.Revision = p.session.transport, p.session.ID(), p.session.Revision()
		if t := hook.TraceOf(ctx); t != nil {
			entry.RequestSeq, entry.Rules = t.Seq, t.Marks()
		}
		p.engine.config.Journal.Note(entry, data)
		return
	}
	entry.Revision, _ = ctx.Value(revisionKey{}).(string)
	p.engine.left(p.session, hook.TraceOf(ctx), entry, data)
}

// revisionKey is where the revision of the message that becomes an event is kept.
// It is the message's, noted when that was sent: its call may still be at work, and
// what a call holds belongs to its handler.
type revisionKey struct{}
