// Package engine is the reference server itself: a store of resources, the
// protocol in its five revisions, and the three transports that carry it.
//
// It works on raw bytes. Hooks (package hook) change its behaviour from outside;
// nothing in here knows of faults or quirks. All waiting is done on channels,
// timers and condition variables, and every goroutine ends on Close, so that
// a server can live in a testing/synctest bubble.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/revision"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
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
	// Journal notes what comes and goes; nil notes nothing.
	Journal *journal.Journal
	// AllowedOrigins are web origins ("https://app.example") that may use the
	// HTTP endpoints, beside those on loopback addresses.
	AllowedOrigins []string
	// AllowedHosts are names, "*" for all, by which the HTTP endpoints may be called beside
	// those of loopback addresses. Without any the name matters at loopback addresses only.
	AllowedHosts []string
	// Now is the clock for expiry dates; nil means time.Now.
	Now func() time.Time
	// Hooks change the behaviour.
	Hooks hook.Hooks
}

// Engine serves one world to any number of connections.
type Engine struct {
	config  Config
	store   *store
	state   atomic.Pointer[snapshot]
	change  sync.Mutex // serialises changes of the world
	speaks  atomic.Pointer[revisions]
	key     []byte // signs cursors and request states
	started time.Time

	handle  hook.Handler
	emitter hook.Emitter
	receive hook.Receiver
	event   hook.EventWriter
	web     http.Handler

	ctx    context.Context
	cancel context.CancelFunc
	pipes  sync.WaitGroup
	busy   atomic.Int64  // messages that are being answered
	serial atomic.Uint64 // of the newest session
	clock  atomic.Uint64 // counts how often sessions were asked for

	mu       sync.RWMutex
	closed   bool
	sessions map[string]*session
	classes  map[string]int // how many of these there are, by class
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
		started:  time.Now(),
		key:      signingKey(config.World.Name),
		sessions: map[string]*session{},
		classes:  map[string]int{},
	}
	if err := e.SetRevisions(config.Revisions); err != nil {
		return nil, err
	}
	store, err := newStore(config.World.Resources)
	if err != nil {
		return nil, err
	}
	e.store = store
	e.state.Store(takeSnapshot(config.World, config.PageSize, nil))
	e.config.World = world.World{} // the store has the resources now, the snapshot the rest
	e.ctx, e.cancel = context.WithCancel(context.Background())
	e.install(config.Hooks)
	return e, nil
}

// revisions are those that are served. They are never changed, but replaced.
type revisions struct {
	legacy []string // oldest first
	modern []string
	grid   map[string][]string // the legacy ones by transport
}

// spoken are the revisions that are served now.
func (e *Engine) spoken() *revisions { return e.speaks.Load() }

// SetRevisions has these revisions be served from now on, all if there are none. Sessions keep the
// revision that they have settled on. The error names one that is unknown.
func (e *Engine) SetRevisions(wanted []string) error {
	if len(wanted) == 0 {
		wanted = hook.Revisions()
	}
	for _, r := range wanted {
		if !slices.Contains(hook.Revisions(), r) {
			return fmt.Errorf("unknown revision %q: known are %v", r, hook.Revisions())
		}
	}
	next := &revisions{}
	for _, r := range hook.Revisions() {
		if !slices.Contains(wanted, r) {
			continue
		}
		if hook.Modern(r) {
			next.modern = append(next.modern, r)
		} else {
			next.legacy = append(next.legacy, r)
		}
	}
	next.grid = defined(next.legacy)
	e.speaks.Store(next)
	return nil
}

func (e *Engine) install(h hook.Hooks) {
	e.handle, e.emitter = hook.Wrap(h.Handle, e.serve), hook.Wrap(h.Emit, hook.Deliver)
	e.receive, e.event = hook.Wrap(h.Receive, e.arrive), hook.Wrap(h.Event, writeEvent)
	e.web = hook.Wrap[http.Handler](h.HTTP, http.HandlerFunc(e.serveHTTP))
}

// supported lists the revisions served on a transport, newest first.
func (e *Engine) supported(transport string) []string {
	all := slices.Clone(e.handshaking(transport))
	if transport != hook.SSE {
		all = append(all, e.spoken().modern...)
	}
	slices.Reverse(all)
	return all
}

// serves reports whether any revision is served on a transport.
func (e *Engine) serves(transport string) bool {
	return len(e.spoken().modern) > 0 && transport != hook.SSE || len(e.handshaking(transport)) > 0
}

// handshaking lists the served revisions with a handshake that the specification
// defines for a transport, oldest first. The list must not be changed.
func (e *Engine) handshaking(transport string) []string {
	if e.config.Hooks.OffGrid.Holds(nil) {
		return e.spoken().legacy
	}
	return e.spoken().grid[transport]
}

// defined tells which revisions with a handshake the specification defines for each transport.
func defined(legacy []string) map[string][]string {
	grid := map[string][]string{}
	for _, r := range legacy {
		for _, transport := range revision.Known().Of(r).Transports {
			grid[transport] = append(grid[transport], r)
		}
	}
	return grid
}

// Close ends the server: listen streams get their final result, all
// connections end, and nothing is served any more. It waits for the in-process
// connections.
func (e *Engine) Close() error {
	for _, s := range e.shut() {
		s.farewell()
		s.endBecause(reasonShutdown)
	}
	e.cancel()
	e.pipes.Wait()
	return nil
}

// Settle waits until no message is being answered, or the context ends. Streams that
// are open are no messages.
func (e *Engine) Settle(ctx context.Context, bound time.Duration) { settle(ctx, &e.busy, bound) }

// shut marks the server as closed and takes its sessions.
func (e *Engine) shut() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed = true
	all := e.ordered()
	e.sessions, e.classes = map[string]*session{}, map[string]int{}
	return all
}

// ordered lists the sessions, oldest first. The caller holds e.mu.
func (e *Engine) ordered() []*session {
	// #nosec G115 -- they are counted one by one
	return slices.SortedFunc(maps.Values(e.sessions), func(a, b *session) int { return int(int64(a.serial) - int64(b.serial)) })
}

// open lists the sessions, oldest first.
func (e *Engine) open() []*session {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ordered()
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

// remove takes a session out. The caller holds e.mu.
func (e *Engine) remove(s *session) {
	if e.sessions[s.ID()] == s {
		delete(e.sessions, s.ID())
		e.classes[s.class]--
	}
}

func (e *Engine) unregister(s *session) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.remove(s)
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
