package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Why sessions and connections end, as the journal says it.
const (
	reasonClient   = "client"
	reasonServer   = "server"
	reasonAbort    = "abort"
	reasonEvicted  = "evicted"
	reasonDeleted  = "deleted"
	reasonShutdown = "shutdown"
)

// noteIn notes an incoming message.
func (e *Engine) noteIn(entry *journal.Entry, token string, raw []byte) {
	entry.Direction = journal.In
	entry.Identity = journal.Fingerprint(token)
	if entry.Revision == "" && entry.Kind == journal.Request {
		entry.Revision = gjson.GetBytes(raw, `params._meta.io\.modelcontextprotocol/protocolVersion`).String()
	}
	e.config.Journal.Note(entry, raw)
}

// traceOf makes the trace of an incoming message that has been noted.
func (e *Engine) traceOf(entry *journal.Entry, token string) *hook.Trace {
	return &hook.Trace{
		Method: entry.Method, URI: entry.URI, Transport: entry.Transport, Session: entry.Session,
		Token: token, Request: entry.Kind == journal.Request, Server: e.ctx, Seq: entry.Seq,
	}
}

// arrived notes a message of a lane.
func (e *Engine) arrived(s *session, raw []byte) *hook.Trace {
	entry := &journal.Entry{Transport: s.transport, Session: s.id, Revision: s.Revision()}
	entry.Classify(raw)
	e.noteIn(entry, "", raw)
	return e.traceOf(entry, "")
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
		if agreed := s.Revision(); agreed != "" {
			entry.Revision = agreed
		}
		entry.Transport = s.transport
		if s.known() {
			entry.Session = s.id
		}
	}
	if t != nil {
		entry.RequestSeq, entry.Rules = t.Seq, t.Marks()
		if entry.Kind == journal.Response {
			entry.Method, entry.URI = t.Method, t.URI
		}
		if entry.Transport == "" {
			entry.Transport = t.Transport
		}
		if entry.Session == "" {
			entry.Session = t.Session
		}
	}
	e.config.Journal.Note(entry, raw)
}

// readBody is the body of a request that has been read, followed by what is left
// of it.
type readBody struct {
	bytes.Reader
	ahead
	io.Closer
}

// ahead is what has been read of a body ahead of its handling.
type ahead struct {
	data []byte
	rest io.Reader // what has not been read
}

// failing is a reader at its error.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// atEnd is a reader at the end.
var atEnd io.Reader = failing{io.EOF}

// complete reports whether there is nothing left, and not too much.
func (a *ahead) complete() bool { return len(a.data) <= maxBody && a.rest == atEnd }

// whole reports whether the body has been read to its end, and by nobody else since.
func (b *readBody) whole() bool { return b.complete() && b.Reader.Len() == len(b.data) }

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

// firstRead bounds what is allocated because a client announced it.
const firstRead = 64 << 10

// readAhead reads the body of a POST, so that it can be noted before anything is
// decided about the request.
func readAhead(r *http.Request) ahead {
	if r.Body == nil {
		return ahead{rest: atEnd}
	}
	// A byte more than was announced makes room to see the end.
	a := ahead{data: make([]byte, 0, min(max(r.ContentLength, 0), firstRead)+1), rest: r.Body}
	for len(a.data) <= maxBody {
		if len(a.data) == cap(a.data) {
			a.data = slices.Grow(a.data, max(len(a.data), bytes.MinRead))
		}
		n, err := r.Body.Read(a.data[len(a.data):min(cap(a.data), maxBody+1)])
		a.data = a.data[:len(a.data)+n]
		if errors.Is(err, io.EOF) {
			a.rest = atEnd
			break
		}
		if err != nil {
			a.rest = failing{err}
			break
		}
	}
	return a
}

// putBack makes a body of which nothing has been read.
func (a *ahead) putBack(body io.Closer) *readBody {
	b := &readBody{ahead: *a, Closer: body}
	b.Reader.Reset(b.data)
	return b
}

// arrival is what is kept of an HTTP request, in one piece.
type arrival struct {
	entry  journal.Entry
	head   journal.HTTP
	answer journal.Answer
	// values are those of the headers of a plain answer.
	values [2]string
}

