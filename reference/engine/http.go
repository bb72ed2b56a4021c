package engine

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
)

// The paths of the endpoints.
const (
	PathStreamable = "/mcp"
	PathEvents     = "/sse"
	PathMessages   = "/message"
)

// maxBody bounds the body of a POST.
const maxBody = 4 << 20

// ServeHTTP serves Streamable HTTP at /mcp and HTTP+SSE at /sse and /message.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.Closed() {
		panic(http.ErrAbortHandler) // as if the process were gone
	}
	e.observe(w, r)
}

// WrapConn is what a server with these endpoints has to use instead of a connection
// that it accepted, for hooks that look at the bytes themselves.
func (e *Engine) WrapConn(c net.Conn) net.Conn {
	if wrap := e.config.Hooks.Conn; wrap != nil {
		return wrap(c)
	}
	return c
}

// ListensAt reports whether the endpoints are to be had at a host of the machine:
// unless a hook has it otherwise, at loopback addresses only.
func (e *Engine) ListensAt(host string) bool {
	ip := net.ParseIP(host)
	return e.config.Hooks.Public.Holds(nil) || host == "localhost" || ip != nil && ip.IsLoopback()
}

func (e *Engine) serveHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != PathStreamable && r.URL.Path != PathEvents && r.URL.Path != PathMessages {
		http.Error(w, "there is no endpoint at this path, and no namespace of this name", http.StatusNotFound)
		return
	}
	if why := e.access().Refusal(r); why != "" {
		e.refuseHTTP(w, failAt(http.StatusForbidden, codeInvalidRequest, "Forbidden: "+why))
		return
	}
	switch {
	case r.URL.Path == PathStreamable && r.Method == http.MethodPost && (e.serves(hook.HTTP) || e.shakesHands(r)):
		e.post(w, r)
	case r.URL.Path == PathStreamable && r.Method == http.MethodGet && e.speaksLegacy(r):
		e.get(w, r)
	case r.URL.Path == PathStreamable && r.Method == http.MethodDelete && e.speaksLegacy(r):
		e.delete(w, r)
	case r.URL.Path == PathStreamable && !e.serves(hook.HTTP):
		http.NotFound(w, r)
	case r.URL.Path == PathStreamable && len(e.handshaking(hook.HTTP)) == 0:
		notAllowed(w, "POST")
	case r.URL.Path == PathStreamable:
		notAllowed(w, "GET, POST, DELETE")
	case len(e.handshaking(hook.SSE)) == 0 &&
		(r.URL.Path == PathEvents || e.goingOn(r, hook.SSE, r.URL.Query().Get("sessionId")) == nil):
		http.NotFound(w, r)
	case r.URL.Path == PathEvents && r.Method == http.MethodGet:
		e.events(w, r)
	case r.URL.Path == PathEvents:
		notAllowed(w, "GET")
	case r.Method == http.MethodPost:
		e.message(w, r)
	default:
		notAllowed(w, "POST")
	}
}

// speaksLegacy reports whether a GET or DELETE can mean a legacy session.
func (e *Engine) speaksLegacy(r *http.Request) bool {
	return e.shakesHands(r) && !slices.Contains(e.spoken().modern, first(r.Header, headerVersion))
}

// shakesHands reports whether a revision with a handshake is served over Streamable HTTP, or the request is
// one of a session whose revision is served no longer.
func (e *Engine) shakesHands(r *http.Request) bool {
	return len(e.handshaking(hook.HTTP)) > 0 || e.goingOn(r, hook.HTTP, first(r.Header, headerSession)) != nil
}

// goingOn finds a session that has settled on a revision; nil if there is none.
func (e *Engine) goingOn(r *http.Request, transport, id string) *session {
	if s := e.reached(r, transport, id); s != nil && s.Revision() != "" {
		return s
	}
	return nil
}

// reached finds a session that belongs to whom the request belongs to; nil if there is none.
func (e *Engine) reached(r *http.Request, transport, id string) *session {
	if s := e.find(id); s != nil && s.transport == transport && s.owner == hook.OwnerOf(r.Context()) {
		return s
	}
	return nil
}

func notAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
}

