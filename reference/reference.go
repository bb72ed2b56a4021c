// Package reference is the reference server of the resources feature of the
// Model Context Protocol: correct in all revisions and transports and, on
// request, legally odd (quirks) or precisely wrong (faults).
//
//	server, err := reference.New(reference.DefaultWorld(), reference.Options{})
//	...
//	defer server.Close()
//	conn, err := server.Pipe(ctx)               // stdio, in process
//	http.ListenAndServe(addr, server.Handler()) // /mcp, /sse and /message
//
// In a Go test, [Start] makes a running server that ends with the test.
//
// A server can be steered while it runs: its resources and templates change (Put,
// Update, Remove, PutTemplate, Touch, a timeline of the world), faults, quirks,
// failures and delays come and go (AddRule), sessions can be listed and ended, and
// Reset brings back how it began. Its journal tells what clients did.
//
// A server needs nothing but package time, channels and the streams it is given,
// so it runs inside testing/synctest bubbles, where timelines and delays take
// simulated time. Everything it started has ended when Close returns or, for what
// hangs on HTTP requests, when they have.
//
// # The packages
//
//	reference          this facade: make, run and steer a server; start one in a test
//	reference/world    what is served: resources, templates, completions, timeline; YAML and JSON
//	reference/dir      the files of a directory as a world, with their changes
//	reference/engine   the server itself: store, protocol, transports; knows of no deviation
//	reference/hook     the places at which behaviour can be changed from outside
//	reference/fault    illegal behaviours, by the requirement that each breaks
//	reference/quirk    unusual but legal behaviours
//	reference/control  rules: which deviations are in force, for which messages, how often; delays, failures
//	reference/journal  what clients sent and what they were sent, in order: query, wait, assert, JSONL
//	reference/guard    bearer tokens and scopes for the HTTP endpoints, with the metadata that leads to them
//	reference/oauth    an authorization server for tests; reference/cert makes certificates for TLS
//	reference/occasion what a client has to react to, so that it can be judged
//	reference/record   recordings of real servers: made between any two transports, replayed, made worlds
//	reference/admin    the HTTP API that steers a server; reference/adminclient calls it
//
// What is added around a server uses this facade alone: [Server.Journal] to see,
// AddRule and the methods that change the world to steer, Options.Hooks to interpose.
package reference

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/guard"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/host"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/oauth"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// World is what a server serves; Resource and Template are parts of it, Step is
// something that happens to it meanwhile.
type (
	World    = world.World
	Resource = world.Resource
	Template = world.Template
	Step     = world.Step
)

// Options are the choices that are not part of the world. The zero value serves
// the world correctly, in all revisions.
type Options struct {
	// Revisions are those that the server serves; empty means all.
	Revisions []string
	// PageSize is the number of entries on a page of a list. 0 means that of
	// the world, whose default is a single page.
	PageSize int
	// Faults and Quirks are names, each with limits behind it if it has any: see
	// control.ParseFault. They are in force from the start, and can be switched
	// off like all rules.
	Faults []string
	Quirks []string
	// Rules are further rules from the start.
	Rules []control.Rule
	// Seed feeds the randomness of faults, quirks and delays. Session ids do not
	// depend on it.
	Seed uint64
	// Journal notes what comes and goes; nil means a new one with the default
	// bounds.
	Journal *journal.Journal
	// Latency delays every answer.
	Latency time.Duration
	// AllowedOrigins are web origins that may use the HTTP endpoints, beside
	// those on loopback addresses.
	AllowedOrigins []string
	// AllowedHosts are names, "*" for all, by which the HTTP endpoints may be called beside
	// those of loopback addresses. Without any the name matters at loopback addresses only.
	AllowedHosts []string
	// Guard makes the HTTP endpoints demand bearer tokens; nil leaves them open.
	// Names of its owners may stand for their tokens in rules and in the world.
	Guard *guard.Guard
	// OAuth is an authorization server that is served beside the HTTP endpoints; nil means none. Without a
	// Guard one is made that takes its tokens.
	OAuth *oauth.Server
	// TLS has Serve speak HTTPS; nil means HTTP.
	TLS *tls.Config
	// Hooks change the server further, inside of all faults and quirks.
	Hooks hook.Hooks
	// TimelineOnRequest has the timeline of the world begin with the first request of a client
	// instead of at once.
	TimelineOnRequest bool
	// Current makes the world that Reset brings back, where the one with which the server
	// began is out of date: that of a directory, say. Nil means the one at the beginning.
	Current func() World
}

// Server serves one world on any number of connections. Its methods may be
// used from several goroutines.
type Server struct {
	engine  *engine.Engine
	rules   *control.Set
	journal *journal.Journal

	within   string  // the name of the namespace that this is; empty if it is none
	options  Options // with which it was made
	pristine World   // without any overlay
	pageSize int
	initial  []control.Rule
	steps    atomic.Pointer[host.Run]
	doors    host.Doors

	mu       sync.Mutex // serialises changes of the rules and resets
	overlays []overlay
	spaces   namespaces

	// Ending must not wait for a change, which may wait for a client to read.
	life     sync.Mutex
	timeline context.CancelFunc
	players  sync.WaitGroup
	closed   bool
}

