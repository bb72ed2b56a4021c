package record

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/httpserve"
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

	mu      sync.Mutex
	running map[string]*hosted // by session; that of all requests without one under ""
	serial  int
	uses    int // of sessions, so far
	closed  bool
	runs    sync.WaitGroup
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
	if t := s.running[id]; t != nil && !t.dead.Load() {
		s.claim(t)
		return t, nil
	}
	var victim *hosted
	full := id != "" && len(s.running) >= maxSessions
	if full {
		victim = s.idlest()
	}
	if s.closed || full && victim == nil {
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
	t := &hosted{sessions: s, id: id, process: p}
	s.claim(t)
	s.recorder.journal.Note(&journal.Entry{Kind: journal.Opened, Transport: hook.HTTP, Session: id,
		Scope: journal.ScopeSession}, nil)
	s.running[id] = t
	s.runs.Go(t.run)
	return t, nil
}

// idlest is the session that nobody has been at for longest, nil if somebody is at each: clients go without
// ending theirs. The caller holds mu.
func (s *Sessions) idlest() *hosted {
	var found *hosted
	for _, t := range s.running {
		if t.id != "" && t.claims == 0 && (found == nil || t.used < found.used) {
			found = t
		}
	}
	return found
}

// find finds a session that has not ended, and claims it. What is for requests without one is none.
func (s *Sessions) find(id string) *hosted {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.running[id]
	if t == nil || id == "" {
		return nil
	}
	s.claim(t)
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
}

// ServeHTTP serves Streamable HTTP.
func (s *Sessions) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !s.recorder.admit(w, r) {
		return
	}
	if r.URL.Path != s.Path() {
		http.Error(w, "the endpoint is "+s.Path(), http.StatusNotFound)
		return
	}
	e, body := s.recorder.arrived(w, r)
	if e == nil {
		return
	}
	a := &response{ResponseWriter: w, asked: r.Context(), sessions: s, entry: e,
		stream: strings.ToLower(r.Method), wake: make(chan struct{}, 1),
		streams: r.Method == http.MethodGet || strings.Contains(r.Header.Get("Accept"), "text/event-stream")}
	switch r.Method {
	case http.MethodPost:
		a.post(body)
	case http.MethodGet, http.MethodDelete:
		e.Kind = journal.HTTPRequest
		s.recorder.note(e, nil)
		t := s.find(e.Session)
		if t == nil {
			a.refuse(http.StatusNotFound, "there is no such session")
			return
		}
		defer s.release(t)
		if r.Method == http.MethodDelete {
			t.end("deleted")
			a.accept(http.StatusNoContent)
			return
		}
		t.listen(a)
	default:
		w.Header().Set("Allow", "GET, POST, DELETE")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// sessionOf finds or begins the session that a message is for, which the entry then names; nil if it is
// refused.
func (s *Sessions) sessionOf(e *journal.Entry, raw []byte, kind *journal.Entry) (t *hosted, status int,
	why string) {
	modern := gjson.GetBytes(raw, `params._meta.io\.modelcontextprotocol/protocolVersion`).Exists() ||
		hook.Modern(e.Revision)
	var err error
	switch {
	case e.Session != "":
		return s.find(e.Session), http.StatusNotFound,
			"there is no such session: it has been ended, or the server has"
	case modern && kind.Kind == journal.Batch:
		return nil, http.StatusBadRequest,
			"without a session there are no batches: send each message by itself"
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
		return nil, http.StatusBadRequest,
			"a session begins with initialize, and all that follows names it in Mcp-Session-Id"
	}
	if err != nil {
		why = "the recorded server cannot be started: " + s.recorder.journal.Hide(err.Error())
		return nil, http.StatusBadGateway, why
	}
	return t, 0, ""
}

// Serve serves a [Proxy] or [Sessions] on a listener until the context ends. What lasts longer than
// the grace is cut off.
func Serve(ctx context.Context, l net.Listener, h http.Handler, grace time.Duration) error {
	return httpserve.Until(ctx, l, h, grace)
}
