package record

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
	"github.com/mcpcheck/mcpcheck/reference/internal/loopback"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// Process is a server on stdio that has been started.
type Process struct {
	In  io.WriteCloser
	Out io.Reader
	// End has it end, and waits until it has.
	End func()
}

// maxSessions bounds the servers that run at a time.
const maxSessions = 64

// Sessions offers a server on stdio over Streamable HTTP, and records what is said. Each session
// has a server of its own, which ends with it; all requests of the revisions without sessions
// share one, under ids and progress tokens of our own.
type Sessions struct {
	recorder *Recorder
	start    func() (Process, error)

	mu        sync.Mutex
	running   map[string]*hosted
	stateless *hosted
	serial    int
	uses      int // of sessions, so far
	closed    bool
	runs      sync.WaitGroup
}

// Sessions makes it; start starts a server.
func (r *Recorder) Sessions(start func() (Process, error)) *Sessions {
	return &Sessions{recorder: r, start: start, running: map[string]*hosted{}}
}

// Path is that of the endpoint.
func (s *Sessions) Path() string { return "/mcp" }

// Close ends all servers.
func (s *Sessions) Close() {
	s.mu.Lock()
	s.closed = true
	all := slices.Collect(maps.Values(s.running))
	if s.stateless != nil {
		all = append(all, s.stateless)
	}
	s.mu.Unlock()
	var ending sync.WaitGroup
	for _, t := range all {
		ending.Go(func() { t.end("shutdown") })
	}
	ending.Wait()
	s.runs.Wait()
}

// begin starts a server for a session, and claims it; an empty id is that of all requests without.
// If there are too many, one that nobody is at has to go.
func (s *Sessions) begin(id string) (*hosted, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id == "" && s.stateless != nil && !s.stateless.isDead() {
		s.claim(s.stateless)
		return s.stateless, nil
	}
	var victim *hosted
	if id != "" && len(s.running) >= maxSessions {
		victim = s.idlest()
	}
	if s.closed || victim == nil && id != "" && len(s.running) >= maxSessions {
		return nil, fmt.Errorf("there are %d sessions at work, and no more are kept", len(s.running))
	}
	p, err := s.start()
	if err != nil {
		return nil, err
	}
	if victim != nil {
		delete(s.running, victim.id)
		s.runs.Go(func() { victim.end("evicted") })
	}
	t := &hosted{sessions: s, id: id, process: p, waiting: map[string][]*waiter{}, tokens: map[string]*waiter{}, dead: make(chan struct{})}
	s.claim(t)
	s.recorder.journal.Note(&journal.Entry{Kind: journal.Opened, Transport: hook.HTTP, Session: id, Scope: journal.ScopeSession}, nil)
	if id == "" {
		s.stateless = t
	} else {
		s.running[id] = t
	}
	s.runs.Go(t.run)
	return t, nil
}

// idlest is the session that nobody has been at for longest, nil if somebody is at each: clients go without
// ending theirs. The caller holds mu.
func (s *Sessions) idlest() *hosted {
	var found *hosted
	for _, t := range s.running {
		if t.claims == 0 && (found == nil || t.used < found.used) {
			found = t
		}
	}
	return found
}

// find finds a session that has not ended, and claims it.
func (s *Sessions) find(id string) *hosted {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.running[id]
	if t != nil {
		s.claim(t)
	}
	return t
}

// claim says that a request is at a session. The caller holds mu.
func (s *Sessions) claim(t *hosted) {
	t.claims++
	s.uses++
	t.used = s.uses
}

// release says that a request is not at a session any more.
func (s *Sessions) release(t *hosted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t.claims--
	s.uses++
	t.used = s.uses
}

func (s *Sessions) forget(t *hosted) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[t.id] == t {
		delete(s.running, t.id)
	}
	if s.stateless == t {
		s.stateless = nil
	}
}

