package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
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

// maxSessions bounds the memory that clients can make the server keep: how many sessions of a class there can
// be.
const maxSessions = 1024

// register makes a session known. Those of a class push out none of another. If there are too many with a
// handshake over Streamable HTTP, one is ended that its client seems to have left behind. The others end with
// their connections; one too many is refused.
func (e *Engine) register(s *session) error {
	left, err := e.admit(s)
	if left != nil {
		left.endBecause(reasonEvicted)
	}
	if err == nil {
		s.noteOpened()
	}
	return err
}

// admit puts a session among those of the engine, and returns the one that makes room; nil if none has to.
func (e *Engine) admit(s *session) (left *session, err error) {
	s.class = s.transport
	if s.class == hook.HTTP && s.Revision() == "" {
		s.class = "listens"
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	switch full := e.classes[s.class] >= maxSessions; {
	case e.closed:
		return nil, errClosed
	case full && s.class != hook.HTTP:
		return nil, errFull
	case full:
		left = e.leftBehind()
		e.remove(left)
	}
	s.used.Store(e.clock.Add(1))
	e.sessions[s.ID()] = s
	e.classes[s.class]++
	s.listed.Store(true)
	return left, nil
}

// leftBehind is the session with a handshake over Streamable HTTP that has not been used for the longest
// time; one in use only if all are. The caller holds e.mu.
func (e *Engine) leftBehind() *session {
	var idle, any *session
	for _, s := range e.sessions {
		if s.class != hook.HTTP {
			continue
		}
		if any == nil || s.used.Load() < any.used.Load() {
			any = s
		}
		if (idle == nil || s.used.Load() < idle.used.Load()) && !s.inUse() {
			idle = s
		}
	}
	return cmp.Or(idle, any)
}

func (e *Engine) unregister(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.remove(s)
}

// remove takes a session out. The caller holds e.mu.
func (e *Engine) remove(s *session) {
	if e.sessions[s.ID()] == s {
		delete(e.sessions, s.ID())
		e.classes[s.class]--
	}
}

func (e *Engine) find(id string) *session {
	if id == "" {
		return nil
	}
	e.mu.RLock()
	defer e.mu.RUnlock()
	s := e.sessions[id]
	if s != nil {
		s.used.Store(e.clock.Add(1))
	}
	return s
}

// open lists the sessions, oldest first.
func (e *Engine) open() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ordered()
}

// ordered lists the sessions, oldest first. The caller holds e.mu.
func (e *Engine) ordered() []*session {
	return slices.SortedFunc(maps.Values(e.sessions), func(a, b *session) int {
		return cmp.Compare(a.serial, b.serial)
	})
}

// shut marks the server as closed and takes its sessions.
func (e *Engine) shut() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	all := e.ordered()
	e.sessions = map[string]*session{}
	return all
}

// Closed reports whether the server has ended.
func (e *Engine) Closed() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.closed
}

var (
	errClosed = errors.New("the server is closed")
	errFull   = errors.New("there are too many connections of this kind already")
)

// session is what the server knows of one connection (stdio, HTTP+SSE), of one
// legacy session over Streamable HTTP, or of a single modern POST.
type session struct {
	engine    *Engine
	once      sync.Once
	id        string // see ID
	serial    uint64
	transport string
	class     string // see Engine.register
	owner     string // see hook.WithOwner
	since     time.Time
	ctx       *lazyContext // life
	life      lazyContext
	// deliver sends a message that belongs to no call.
	deliver func(ctx context.Context, m hook.Message) error
	busy    atomic.Int64  // messages that are being answered
	listed  atomic.Bool   // among those of the engine
	used    atomic.Uint64 // when it was last asked for, on the engine's clock

	mu          sync.Mutex
	revision    string // negotiated by initialize
	subscribed  map[string]bool
	inflight    []*running
	listens     []*listen              // oldest first
	client      json.RawMessage        // who the client says it is
	declared    json.RawMessage        // the capabilities of the client
	asks        map[string]chan []byte // requests of ours that wait for an answer, by id
	asked       int
	initialized bool // the client has said so
	opened      bool // noted in the journal as open
	closed      bool
	streams     []*stream // Streamable HTTP, oldest first
	streamCount int
}

