package engine

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

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
	if v, direct := w.(*visit); direct && m.Tail != nil {
		v.sendParts(cmp.Or(m.Status, http.StatusOK), m.Header, m)
		return
	}
	writeJSON(w, m.Status, m.Header, m.Whole().Raw)
}

// visit is an HTTP request while it is handled: its context, and the writer of its answer. It notes what is
// written before it is.
type visit struct {
	hook.Traced
	http.ResponseWriter
	engine *Engine
	trace  hook.Trace
	entry  journal.Entry // of the request
	asked  journal.HTTP
	next   journal.Entry // what is noted now: the journal keeps a copy
	answer journal.HTTP
	body   readBody
	// values are those of the headers of the answer.
	values [2]string
	// busy counts a POST as being answered from before it is journalled until its message is counted by
	// itself: who has seen it in the journal may end the server, and it will be answered. It is not counted
	// for longer because its response may be a stream that stays open. It is nil if no answer is due.
	busy atomic.Pointer[atomic.Int64]

	status    int
	streaming bool
	noted     bool
	expected  int    // the length of the body; -1 if it is not known
	written   []byte // what has come of it
	size      int
	returned  bool
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

// settled says that the message of the request is counted by itself from here on, or that none is left.
func (v *visit) settled() {
	if busy := v.busy.Swap(nil); busy != nil {
		busy.Add(-1)
	}
}

// WriteHeader notes answers without a body and the opening of event streams.
func (v *visit) WriteHeader(status int) {
	if v.status == 0 && status >= http.StatusOK {
		v.begin(status)
	}
	v.ResponseWriter.WriteHeader(status)
}

func (v *visit) begin(status int) {
	h := v.Header()
	v.status, v.expected = status, -1
	if n, err := strconv.Atoi(h.Get("Content-Length")); err == nil {
		v.expected = n
	}
	v.streaming = strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	switch {
	case v.streaming:
		e := v.derive(journal.Opened)
		e.Scope, e.HTTP = journal.ScopeStream, v.head()
		v.engine.config.Journal.Note(e, nil)
	case v.expected == 0 || v.expected < 0 && h.Get("Content-Type") == "":
		v.note(nil)
	}
}

// Write notes the answer when it is complete.
func (v *visit) Write(p []byte) (int, error) {
	if v.status == 0 {
		if v.Header().Get("Content-Type") == "" && len(p) > 0 {
			v.Header().Set("Content-Type", http.DetectContentType(p)) // as net/http would
		}
		v.begin(http.StatusOK)
	}
	if !v.streaming && !v.noted {
		v.size += len(p)
		all, body := v.expected > 0 && v.size >= v.expected, p
		if !all || v.size > len(p) { // it does not come at once
			if len(v.written) <= maxBody {
				v.written = append(v.written, p...)
			}
			body = v.written
		}
		if all {
			v.note(body)
		}
	}
	return v.ResponseWriter.Write(p)
}

// Flush sends what is buffered.
func (v *visit) Flush() {
	if v.status == 0 {
		v.begin(http.StatusOK)
	}
	flush(v.ResponseWriter)
}

// Unwrap is for http.ResponseController.
func (v *visit) Unwrap() http.ResponseWriter { return v.ResponseWriter }

func (v *visit) head() *journal.HTTP {
	v.answer = journal.HTTP{Status: v.status, Header: v.Header()}
	return &v.answer
}

// derive makes an entry about the request.
func (v *visit) derive(k journal.Kind) *journal.Entry {
	v.next = *v.entry.Following(k)
	v.next.Session, v.next.Rules = v.session(), v.trace.Marks()
	return &v.next
}

// session is that of the request or, for a handshake, of the answer.
func (v *visit) session() string { return cmp.Or(v.entry.Session, first(v.Header(), headerSession)) }

func (v *visit) note(body []byte) {
	v.noted = true
	e := v.derive(journal.HTTPAnswer)
	if e.Classify(body); e.Kind == journal.Unreadable {
		e.Kind = journal.HTTPAnswer
	}
	e.Method, e.URI = v.entry.Method, v.entry.URI
	e.Direction, e.HTTP = journal.Out, v.head()
	v.engine.config.Journal.Note(e, body)
}

// sendParts notes an answer whose result has been rendered before, and sends it as it is.
func (v *visit) sendParts(status int, extra http.Header, m hook.Message) {
	h := v.Header()
	maps.Copy(h, extra)
	v.values = [2]string{"application/json", strconv.Itoa(len(m.Raw) + len(m.Tail.Bytes()))}
	h["Content-Type"], h["Content-Length"] = v.values[:1:1], v.values[1:]
	v.status, v.noted = status, true
	e := v.derive(journal.Response)
	e.Direction, e.ID, e.Raw, e.HTTP = journal.Out, m.Call.ID, m.Raw, v.head()
	v.engine.config.Journal.NoteAnswer(e, m.Tail)
	v.ResponseWriter.WriteHeader(status)
	for _, part := range [...][]byte{m.Raw, m.Tail.Bytes()} {
		if len(part) > 0 {
			_, _ = v.ResponseWriter.Write(part) // a client that has gone needs no answer
		}
	}
}

// end notes how the request ended, if that has not been seen yet.
func (v *visit) end() {
	gone := v.Err() != nil
	reason := reasonServer
	switch {
	case gone && !v.engine.Closed():
		reason = reasonClient
	case v.engine.Closed():
		reason = reasonShutdown
	case !v.returned:
		reason = reasonAbort
	}
	switch {
	case v.noted:
		return
	case v.streaming || v.status == 0 && (gone || !v.returned):
		e := v.derive(journal.Closed)
		e.Scope, e.Reason = journal.ScopeStream, reason
		v.engine.config.Journal.Note(e, nil)
	default:
		v.status = cmp.Or(v.status, http.StatusOK) // net/http answers for a handler that wrote nothing
		v.note(v.written)
	}
}

func flush(w http.ResponseWriter) {
	// A writer that cannot flush sends by itself.
	_ = http.NewResponseController(w).Flush()
}
