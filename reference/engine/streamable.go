package engine

import (
	"maps"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/reference/hook"
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
	in, ok := e.body(w, r)
	if !ok {
		return
	}
	p := &post{engine: e, exchange: exchange{in: in, header: r.Header,
		Traced: hook.Traced{Trace: hook.TraceOf(r.Context())}}}
	refused := p.join(r)
	if refused != nil {
		writeJSON(w, refused.Status, nil, envelope(p.exchange.in.id, refused))
		return
	}
	p.serve(w, r)
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
	p.modern = p.request() && p.engine.claimsModern(&hook.Call{Transport: hook.HTTP, Header: x.header,
		Method: x.in.method, Session: s}, &x.in.params)
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
		v.settled()
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
	case ok && first.Kind == hook.Response && (!p.engine.config.Hooks.EventStreams.Holds(hook.TraceOf(r.Context())) ||
		first.Status >= http.StatusBadRequest || !p.request()):
		p.session.forgetStream(p.stream)
		writeMessage(w, first)
		return
	}
	maps.Copy(w.Header(), first.Header)
	out := &responder{session: p.session, w: w, stream: p.stream, reader: reader, ids: !p.modern && revision != ""}
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
		return badRequest("the header " + headerSession + " is missing")
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
			refuseHTTP(w, badRequest("this stream cannot be resumed"))
			return
		}
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