// ServeHTTP serves Streamable HTTP.
func (s *Sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	switch {
	case loopback.Rebound(r) || origin != "" && !loopback.Origin(origin):
		http.Error(w, "this host name or origin is not allowed", http.StatusForbidden)
		return
	case r.URL.Path != s.Path():
		http.Error(w, "the endpoint is "+s.Path(), http.StatusNotFound)
		return
	}
	e, body, ok := s.recorder.arrived(w, r)
	if !ok {
		return
	}
	switch r.Method {
	case http.MethodPost:
		s.post(w, r, e, body)
	case http.MethodGet, http.MethodDelete:
		e.Kind = journal.HTTPRequest
		seq := s.recorder.note(e, nil)
		t := s.find(e.Session)
		if t == nil {
			s.refuse(w, e, seq, http.StatusNotFound, "there is no such session")
			return
		}
		defer s.release(t)
		if r.Method == http.MethodDelete {
			t.end("deleted")
			s.answer(e, seq, http.StatusNoContent)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		t.listen(w, r, e, seq)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// answer notes the answer to an HTTP request that has no message in it.
func (s *Sessions) answer(e *journal.Entry, seq uint64, status int) {
	s.recorder.journal.Note(&journal.Entry{
		Direction: journal.Out, Kind: journal.HTTPAnswer, Transport: hook.HTTP, Session: e.Session, Connection: e.Connection, Revision: e.Revision,
		Method: e.Method, URI: e.URI, RequestSeq: seq, HTTP: &journal.HTTP{Status: status},
	}, nil)
}

// accept answers a POST to which no answer is due.
func (s *Sessions) accept(w http.ResponseWriter, e *journal.Entry, seq uint64) {
	s.answer(e, seq, http.StatusAccepted)
	w.WriteHeader(http.StatusAccepted)
}

// refuse answers an HTTP request with an error of our own.
func (s *Sessions) refuse(w http.ResponseWriter, e *journal.Entry, seq uint64, status int, why string) {
	s.answer(e, seq, status)
	http.Error(w, why, status)
}

// post takes a message of the client.
func (s *Sessions) post(w http.ResponseWriter, r *http.Request, e *journal.Entry, body []byte) {
	raw := inLine(body)
	var kind journal.Entry
	kind.Classify(raw)
	modern := gjson.GetBytes(raw, `params._meta.io\.modelcontextprotocol/protocolVersion`).Exists() || hook.Modern(e.Revision)
	var t *hosted
	var err error
	switch id := e.Session; {
	case id != "":
		if t = s.find(id); t == nil {
			s.refuse(w, e, s.recorder.note(e, body), http.StatusNotFound, "there is no such session: it has been ended, or the server has")
			return
		}
	case modern && kind.Kind == journal.Batch:
		s.refuse(w, e, s.recorder.note(e, body), http.StatusBadRequest, "without a session there are no batches: send each message by itself")
		return
	case modern:
		s.mu.Lock()
		s.serial++
		e.Session = fmt.Sprintf("post-%d", s.serial) // so that ids of several clients stay apart
		s.mu.Unlock()
		t, err = s.begin("")
	case kind.Method == "initialize":
		e.Session = rand.Text()
		t, err = s.begin(e.Session)
	default:
		s.refuse(w, e, s.recorder.note(e, body), http.StatusBadRequest, "a session begins with initialize, and all that follows names it in Mcp-Session-Id")
		return
	}
	seq := s.recorder.note(e, body)
	if err != nil {
		s.refuse(w, e, seq, http.StatusBadGateway, "the recorded server cannot be started: "+s.recorder.text(err.Error()))
		return
	}
	defer s.release(t)
	switch {
	case kind.Kind == journal.Request || kind.Kind == journal.Batch:
	case t.id == "" && kind.Method == "notifications/cancelled":
		// The id in it may be that of a request of another client: this one cancels by leaving.
		s.accept(w, e, seq)
		return
	default:
		t.write(bytes.Clone(raw))
		s.accept(w, e, seq)
		return
	}
	t.request(w, r, e, seq, raw)
}

// headers are those of a message without what must not be written down.
func (r *Recorder) headers(h http.Header) http.Header {
	h = journal.Mask(h)
	for name, values := range h {
		masked := make([]string, len(values))
		for i, v := range values {
			masked[i] = r.text(v)
		}
		h[name] = masked
	}
	return h
}

// The bounds of a server that offers a recorder over HTTP.
const (
	headTimeout = 10 * time.Second
	idleTimeout = 2 * time.Minute
)

// Serve serves a [Proxy] or [Sessions] on a listener until the context ends. What lasts longer than
// the grace is cut off.
func Serve(ctx context.Context, l net.Listener, h http.Handler, grace time.Duration) error {
	return httpserve.Until(ctx, l, &http.Server{Handler: h, ReadHeaderTimeout: headTimeout, IdleTimeout: idleTimeout}, grace)
}