// refuseHTTP answers a request that does not get as far as the protocol.
func (e *Engine) refuseHTTP(w http.ResponseWriter, r *hook.Reply) {
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
// look to be noted.
func writeMessage(w http.ResponseWriter, r *http.Request, m hook.Message) {
	if m.Tail == nil {
		writeJSON(w, m.Status, m.Header, m.Raw)
		return
	}
	if rec, direct := w.(*recorder); direct {
		rec.sendParts(cmp.Or(m.Status, http.StatusOK), m.Header, m)
		return
	}
	m = m.Whole()
	if v := visitOf(r.Context()); v != nil {
		v.rec.known, v.rec.knownID = m.Raw, m.Call.ID
	}
	writeJSON(w, m.Status, m.Header, m.Raw)
}

// post serves a POST of Streamable HTTP.
func (e *Engine) post(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "application/json") || !accepts(r, "text/event-stream") {
		e.refuseHTTP(w, failAt(http.StatusNotAcceptable, codeInvalidRequest, "Not acceptable: accept application/json and text/event-stream"))
		return
	}
	in, ok := e.body(w, r)
	if !ok {
		return
	}
	p := &post{engine: e, exchange: exchange{in: in, header: r.Header, Traced: hook.Traced{Trace: hook.TraceOf(r.Context())}}}
	refused := p.join(r)
	if refused != nil {
		writeJSON(w, refused.Status, nil, envelope(p.exchange.in.id, refused))
		return
	}
	p.serve(w, r)
}

// body reads the message of a POST, or answers why it will not.
func (e *Engine) body(w http.ResponseWriter, r *http.Request) (*incoming, bool) {
	if why := httpserve.NotJSON(r, false); why != "" {
		e.refuseHTTP(w, failAt(http.StatusUnsupportedMediaType, codeInvalidRequest,
			"Unsupported media type: "+why))
		return nil, false
	}
	if b, ok := r.Body.(*readBody); ok {
		switch {
		case b.whole():
			return &b.in, true
		case b.stalled():
			w.Header().Set("Connection", "close")
			e.refuseHTTP(w, failAt(http.StatusRequestTimeout, codeInvalidRequest,
				"Invalid request: the message did not come in time"))
			return nil, false
		}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		e.refuseHTTP(w, failAt(http.StatusRequestEntityTooLarge, codeInvalidRequest, "Invalid request: the message is too long"))
		return nil, false
	}
	if err != nil {
		e.refuseHTTP(w, failAt(http.StatusBadRequest, codeParse, "Parse error: the body could not be read"))
		return nil, false
	}
	return parse(body), true
}

// post is one POST and the stream of what comes of it.
type post struct {
	engine   *Engine
	session  *session
	exchange exchange
	stream   *stream
	modern   bool // the message is a request that is served statelessly
}

// request reports whether an answer is due.
func (p *post) request() bool { return p.exchange.in.kind == request }

// serve processes the message and answers it by a JSON object or, if there is more to say
// than the answer, by an event stream.
func (p *post) serve(w http.ResponseWriter, r *http.Request) {
	s, x := p.session, &p.exchange
	p.modern = p.request() && p.engine.claimsModern(&hook.Call{Transport: hook.HTTP, Header: x.header, Method: x.in.method, Session: s}, &x.in.params)
	p.stream = s.openStream("post")
	x.session, x.deliver, x.ended = s, p.stream.push, p.stream.finish
	if s.Revision() == "" {
		// A session without a handshake lasts as long as its POST: its client
		// leaving cancels it.
		defer func() {
			if s.Revision() == "" {
				s.end()
			}
		}()
	}
	p.engine.count(s)
	if v := visitOf(r.Context()); v != nil {
		v.pending.settled() // the message is counted from here on
	}
	if p.prompt() {
		p.engine.accept(x)
	} else {
		go p.engine.acceptApart(x)
	}
	p.respond(w, r)
}

// prompt reports whether the answer takes no time, so that it takes no goroutine beside that of
// the connection either: nothing waits, and nothing is sent before it.
func (p *post) prompt() bool {
	e, x := p.engine, &p.exchange
	if !p.request() || e.config.Latency > 0 || e.config.Hooks.Concern(x.Trace) {
		return false
	}
	switch x.in.method {
	case hook.MethodList, hook.MethodTemplates:
		return true
	case hook.MethodRead:
		found, ok := e.store.get(x.in.params.uri)
		return ok && found.constant() || !ok && !e.served().slow
	}
	return false
}

