// Package engine is the reference server itself: a store of resources, the
// protocol in its five revisions, and the three transports that carry it.
//
// Its files are in the order in which a message passes them; what one calls stands further down:
//
//	engine, change               what the host calls
//	http, streamable, sse, stdio the doors; events, request and response are what HTTP has beside them
//	dispatch, legacy, modern     one message, in the two eras
//	feature, completion, subscribe, resources, input, ask
//	                             the methods
//	resolve, render, token       what answers are made of
//	journal, revisions, store, template, session, listen, exchange, stream, context
//	                             what is served, to whom, and by which way
//	message, protocol            how messages are read, and the words of the protocol
//
// It works on raw bytes. Hooks (package hook) change its behaviour from outside;
// nothing in here knows of faults or quirks. All waiting is done on channels,
// timers and condition variables, and every goroutine ends on Close, so that
// a server can live in a testing/synctest bubble.
package engine

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

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

func (e *Engine) install(h hook.Hooks) {
	e.handle, e.emitter = hook.Wrap(h.Handle, e.serve), hook.Wrap(h.Emit, hook.Deliver)
	e.receive, e.event = hook.Wrap(h.Receive, e.arrive), hook.Wrap(h.Event, writeEvent)
	e.web = hook.Wrap[http.Handler](h.HTTP, http.HandlerFunc(e.serveHTTP))
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

// Since is when the server was made.
func (e *Engine) Since() time.Time { return e.started }