// New makes a server. It fails if the world is inconsistent, or if an option
// names a revision, fault or quirk that does not exist. The world is copied. Its
// timeline begins at once, unless an option says otherwise.
func New(w World, o Options) (*Server, error) { return newServer(w, o, "") }

// newServer makes a server that is a namespace, or none.
func newServer(w World, o Options, within string) (*Server, error) {
	rules, err := initialRules(w, o)
	if err != nil {
		return nil, err
	}
	if w, err = w.Expand(); err != nil {
		return nil, err
	}
	if o.OAuth != nil && o.Guard == nil {
		if o.Guard, err = guard.New(guard.Options{Issuer: o.OAuth}); err != nil {
			return nil, err
		}
	}
	s := &Server{within: within, options: o, journal: o.Journal, pristine: w.Clone(), pageSize: o.PageSize,
		initial: rules}
	s.resolve()
	if err := s.belongs(slices.Concat(rules, ruled(w.Timeline))...); err != nil {
		return nil, err
	}
	if s.journal == nil {
		s.journal = journal.New(journal.Options{})
	}
	s.rules = control.New(o.Seed, s.journal)
	s.rules.SetStates(w.States)
	if err := s.rules.Start(rules); err != nil {
		return nil, err
	}
	served := s.overlay()
	s.pageSize = cmp.Or(s.pageSize, served.PageSize)
	s.engine, err = engine.New(engine.Config{
		World: served, Revisions: o.Revisions, PageSize: s.pageSize, Latency: o.Latency,
		AllowedOrigins: o.AllowedOrigins, AllowedHosts: o.AllowedHosts,
		Hooks: hook.Join(host.Cues(s.pristine.Timeline, s.heard), guarded(o.Guard, s.rules.Hooks(),
			o.Hooks)),
		Journal: s.journal,
	})
	if err != nil {
		return nil, err
	}
	s.play()
	return s, nil
}

// ServeStream serves one connection with the framing of stdio, a message per
// line. It returns nil when the input ends, and an error when the context or the
// server ends before, or a stream breaks.
func (s *Server) ServeStream(ctx context.Context, in io.Reader, out io.Writer) error {
	return s.engine.ServeStream(ctx, in, out)
}

// Conn is the client's end of an in-process connection. CloseWrite ends the
// server's input, as closing the standard input of a process does; Close also
// stops reading.
type Conn interface {
	io.ReadWriteCloser
	CloseWrite() error
}

// Pipe opens an in-process stdio connection. It ends with the context, with the
// server, or when it is closed.
func (s *Server) Pipe(ctx context.Context) (Conn, error) { return s.engine.Pipe(ctx) }

// Put adds a resource at the end of the list, or replaces the one with the same
// URI, and sends the notifications that are due.
func (s *Server) Put(r Resource) error { return s.engine.Put(s.resolved(r)) }

// Remove takes a resource away, sends the notifications that are due, and
// reports whether there was one.
func (s *Server) Remove(uri string) bool { return s.engine.Remove(uri) }

// Touch notifies the subscribers of a resource as if its content had changed, and
// reports whether there is such a resource.
func (s *Server) Touch(uri string) bool { return s.engine.Touch(uri) }

// ListChanged sends list_changed to all who are to get it.
func (s *Server) ListChanged() { s.engine.ListChanged() }

// EndSubscriptions ends all listen streams in order, with the result that says
// that the server did it. The server and its connections live on.
func (s *Server) EndSubscriptions() { s.engine.EndSubscriptions() }

// Close ends the server and all its connections.
func (s *Server) Close() error {
	s.life.Lock()
	s.closed = true
	s.timeline()
	s.life.Unlock()
	err := s.engine.Close()
	for _, one := range s.inner() {
		s.RemoveNamespace(one.within)
	}
	s.players.Wait() // a step that waited for a client has been let go
	return err
}

// Revisions lists the revisions that the server can speak, oldest first.
func Revisions() []string { return hook.Revisions() }

// DefaultWorld is the world that is served when no other is named.
func DefaultWorld() World {
	w, err := NamedWorld("default")
	if err != nil {
		panic("reference: the embedded default world: " + err.Error()) // excluded by a test
	}
	return w
}

// NamedWorld reads one of the embedded worlds by name.
func NamedWorld(name string) (World, error) {
	if !slices.Contains(WorldNames(), name) {
		return World{}, fmt.Errorf("there is no world %q: known are %s", name,
			strings.Join(WorldNames(), ", "))
	}
	return world.Load(fixtures.FS, "worlds/"+name+".yaml")
}

// WorldNames lists the embedded worlds.
func WorldNames() []string {
	files, err := fs.Glob(fixtures.FS, "worlds/*.yaml")
	if err != nil {
		return nil
	}
	var names []string
	for _, file := range files {
		names = append(names, strings.TrimSuffix(path.Base(file), ".yaml"))
	}
	return names
}

// LoadWorld reads a world by the name of an embedded one or from a YAML or JSON
// file: everything with a dot or a path separator is a file.
func LoadWorld(nameOrFile string) (World, error) {
	if !strings.ContainsAny(nameOrFile, `./\`) {
		return NamedWorld(nameOrFile)
	}
	return world.Open(nameOrFile, control.Check)
}