// observe notes a request before it is acted on, and what is written in answer.
func (e *Engine) observe(w http.ResponseWriter, r *http.Request) {
	in := &arrival{
		entry: journal.Entry{Transport: hook.HTTP, Session: first(r.Header, headerSession), Connection: r.RemoteAddr, Kind: journal.HTTPRequest},
		head:  journal.HTTP{Method: r.Method, Path: r.URL.RequestURI()},
	}
	in.head.KeepHeader(r.Header)
	entry := &in.entry
	entry.HTTP = &in.head
	if r.URL.Path == PathEvents || r.URL.Path == PathMessages {
		entry.Transport, entry.Session = hook.SSE, r.URL.Query().Get("sessionId")
	}
	s := e.find(entry.Session)
	if s != nil {
		entry.Revision = s.Revision()
	}
	if entry.Revision == "" {
		entry.Revision = first(r.Header, headerVersion)
	}
	var body ahead
	var request plainRequest
	plain, posts := false, r.Method == http.MethodPost && (r.URL.Path == PathStreamable || r.URL.Path == PathMessages)
	if posts {
		body = readAhead(r)
		if request, plain = plainly(body.data, e.modern); plain {
			request.describe(entry)
		} else {
			entry.Classify(body.data)
		}
	}
	token := journal.Token(r.Header)
	var due *dueAnswer
	if posts {
		due = e.owe()
		defer due.settled()
	}
	e.noteIn(entry, token, body.data)
	if plain && body.complete() && e.express(w, r, s, in, &request) {
		return
	}
	t := e.traceOf(entry, token)
	if entry.Kind == journal.HTTPRequest {
		t.Method = r.Method
	}
	r = r.WithContext(hook.WithTrace(context.WithValue(r.Context(), dueKey{}, due), t))
	if posts && r.Body != nil {
		r.Body = body.putBack(r.Body)
	}
	if e.config.Journal == nil {
		e.web.ServeHTTP(w, r)
		return
	}
	rec := &recorder{ResponseWriter: w, engine: e, request: r, trace: t, entry: entry}
	defer rec.end()
	e.web.ServeHTTP(rec, r)
	rec.returned = true
}

// dueAnswer counts a POST as being answered from before it is journalled until its
// message is counted by itself: who has seen it in the journal may end the server, and
// it will be answered. It is not counted for longer because its response may be a stream
// that stays open.
type dueAnswer struct {
	busy *atomic.Int64
	once sync.Once
}

type dueKey struct{}

func (e *Engine) owe() *dueAnswer {
	e.busy.Add(1)
	return &dueAnswer{busy: &e.busy}
}

func (d *dueAnswer) settled() {
	if d != nil {
		d.once.Do(func() { d.busy.Add(-1) })
	}
}

// takeOver says that the message of a POST is counted from here on.
func takeOver(r *http.Request) {
	if d, ok := r.Context().Value(dueKey{}).(*dueAnswer); ok {
		d.settled()
	}
}

// recorder notes what is written to an HTTP response, before it is.
type recorder struct {
	http.ResponseWriter
	engine  *Engine
	request *http.Request
	trace   *hook.Trace
	entry   *journal.Entry // of the request

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
	return &journal.HTTP{Status: w.status, Header: journal.Mask(w.Header().Clone())}
}

// derive makes an entry about the request.
func (w *recorder) derive(k journal.Kind) *journal.Entry {
	return &journal.Entry{
		Kind: k, Transport: w.entry.Transport, Session: w.session(), Connection: w.entry.Connection,
		Revision: w.entry.Revision, Identity: w.entry.Identity, Method: w.entry.Method, URI: w.entry.URI,
		RequestSeq: w.trace.Seq, Rules: w.trace.Marks(),
	}
}

// session is that of the request or, for a handshake, of the answer.
func (w *recorder) session() string {
	if w.entry.Session != "" {
		return w.entry.Session
	}
	return w.Header().Get(headerSession)
}

func (w *recorder) note(body []byte) {
	w.noted = true
	e := w.derive(journal.HTTPAnswer)
	e.Classify(body)
	if e.Kind == journal.Unreadable {
		e.Kind = journal.HTTPAnswer
	}
	e.Method, e.URI = w.entry.Method, w.entry.URI
	e.Direction, e.HTTP = journal.Out, w.head()
	w.engine.config.Journal.Note(e, body)
}

// end notes how the request ended, if that has not been seen yet.
func (w *recorder) end() {
	gone := w.request.Context().Err() != nil
	reason := reasonServer
	switch {
	case gone && !w.engine.isClosed():
		reason = reasonClient
	case w.engine.isClosed():
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
		if w.status == 0 {
			w.status = http.StatusOK // net/http answers for a handler that wrote nothing
		}
		w.note(w.body)
	}
}

// noteEvent notes a server-sent event.
func (p *responder) noteEvent(ctx context.Context, ev hook.Event) {
	if ev.Continued || p.engine.config.Journal == nil {
		return
	}
	data := ev.Data
	if data == nil {
		data = ev.Raw
	}
	entry := &journal.Entry{Stream: ev.Stream, EventID: ev.ID}
	if len(data) == 0 || ev.Type == "endpoint" {
		entry.Kind, entry.Direction = journal.Event, journal.Out
		entry.Transport, entry.Session, entry.Revision = p.session.transport, p.session.id, p.session.Revision()
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
