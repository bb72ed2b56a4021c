package reference

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/engine"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// MaxNamespaces is how many namespaces a server can have at a time.
const MaxNamespaces = 1000

// HeaderNamespace names the namespace of an HTTP request whose path does not, for clients whose URL is
// fixed.
const HeaderNamespace = "Mockserver-Namespace"

// The bounds of the journal of a namespace. They are lower than those of a server, because
// there may be many.
const (
	namespaceEntries = 5000
	namespaceBytes   = 4 << 20
)

// NamespaceOptions are what a namespace does not share with the server that it belongs to. What is
// empty is as the server has it, but for faults, quirks, rules and hooks, of which it has only those that are
// named here or are in the world.
type NamespaceOptions struct {
	// World is what it serves; nil means what the server serves.
	World *World
	// Revisions, PageSize, Faults, Quirks and Seed are as in [Options].
	Revisions []string
	PageSize  int
	Faults    []string
	Quirks    []string
	Seed      uint64
}

// Namespace describes a namespace.
type Namespace struct {
	Name string `json:"name"`
	// Path is that of its endpoint of Streamable HTTP.
	Path string `json:"path"`
	// World is the name of what it serves.
	World    string    `json:"world"`
	Since    time.Time `json:"since"`
	Sessions int       `json:"sessions"`
}

// namespaces are those of a server.
type namespaces struct {
	mu    sync.RWMutex
	named map[string]*Server
}

var (
	// ErrNamespaceTaken says that there is a namespace of a name already.
	ErrNamespaceTaken = errors.New("there is a namespace of that name already")
	// ErrNamespacesFull says that there are [MaxNamespaces] already.
	ErrNamespacesFull = fmt.Errorf("there are %d namespaces already: drop one that is not needed any more",
		MaxNamespaces)
)

var namespaceForm = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// checkNamespace says why something is no name of a namespace.
func checkNamespace(name string) error {
	if !namespaceForm.MatchString(name) || strings.Trim(name, ".") == "" {
		return fmt.Errorf("%q is no name of a namespace: it has 1 to 64 letters of ASCII, digits and ._-",
			name)
	}
	return nil
}

// AddNamespace makes a server within this one, with world, rules, sessions, timeline and journal of its
// own, which is called at /mcp/NAME, /sse/NAME and /message/NAME (or by [HeaderNamespace]). It ends
// with this one, or by [Server.RemoveNamespace].
func (s *Server) AddNamespace(name string, o NamespaceOptions) (*Server, error) {
	if err := checkNamespace(name); err != nil {
		return nil, err
	}
	if s.within != "" {
		return nil, errors.New("a namespace has no namespaces of its own")
	}
	if err := s.place(name, nil); err != nil { // before all the work
		return nil, err
	}
	all, w := s.options, s.pristine
	if s.options.Current != nil {
		w = s.options.Current()
	}
	if o.World != nil {
		w, all.PageSize = *o.World, 0
	}
	if slices.ContainsFunc(w.Timeline, func(step Step) bool {
		return step.Refuse > 0 || step.ExpireTokens != nil
	}) {
		return nil, errors.New("the timeline of the world refuses connections or has tokens expire, which " +
			"namespaces share: leave refuse and expireTokens out of it")
	}
	all.Faults, all.Quirks, all.Rules, all.Hooks, all.Current, all.Seed = o.Faults, o.Quirks, nil,
		hook.Hooks{}, nil, o.Seed
	all.PageSize = cmp.Or(o.PageSize, all.PageSize)
	all.Journal = journal.New(journal.Options{Entries: namespaceEntries, Bytes: namespaceBytes})
	if len(o.Revisions) > 0 {
		all.Revisions = o.Revisions
	}
	made, err := newServer(w, all, name)
	if err != nil {
		return nil, err
	}
	if err := s.place(name, made); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	return made, nil
}

// place adds a namespace, unless it is nil, or says why there can be none of that name.
func (s *Server) place(name string, made *Server) error {
	s.spaces.mu.Lock()
	defer s.spaces.mu.Unlock()
	switch {
	case s.ended():
		return errClosed
	case s.spaces.named[name] != nil:
		return ErrNamespaceTaken
	case len(s.spaces.named) >= MaxNamespaces:
		return ErrNamespacesFull
	case made == nil:
		return nil
	}
	if s.spaces.named == nil {
		s.spaces.named = map[string]*Server{}
	}
	s.spaces.named[name] = made
	return nil
}

// Namespace returns the server that is the namespace of that name.
func (s *Server) Namespace(name string) (*Server, bool) {
	s.spaces.mu.RLock()
	defer s.spaces.mu.RUnlock()
	found, ok := s.spaces.named[name]
	return found, ok
}

// RemoveNamespace ends a namespace and all its connections, and reports whether there was one of that name.
func (s *Server) RemoveNamespace(name string) bool {
	s.spaces.mu.Lock()
	found, ok := s.spaces.named[name]
	delete(s.spaces.named, name)
	s.spaces.mu.Unlock()
	if ok {
		_ = found.Close() // which has no error where nothing has a file
	}
	return ok
}

// Namespaces lists the namespaces by name.
func (s *Server) Namespaces() []Namespace {
	all := []Namespace{}
	for _, one := range s.inner() {
		all = append(all, one.Describe())
	}
	return all
}

// inner are the servers that are namespaces, by name.
func (s *Server) inner() []*Server {
	s.spaces.mu.RLock()
	defer s.spaces.mu.RUnlock()
	return slices.SortedFunc(maps.Values(s.spaces.named), func(a, b *Server) int {
		return cmp.Compare(a.within, b.within)
	})
}

// Describe tells what a namespace is; of a server that is none it has no name.
func (s *Server) Describe() Namespace {
	n := Namespace{Name: s.within, Path: engine.PathStreamable, World: s.pristine.Name,
		Since: s.engine.Since(), Sessions: len(s.engine.Sessions())}
	if s.within != "" {
		n.Path += "/" + s.within
	}
	return n
}
