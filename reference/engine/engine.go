// Package engine is the reference server itself: a store of resources, the
// protocol in its five revisions, and the three transports that carry it.
//
// It works on raw bytes. Hooks (package hook) change its behaviour from outside;
// nothing in here knows of faults or quirks. All waiting is done on channels,
// timers and condition variables, and every goroutine ends on Close, so that
// a server can live in a testing/synctest bubble.
package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Config is what a server is made of.
type Config struct {
	// World is what it serves. It is used as it is, not copied.
	World world.World
	// Revisions are those it serves; empty means all.
	Revisions []string
	// PageSize is the number of entries on a page; 0 puts all on one.
	PageSize int
	// Latency delays every answer.
	Latency time.Duration
	// AllowedOrigins are web origins ("https://app.example") that may use the
	// HTTP endpoints, beside those on loopback addresses.
	AllowedOrigins []string
	// Name and Version replace those of the world, if not empty.
	Name, Version string
	// Now is the clock for expiry dates; nil means time.Now.
	Now func() time.Time
	// Hooks change the behaviour.
	Hooks hook.Hooks
}

// Revisions lists all revisions that the engine speaks, oldest first.
func Revisions() []string {
	return []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125, hook.R20260728}
}

// Engine serves one world to any number of connections.
type Engine struct {
	config    Config
	caps      world.Capabilities
	store     *store
	templates []*template
	legacy    []string // served, oldest first
	modern    []string
	key       []byte // signs cursors and request states

	handle  hook.Handler
	emitter hook.Emitter
	receive hook.Receiver
	event   hook.EventWriter
	web     http.Handler

	ctx    context.Context
	cancel context.CancelFunc
	pipes  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	sessions map[string]*session
	serial   uint64
}

// New makes a server. It fails if the world is inconsistent or a revision is
// unknown.
func New(config Config) (*Engine, error) {
	if err := config.World.Validate(); err != nil {
		return nil, err
	}
	if config.PageSize < 0 || config.Latency < 0 {
		return nil, errors.New("page size and latency must not be negative")
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	e := &Engine{
		config:   config,
		caps:     world.AllCapabilities(),
		key:      signingKey(config.World.Name),
		sessions: map[string]*session{},
	}
	if config.World.Capabilities != nil {
		e.caps = *config.World.Capabilities
	}
	if err := e.pickRevisions(config.Revisions); err != nil {
		return nil, err
	}
	store, err := newStore(config.World.Resources)
	if err != nil {
		return nil, err
	}
	e.store = store
	for _, t := range config.World.Templates {
		e.templates = append(e.templates, compileTemplate(t))
	}
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.install(config.Hooks)
	return e, nil
}

func (e *Engine) pickRevisions(wanted []string) error {
	if len(wanted) == 0 {
		wanted = Revisions()
	}
	for _, r := range wanted {
		if !slices.Contains(Revisions(), r) {
			return fmt.Errorf("unknown revision %q: known are %v", r, Revisions())
		}
	}
	for _, r := range Revisions() {
		if !slices.Contains(wanted, r) {
			continue
		}
		if hook.Modern(r) {
			e.modern = append(e.modern, r)
		} else {
			e.legacy = append(e.legacy, r)
		}
	}
	return nil
}

func (e *Engine) install(h hook.Hooks) {
	e.handle, e.emitter, e.receive, e.event = e.serve, hook.Deliver, e.arrive, writeEvent
	e.web = http.HandlerFunc(e.serveHTTP)
	if h.Handle != nil {
		e.handle = h.Handle(e.handle)
	}
	if h.Emit != nil {
		e.emitter = h.Emit(e.emitter)
	}
	if h.Receive != nil {
		e.receive = h.Receive(e.receive)
	}
	if h.Event != nil {
		e.event = h.Event(e.event)
	}
	if h.HTTP != nil {
		e.web = h.HTTP(e.web)
	}
}

// supported lists the revisions served on a transport, newest first.
func (e *Engine) supported(transport string) []string {
	all := e.handshaking(transport)
	if transport != hook.SSE {
		all = append(all, e.modern...)
	}
	slices.Reverse(all)
	return all
}

// handshaking lists the served revisions with a handshake that the specification
// defines for a transport, oldest first: 2024-11-05 has no Streamable HTTP, and
// nothing after it has HTTP+SSE.
func (e *Engine) handshaking(transport string) []string {
	return slices.DeleteFunc(slices.Clone(e.legacy), func(r string) bool {
		switch {
		case e.config.Hooks.OffGrid:
			return false
		case transport == hook.HTTP:
			return r == hook.R20241105
		case transport == hook.SSE:
			return r != hook.R20241105
		}
		return false
	})
}

// Close ends the server: listen streams get their final result, all
// connections end, and nothing is served any more. It waits for the in-process
// connections.
func (e *Engine) Close() error {
	for _, s := range e.shut() {
		s.farewell()
		s.end()
	}
	e.cancel()
	e.pipes.Wait()
	return nil
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

// crash ends the server without any farewell.
func (e *Engine) crash() {
	for _, s := range e.shut() {
		s.end()
	}
	e.cancel()
}

// ordered lists the sessions, oldest first. The caller holds e.mu.
func (e *Engine) ordered() []*session {
	all := make([]*session, 0, len(e.sessions))
	for _, s := range e.sessions {
		all = append(all, s)
	}
	slices.SortFunc(all, func(a, b *session) int { return int(int64(a.serial) - int64(b.serial)) })
	return all
}

// open lists the sessions, oldest first.
func (e *Engine) open() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ordered()
}

func (e *Engine) find(id string) *session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sessions[id]
}