// respond waits for the first message and then knows what response to make.
func (p *post) respond(w http.ResponseWriter, r *http.Request) {
	reader := p.stream.attach()
	first, ok := p.stream.next(r.Context(), reader, 0)
	revision := p.session.Revision()
	if revision != "" && !p.modern && first.Call != nil && first.Call.Method == methodInitialize {
		w.Header().Set(headerSession, p.session.ID())
	}
	switch {
	case !ok && r.Context().Err() != nil:
		return // the client has gone
	case !ok && !p.request():
		p.session.forgetStream(p.stream)
		w.WriteHeader(http.StatusAccepted)
		return
	case ok && first.answer && (!p.engine.config.Hooks.EventStreams.Holds(hook.TraceOf(r.Context())) || first.Status >= http.StatusBadRequest || !p.request()):
		p.session.forgetStream(p.stream)
		writeMessage(w, r, first.Message)
		return
	}
	maps.Copy(w.Header(), first.Header)
	out := &responder{engine: p.engine, session: p.session, w: w, stream: p.stream, reader: reader, ids: !p.modern && revision != ""}
	out.open(r.Context(), out.ids && revision >= hook.R20251125, 0)
}

// join finds or makes the session of a POST, or says why it is refused.
func (p *post) join(r *http.Request) *hook.Reply {
	e, in := p.engine, p.exchange.in
	id := first(r.Header, headerSession)
	version := first(r.Header, headerVersion)
	statelessVersion := slices.Contains(e.spoken().modern, version)
	c := &hook.Call{Transport: hook.HTTP, Header: r.Header, Method: in.method}
	stateless := !e.shakesHands(r)
	switch {
	case in.kind == request && e.claimsModern(c, &in.params) && (id == "" || in.params.claimsModern()):
		p.session = e.newSession(e.ctx, hook.HTTP)
		return nil
	case stateless && in.kind != request && version != "" && !statelessVersion:
		return e.unsupported(hook.HTTP, version)
	case stateless && in.kind == notification && version == "":
		return mirrored(c, headerVersion, "")
	case stateless || statelessVersion && in.kind != request:
		p.session = e.newSession(e.ctx, hook.HTTP)
		return nil
	case id == "" && (in.kind == request && in.method == methodInitialize || !in.wellFormed):
		p.session = e.provisional()
		p.session.owner = hook.OwnerOf(r.Context())
		return nil
	case id == "":
		return failAt(http.StatusBadRequest, codeInvalidRequest, "Invalid request: the header "+headerSession+" is missing")
	}
	var refused *hook.Reply
	p.session, refused = e.sessionByHeader(r)
	return refused
}

// provisional makes a session that becomes known when its handshake succeeds.
func (e *Engine) provisional() *session {
	s := e.newSession(e.ctx, hook.HTTP)
	s.deliver = s.pushToGet
	return s
}

// sessionByHeader finds the session that a request names.
func (e *Engine) sessionByHeader(r *http.Request) (*session, *hook.Reply) {
	id := first(r.Header, headerSession)
	if id == "" {
		return nil, failAt(http.StatusBadRequest, codeInvalidRequest, "Invalid request: the header "+headerSession+" is missing")
	}
	s := e.goingOn(r, hook.HTTP, id)
	if s == nil {
		return nil, failAt(http.StatusNotFound, codeInvalidRequest, "Invalid request: there is no such session")
	}
	version := first(r.Header, headerVersion)
	if version != "" && version != s.Revision() && s.Revision() >= hook.R20250618 && !slices.Contains(e.handshaking(hook.HTTP), version) {
		return nil, failAt(http.StatusBadRequest, codeInvalidRequest, "Invalid request: unsupported "+writtenVersion)
	}
	return s, nil
}

// get opens or resumes an event stream of a session.
func (e *Engine) get(w http.ResponseWriter, r *http.Request) {
	if !accepts(r, "text/event-stream") {
		e.refuseHTTP(w, failAt(http.StatusNotAcceptable, codeInvalidRequest, "Not acceptable: accept text/event-stream"))
		return
	}
	s, r1 := e.sessionByHeader(r)
	if r1 != nil {
		e.refuseHTTP(w, r1)
		return
	}
	last := r.Header.Get("Last-Event-ID")
	var st *stream
	from := 0
	if last == "" {
		st = s.openStream("get")
	} else {
		number, i, ok := parseEventID(last)
		if ok {
			st, from = s.stream(number), i+1
		}
		if st == nil {
			e.refuseHTTP(w, failAt(http.StatusBadRequest, codeInvalidRequest, "Invalid request: this stream cannot be resumed"))
			return
		}
	}
	out := &responder{engine: e, session: s, w: w, stream: st, reader: st.attach(), ids: true}
	out.open(r.Context(), last == "" && s.Revision() >= hook.R20251125, from)
}

// delete ends a session.
func (e *Engine) delete(w http.ResponseWriter, r *http.Request) {
	s, r1 := e.sessionByHeader(r)
	if r1 != nil {
		e.refuseHTTP(w, r1)
		return
	}
	s.endBecause(reasonDeleted)
	w.WriteHeader(http.StatusNoContent)
}
