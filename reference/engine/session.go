package engine

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// session is what the server knows of one connection (stdio, HTTP+SSE), of one
// legacy session over Streamable HTTP, or of a single modern POST.
type session struct {
	engine    *Engine
	once      sync.Once
	id        string // see ID
	serial    uint64
	transport string
	owner     string // see hook.WithOwner
	class     string // see Engine.register
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

// newSession makes a session that ends with its parent, or with end.
func (e *Engine) newSession(parent context.Context, transport string) *session {
	s := &session{
		engine:    e,
		serial:    e.serial.Add(1),
		transport: transport,
		since:     time.Now(),
		life:      lazyContext{Context: parent},
		deliver:   func(context.Context, hook.Message) error { return nil },
	}
	s.ctx = &s.life
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
	return &journal.Entry{Kind: k, Transport: s.transport, Session: s.ID(), Revision: s.Revision(), Scope: scope}
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
	streams := slices.Clone(s.streams)
	for _, l := range s.listens {
		l.stop()
	}
	s.listens = nil
	s.mu.Unlock()
	for _, st := range streams {
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
	s.notify(hook.NotificationUpdated, hook.Object{"uri": uri}, func() bool { return s.subscribed[uri] }, func(l *listen) bool { return slices.Contains(l.uris, uri) })
}

// notifyListChanged tells the client that the list has changed: everyone after
// a handshake, and the listen streams that asked for it.
func (s *session) notifyListChanged() {
	s.notify(hook.NotificationListChanged, nil, func() bool { return true }, func(l *listen) bool { return l.listChanged })
}

// notify sends a notification to a client after a handshake, and on listen streams, if they are to get it.
func (s *session) notify(method string, params hook.Object, wanted func() bool, listens func(l *listen) bool) {
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
		ID: s.ID(), Transport: s.transport, Revision: s.revision, Since: s.since, Client: s.client, Capabilities: s.declared,
		Subscriptions: slices.AppendSeq([]string{}, maps.Keys(s.subscribed)), Listens: len(s.listens), InFlight: len(s.inflight),
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

// Since is when the server was made.
func (e *Engine) Since() time.Time { return e.started }

// lazyContext is a context that can be cancelled. Most are not waited for: it is tied to the one
// that it is made of when somebody waits, and not before.
type lazyContext struct {
	context.Context // what it is made of

	mu      sync.Mutex
	stopped bool
	tied    context.Context // nil if nobody has waited
	stop    context.CancelFunc
}

// Done implements context.Context.
func (c *lazyContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tied == nil {
		c.tied, c.stop = context.WithCancel(c.Context)
		if c.stopped {
			c.stop()
		}
	}
	return c.tied.Done()
}

// Err implements context.Context.
func (c *lazyContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stopped {
		return context.Canceled
	}
	return c.Context.Err()
}

// Value implements context.Context. Package context asks in this way what a context that it
// derives from this one is to be tied to.
func (c *lazyContext) Value(key any) any {
	c.mu.Lock()
	ctx := c.tied
	c.mu.Unlock()
	if ctx == nil {
		ctx = c.Context
	}
	return ctx.Value(key)
}

// cancel ends the context.
func (c *lazyContext) cancel() {
	c.mu.Lock()
	c.stopped = true
	stop := c.stop
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}