// maxSessions bounds the memory that clients can make the server keep.
const maxSessions = 1024

// register makes a session known. The oldest is ended when there are too many.
func (e *Engine) register(s *session) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return errClosed
	}
	var oldest *session
	if len(e.sessions) >= maxSessions {
		oldest = e.ordered()[0]
		delete(e.sessions, oldest.id)
	}
	e.sessions[s.id] = s
	e.mu.Unlock()
	if oldest != nil {
		oldest.end()
	}
	return nil
}

func (e *Engine) unregister(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.sessions[s.id] == s {
		delete(e.sessions, s.id)
	}
}

func (e *Engine) isClosed() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.closed
}

var errClosed = errors.New("the server is closed")

// Put adds a resource at the end of the list or replaces the one with its URI.
// Subscribers of a replaced one are notified, and everyone who asked for it when
// the list has changed.
func (e *Engine) Put(r world.Resource) error {
	if err := r.Validate(); err != nil {
		return err
	}
	existed, listChanged, err := e.store.put(r.Clone())
	if err != nil {
		return err
	}
	if listChanged {
		e.ListChanged()
	}
	if existed {
		e.notifyUpdated(r.URI)
	}
	return nil
}

// Remove takes a resource away and reports whether it was there.
func (e *Engine) Remove(uri string) bool {
	was, listed := e.store.remove(uri)
	if listed {
		e.ListChanged()
	}
	return was
}

// Touch notifies the subscribers of a resource as if its content had changed. It
// reports whether there is such a resource.
func (e *Engine) Touch(uri string) bool {
	if !e.exists(uri) {
		return false
	}
	e.notifyUpdated(uri)
	return true
}

// ListChanged tells clients that the list of resources has changed.
func (e *Engine) ListChanged() {
	if !e.caps.ListChanged {
		return
	}
	for _, s := range e.open() {
		s.notifyListChanged()
	}
}

// EndSubscriptions ends all listen streams as a shutdown does, and nothing else.
func (e *Engine) EndSubscriptions() {
	for _, s := range e.open() {
		s.farewell()
	}
}

func (e *Engine) notifyUpdated(uri string) {
	if !e.caps.Subscribe {
		return
	}
	for _, s := range e.open() {
		s.notifyUpdated(uri)
	}
}
