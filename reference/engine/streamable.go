package engine

import (
	"maps"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// streamable serves Streamable HTTP.
func (e *Engine) streamable(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodPost && (e.serves(hook.HTTP) || e.shakesHands(r)):
		e.post(w, r)
	case r.Method == http.MethodGet && e.speaksLegacy(r):
		e.get(w, r)
	case r.Method == http.MethodDelete && e.speaksLegacy(r):
		e.delete(w, r)
	case !e.serves(hook.HTTP):
		http.NotFound(w, r)
	case len(e.handshaking(hook.HTTP)) == 0:
		notAllowed(w, "POST")
	default:
		notAllowed(w, "GET, POST, DELETE")
	}
}

// speaksLegacy reports whether a GET or DELETE can mean a legacy session.
func (e *Engine) speaksLegacy(r *http.Request) bool {
	return e.shakesHands(r) && !slices.Contains(e.spoken().modern, first(r.Header, headerVersion))
}

// post serves a POST.
func (e *Engine) post(w http.ResponseWriter, r *http.Request) {
	if !acceptable(w, r, "application/json", "text/event-stream") {
		return
	}
	in := e.body(w, r)
	if in == nil {
		return
	}
	s, refused := e.join(r, in)
	if refused != nil {
		writeJSON(w, refused.Status, nil, envelope(in.id, refused))
		return
	}
	stateless := in.kind == journal.Request && e.claimsModern(
		&hook.Call{Transport: hook.HTTP, Header: r.Header, Method: in.method, Session: s}, &in.params)
	x := &exchange{session: s, in: in, header: r.Header, stream: s.openStream("post"),
		Traced: hook.Traced{Trace: hook.TraceOf(r.Context())}}
	if s.Revision() == "" {
		// A session without a handshake lasts as long as its POST: its client
		// leaving cancels it.
		defer func() {
			if s.Revision() == "" {
				s.end()
			}
		}()
	}
	s.count()
	if v := visitOf(r.Context()); v != nil {
		v.settled()
	}
	if e.prompt(x) {
		x.accept()
	} else {
		go x.acceptApart()
	}
	x.respond(w, r, stateless)
}

// prompt reports whether the answer takes no time, so that it takes no goroutine beside that of
// the connection either: nothing waits, and nothing is sent before it.
func (e *Engine) prompt(x *exchange) bool {
	if x.in.kind != journal.Request || e.config.Latency > 0 || e.config.Hooks.Concern(x.Trace) {
		return false
	}
	switch x.in.method {
	case hook.MethodList, hook.MethodTemplates:
		return true
	case hook.MethodRead:
		found := e.store.get(x.in.params.uri)
		return found != nil && found.constant() || found == nil && !e.served().slow
	}
	return false
}

// respond waits for the first message and then knows what response to make: a JSON object or, if there is
// more to say than the answer, an event stream.
func (x *exchange) respond(w http.ResponseWriter, r *http.Request, stateless bool) {
	s, asked := x.session, x.in.kind == journal.Request
	out := &responder{session: s, w: w, stream: x.stream, reader: x.stream.attach()}
	first, ok := x.stream.next(r.Context(), out.reader, 0)
	revision := s.Revision()
	out.ids = !stateless && revision != ""
	if out.ids && first.Call != nil && first.Call.Method == methodInitialize {
		w.Header().Set(headerSession, s.ID())
	}
	switch {
	case !ok && r.Context().Err() != nil:
		return // the client has gone
	case !ok && !asked:
		s.forgetStream(x.stream)
		w.WriteHeader(http.StatusAccepted)
		return
	case ok && first.Kind == hook.Response && (first.Status >= http.StatusBadRequest || !asked ||
		!s.engine.config.Hooks.EventStreams.Holds(x.Trace)):
		s.forgetStream(x.stream)
		writeMessage(w, first)
		return
	}
	maps.Copy(w.Header(), first.Header)
	out.open(r.Context(), out.ids && revision >= hook.R20251125, 0)
}

// join finds or makes the session of a POST, or says why it is refused.
func (e *Engine) join(r *http.Request, in *incoming) (*session, *hook.Reply) {
	id := first(r.Header, headerSession)
	version := first(r.Header, headerVersion)
	statelessVersion := slices.Contains(e.spoken().modern, version)
	c := &hook.Call{Transport: hook.HTTP, Header: r.Header, Method: in.method}
	stateless := !e.shakesHands(r)
	switch {
	case stateless && in.kind != journal.Request && version != "" && !statelessVersion:
		return nil, e.unsupported(hook.HTTP, version)
	case stateless && in.kind == journal.Notification && version == "":
		return nil, mirrored(c, headerVersion, "")
	case in.kind == journal.Request && e.claimsModern(c, &in.params) &&
		(id == "" || in.params.claimsModern()),
		stateless || statelessVersion && in.kind != journal.Request,
		id == "" && (in.kind == journal.Request && in.method == methodInitialize || !in.wellFormed):
		s := e.newSession(hook.HTTP)
		s.owner = hook.OwnerOf(r.Context())
		return s, nil
	}
	return e.sessionByHeader(r)
}

// get opens or resumes an event stream of a session.
func (e *Engine) get(w http.ResponseWriter, r *http.Request) {
	if !acceptable(w, r, "text/event-stream") {
		return
	}
	s, r1 := e.sessionByHeader(r)
	if r1 != nil {
		refuseHTTP(w, r1)
		return
	}
	last := r.Header.Get("Last-Event-ID")
	st, from := s.resumed(last)
	switch {
	case last == "":
		st = s.openStream("get")
	case st == nil:
		refuseHTTP(w, badRequest("this stream cannot be resumed"))
		return
	}
	out := &responder{session: s, w: w, stream: st, reader: st.attach(), ids: true}
	out.open(r.Context(), last == "" && s.Revision() >= hook.R20251125, from)
}

// delete ends a session.
func (e *Engine) delete(w http.ResponseWriter, r *http.Request) {
	s, r1 := e.sessionByHeader(r)
	if r1 != nil {
		refuseHTTP(w, r1)
		return
	}
	s.endBecause(reasonDeleted)
	w.WriteHeader(http.StatusNoContent)
}
