package engine

import (
	"cmp"
	"maps"
	"net/http"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// notAllowed refuses an HTTP method.
func notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
}

// refuseHTTP answers a request that does not get as far as the protocol.
func refuseHTTP(w http.ResponseWriter, r *hook.Reply) {
	writeJSON(w, r.Status, r.Header, envelope(nil, r))
}

func writeJSON(w http.ResponseWriter, status int, extra http.Header, body []byte) {
	h := w.Header()
	maps.Copy(h, extra)
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(cmp.Or(status, http.StatusOK))
	// #nosec G705 -- it is JSON and said to be
	_, _ = w.Write(body) // a client that has gone needs no answer
}

// writeMessage answers a request by a message. One that is still in two parts needs no other
// look to be noted, unless hooks may change it.
func writeMessage(w http.ResponseWriter, m hook.Message) {
	if rec, direct := w.(*recorder); direct && m.Tail != nil {
		rec.sendParts(cmp.Or(m.Status, http.StatusOK), m.Header, m)
		return
	}
	writeJSON(w, m.Status, m.Header, m.Whole().Raw)
}

// recorder notes what is written to an HTTP response, before it is.
type recorder struct {
	http.ResponseWriter
	engine  *Engine
	request *http.Request
	trace   *hook.Trace
	entry   *journal.Entry // of the request
	values  *[2]string

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
	e := w.derive(journal.HTTPAnswer)
	if e.Classify(body); e.Kind == journal.Unreadable {
		e.Kind = journal.HTTPAnswer
	}
	e.Method, e.URI = w.entry.Method, w.entry.URI
	e.Direction, e.HTTP = journal.Out, w.head()
	w.engine.config.Journal.Note(e, body)
}

// sendParts notes an answer whose result has been rendered before, and sends it as it is.
func (w *recorder) sendParts(status int, extra http.Header, m hook.Message) {
	h := w.Header()
	maps.Copy(h, extra)
	*w.values = [2]string{"application/json", strconv.Itoa(len(m.Raw) + len(m.Tail.Bytes()))}
	h["Content-Type"], h["Content-Length"] = w.values[:1:1], w.values[1:]
	w.status, w.noted = status, true
	e := w.derive(journal.Response)
	e.Direction, e.ID, e.Raw, e.HTTP = journal.Out, m.Call.ID, m.Raw, w.head()
	w.engine.config.Journal.NoteAnswer(e, m.Tail)
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

func flush(w http.ResponseWriter) {
	// A writer that cannot flush sends by itself.
	_ = http.NewResponseController(w).Flush()
}