// newSession makes a session that ends with the server, or with end.
func (e *Engine) newSession(transport string) *session {
	s := &session{
		engine:    e,
		serial:    e.serial.Add(1),
		transport: transport,
		since:     time.Now(),
		life:      lazyContext{Context: e.ctx},
	}
	s.ctx, s.deliver = &s.life, s.pushToGet
	return s
}

// noteOpened notes that the session has become known.
func (s *session) noteOpened() {
	s.mu.Lock()
	again := s.opened || s.transport == hook.HTTP && s.revision == ""
	s.opened = s.opened || !again
	s.mu.Unlock()
	if !again {
		s.engine.config.Journal.Note(s.entry(journal.Opened), nil)
	}
}

// known reports whether the journal has noted that the session was opened.
func (s *session) known() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opened
}

// entry is a journal entry about the session as a whole.
func (s *session) entry(k journal.Kind) *journal.Entry {
	scope := journal.ScopeConnection
	if s.transport == hook.HTTP {
		scope = journal.ScopeSession
	}
	return &journal.Entry{Kind: k, Transport: s.transport, Session: s.ID(), Revision: s.Revision(),
		Scope: scope}
}

// end ends the session, for no reason of the client's.
func (s *session) end() { s.endBecause(reasonServer) }

// endBecause ends the session: its calls are cancelled and its streams finish.
func (s *session) endBecause(reason string) {
	s.mu.Lock()
	noted := s.opened && !s.closed
	s.closed = true
	s.mu.Unlock()
	if noted {
		entry := s.entry(journal.Closed)
		entry.Reason = reason
		s.engine.config.Journal.Note(entry, nil)
	}
	if s.listed.Load() {
		s.engine.unregister(s)
	}
	s.ctx.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.listens {
		l.stop()
	}
	s.listens = nil
	for _, st := range s.streams {
		st.finish()
	}
}

// ID implements hook.Session.
func (s *session) ID() string {
	s.once.Do(func() { s.id = rand.Text() })
	return s.id
}

// Transport implements hook.Session.
func (s *session) Transport() string { return s.transport }

// Revision implements hook.Session.
func (s *session) Revision() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.revision
}

// Send implements hook.Session.
func (s *session) Send(ctx context.Context, raw []byte) error {
	return s.deliver(ctx, hook.Message{
		Kind: hook.Notification, Raw: raw, Revision: s.Revision(), Transport: s.transport, Session: s,
	})
}

// Sessions implements hook.Session.
func (s *session) Sessions() []hook.Session {
	var sessions []hook.Session
	for _, other := range s.engine.open() {
		sessions = append(sessions, other)
	}
	return sessions
}

// Abort implements hook.Session.
func (s *session) Abort() { s.endBecause(reasonAbort) }

// maxInFlight bounds the calls that a session may have open at once.
const maxInFlight = 256

// running is a request in flight.
type running struct {
	lazyContext
	key string
}

// begin notes a request as being in flight, until it is done. It can be cancelled until then;
// nil says that there are too many.
func (s *session) begin(ctx context.Context, key string) *running {
	r := &running{lazyContext{Context: ctx}, key}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inflight) >= maxInFlight {
		return nil
	}
	// The client must not reuse an id that is in flight. Both calls are served, but only
	// the first can be cancelled.
	if s.running(key) == nil {
		s.inflight = append(s.inflight, r)
	}
	return r
}

// running is the request in flight with that id, if any. The caller holds mu.
func (s *session) running(key string) *running {
	for _, r := range s.inflight {
		if r.key == key {
			return r
		}
	}
	return nil
}

// done ends a request.
func (s *session) done(r *running) {
	r.cancel()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.inflight = slices.DeleteFunc(s.inflight, func(other *running) bool { return other == r })
}

// cancelCall stops the request or the listen stream with that id, if any.
func (s *session) cancelCall(key string) {
	s.mu.Lock()
	r := s.running(key)
	l := s.listen(key)
	s.mu.Unlock()
	if r != nil {
		r.cancel()
	}
	if l != nil {
		s.dropListen(l)
	}
}

// emit sends a message that belongs to no call through the hooks.
func (s *session) emit(m hook.Message) {
	m.Revision, m.Transport, m.Session = s.Revision(), s.transport, s
	// A connection that can no longer be written to is noticed by its reader.
	_ = s.engine.emitter(s.ctx, m.To(s.deliver))
}

