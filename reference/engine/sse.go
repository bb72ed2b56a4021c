package engine

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// sse serves HTTP+SSE.
func (e *Engine) sse(w http.ResponseWriter, r *http.Request) {
	opening := r.URL.Path == PathEvents
	switch {
	case len(e.handshaking(hook.SSE)) == 0 &&
		(opening || e.goingOn(r, hook.SSE, r.URL.Query().Get("sessionId")) == nil):
		http.NotFound(w, r)
	case opening && r.Method == http.MethodGet:
		e.events(w, r)
	case opening:
		notAllowed(w, "GET")
	case r.Method == http.MethodPost:
		e.message(w, r)
	default:
		notAllowed(w, "POST")
	}
}

// events serves the GET of HTTP+SSE (2024-11-05): a connection that lasts as
// long as its event stream. The first event tells where to post messages.
func (e *Engine) events(w http.ResponseWriter, r *http.Request) {
	if !acceptable(w, r, "text/event-stream") {
		return
	}
	s := e.newSession(hook.SSE)
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
		refuseHTTP(w, failAt(http.StatusServiceUnavailable, codeInternal, "Internal error: "+err.Error()))
		return
	}
	defer context.AfterFunc(r.Context(), func() { s.endBecause(reasonClient) })()
	out := &responder{session: s, w: w, stream: st, reader: st.attach()}
	out.head()
	endpoint := PathMessages + hook.MountOf(r.Context()) + "?" + url.Values{"sessionId": {s.ID()}}.Encode()
	if out.write(r.Context(), hook.Event{Type: "endpoint", Data: []byte(endpoint)}) != nil {
		return
	}
	out.run(r.Context(), 0)
}

// message serves a POST of HTTP+SSE. The answer comes on the event stream.
func (e *Engine) message(w http.ResponseWriter, r *http.Request) {
	in := e.body(w, r)
	if in == nil {
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
		refuseHTTP(w, failAt(http.StatusBadRequest, codeParse, "Parse error: not a JSON text"))
		return
	}
	s.inOrder(in, r.Header, hook.TraceOf(r.Context()))
	w.WriteHeader(http.StatusAccepted)
}
