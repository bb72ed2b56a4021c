// Package reference is the reference server of the resources feature of the
// Model Context Protocol: correct in all revisions and transports and, on request,
// legally odd (quirks) or precisely wrong (faults).
//
//	server, err := reference.New(reference.DefaultWorld(), reference.Options{})
//	...
//	defer server.Close()
//	conn, err := server.Pipe(ctx)               // stdio, in process
//	http.ListenAndServe(addr, server.Handler()) // /mcp, /sse and /message
//
// A server needs nothing but package time, channels and the streams it is given,
// so it runs inside testing/synctest bubbles. Everything it started has ended
// when Close returns or, for what hangs on HTTP requests, when they have.
package reference

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// World is what a server serves; Resource is one resource of it.
type (
	World    = world.World
	Resource = world.Resource
)

// Options are the choices that are not part of the world. The zero value serves
// the world correctly, in all revisions.
type Options struct {
	// Revisions are those that the server serves; empty means all.
	Revisions []string
	// PageSize is the number of entries on a page of a list. 0 means that of
	// the world, whose default is a single page.
	PageSize int
	// Faults and Quirks are names from the registries.
	Faults []string
	Quirks []string
	// Seed feeds the randomness of faults and quirks. Session ids do not
	// depend on it.
	Seed uint64
	// Latency delays every answer.
	Latency time.Duration
	// AllowedOrigins are web origins that may use the HTTP endpoints, beside
	// those on loopback addresses.
	AllowedOrigins []string
	// Name and Version are how the server introduces itself; empty means as
	// the world says.
	Name    string
	Version string
	// Now is the clock for expiry dates; nil means time.Now.
	Now func() time.Time
	// Hooks change the server further, inside of all faults and quirks.
	Hooks hook.Hooks
}

// Server serves one world on any number of connections. Its methods may be
// used from several goroutines.
type Server struct {
	engine *engine.Engine
}

// New makes a server. It fails if the world is inconsistent, or if an option
// names a revision, fault or quirk that does not exist. The world is copied.
func New(w World, o Options) (*Server, error) {
	w = w.Clone()
	hooks, err := assemble(&w, o)
	if err != nil {
		return nil, err
	}
	pageSize := o.PageSize
	if pageSize == 0 {
		pageSize = w.PageSize
	}
	e, err := engine.New(engine.Config{
		World: w, Revisions: o.Revisions, PageSize: pageSize, Latency: o.Latency,
		AllowedOrigins: o.AllowedOrigins, Name: o.Name, Version: o.Version, Now: o.Now, Hooks: hooks,
	})
	if err != nil {
		return nil, err
	}
	return &Server{engine: e}, nil
}

// assemble applies the overlays of faults and quirks to the world and joins
// their hooks. Faults lie outside of quirks.
func assemble(w *World, o Options) (hook.Hooks, error) {
	var all []hook.Hooks
	for i, name := range o.Faults {
		f, ok := fault.Find(name)
		if !ok {
			return hook.Hooks{}, fmt.Errorf("there is no fault %q", name)
		}
		if f.Overlay != nil {
			f.Overlay(w)
		}
		all = append(all, f.HooksFor(rng(o.Seed, uint64(i))))
	}
	for i, name := range o.Quirks {
		q, ok := quirk.Find(name)
		if !ok {
			return hook.Hooks{}, fmt.Errorf("there is no quirk %q", name)
		}
		if q.Overlay != nil {
			q.Overlay(w)
		}
		all = append(all, q.HooksFor(rng(o.Seed, 1<<32+uint64(i))))
	}
	return hook.Join(append(all, o.Hooks)...), nil
}

// rng makes a source of its own for each fault and quirk.
func rng(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }

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

// Handler serves Streamable HTTP at /mcp and HTTP+SSE at /sse and /message.
func (s *Server) Handler() http.Handler { return s.engine.Handler() }

// Put adds a resource at the end of the list, or replaces the one with the same
// URI, and sends the notifications that are due.
func (s *Server) Put(r Resource) error { return s.engine.Put(r) }

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
func (s *Server) Close() error { return s.engine.Close() }

// Revisions lists the revisions that the server can speak, oldest first.
func Revisions() []string { return engine.Revisions() }

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
	data, err := fs.ReadFile(fixtures.FS, "worlds/"+name+".yaml")
	if err != nil {
		return World{}, fmt.Errorf("there is no world %q: known are %s", name, strings.Join(WorldNames(), ", "))
	}
	return world.Parse("worlds/"+name+".yaml", data)
}

// WorldNames lists the embedded worlds.
func WorldNames() []string {
	entries, err := fs.ReadDir(fixtures.FS, "worlds")
	if err != nil {
		return nil
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// LoadWorld reads a world by the name of an embedded one or from a YAML or JSON
// file: everything with a dot or a path separator is a file.
func LoadWorld(nameOrFile string) (World, error) {
	if !strings.ContainsAny(nameOrFile, `./\`) {
		return NamedWorld(nameOrFile)
	}
	data, err := os.ReadFile(filepath.Clean(nameOrFile))
	if err != nil {
		return World{}, err
	}
	return world.Parse(nameOrFile, data)
}