// notifyUpdated tells the client of a change of a resource, if it asked for that.
func (s *session) notifyUpdated(uri string) {
	s.notify(hook.NotificationUpdated, hook.Object{"uri": uri}, func() bool {
		return s.subscribed[uri]
	}, func(l *listen) bool { return slices.Contains(l.uris, uri) })
}

// notifyListChanged tells the client that the list has changed: everyone after
// a handshake, and the listen streams that asked for it.
func (s *session) notifyListChanged() {
	s.notify(hook.NotificationListChanged, nil, func() bool { return true }, func(l *listen) bool {
		return l.listChanged
	})
}

// notify sends a notification to a client after a handshake, and on listen streams, if they are to get it.
func (s *session) notify(method string, params hook.Object, wanted func() bool,
	listens func(l *listen) bool) {
	s.mu.Lock()
	told := s.revision != "" && wanted()
	open := slices.Clone(s.listens)
	s.mu.Unlock()
	if told {
		s.emit(hook.NewNotification(method, params))
	}
	for _, l := range open {
		if listens(l) {
			l.notify(method, params)
		}
	}
}

// farewell ends the listen streams with the result that says that the server did
// it.
func (s *session) farewell() {
	s.mu.Lock()
	listens := slices.Clone(s.listens)
	s.mu.Unlock()
	for _, l := range listens {
		l.farewell()
		s.dropListen(l)
	}
}

func (s *session) addListen(l *listen) (why string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.ctx.Err() != nil:
		return "the connection is ending"
	case s.listen(l.key) != nil:
		return "a subscription with this id is open"
	case len(s.listens) >= maxListens:
		return "too many open subscriptions"
	}
	s.listens = append(s.listens, l)
	return ""
}

// listen is the stream with that key, if there is one. The caller holds mu.
func (s *session) listen(key string) *listen {
	for _, l := range s.listens {
		if l.key == key {
			return l
		}
	}
	return nil
}

// dropListen ends a stream: nothing more is sent for it.
func (s *session) dropListen(l *listen) {
	s.mu.Lock()
	s.listens = slices.DeleteFunc(s.listens, func(other *listen) bool { return other == l })
	s.mu.Unlock()
	l.stop()
}

// SessionInfo describes an open session.
type SessionInfo struct {
	ID        string `json:"id"`
	Transport string `json:"transport"`
	// Revision is the negotiated one; empty before the handshake, and for a
	// listen stream over HTTP, which is a session of its own.
	Revision string    `json:"revision,omitempty"`
	Since    time.Time `json:"since"`
	// Client is the clientInfo of the handshake.
	Client json.RawMessage `json:"client,omitempty"`
	// Capabilities are what the client has declared in it.
	Capabilities json.RawMessage `json:"capabilities,omitempty"`
	// Subscriptions are the URIs that it has subscribed to or listens to, sorted.
	Subscriptions []string `json:"subscriptions"`
	// Listens is the number of its listen streams, InFlight that of its
	// requests that are being worked on.
	Listens  int `json:"listens"`
	InFlight int `json:"inFlight"`
}

// Sessions lists the open sessions, oldest first.
func (e *Engine) Sessions() []SessionInfo {
	all := []SessionInfo{}
	for _, s := range e.open() {
		all = append(all, s.info())
	}
	return all
}

func (s *session) info() SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := SessionInfo{
		ID: s.ID(), Transport: s.transport, Revision: s.revision, Since: s.since, Client: s.client,
		Capabilities:  s.declared,
		Subscriptions: slices.AppendSeq([]string{}, maps.Keys(s.subscribed)), Listens: len(s.listens),
		InFlight: len(s.inflight),
	}
	for _, l := range s.listens {
		i.Subscriptions = append(i.Subscriptions, l.uris...)
	}
	slices.Sort(i.Subscriptions)
	i.Subscriptions = slices.Compact(i.Subscriptions)
	return i
}

// EndSession ends a session as a server may at any time, and reports whether there
// was one: its streams finish, and what names it later is refused.
func (e *Engine) EndSession(id string) bool {
	s := e.find(id)
	if s == nil {
		return false
	}
	s.farewell()
	s.end()
	return true
}
