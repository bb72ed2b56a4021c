// Package quirk is the registry of unusual but legal behaviours of the
// reference server. A client that stumbles over one of them is at fault, and so is
// a test suite that objects.
//
// Quirks are made like faults (package fault): of hooks and overlays.
package quirk

import (
	"fmt"
	"math/rand/v2"
	"regexp"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/registry"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Needs says under which conditions a quirk can be seen at all.
type Needs struct {
	// PageSize is the page size that the server must have; 0 means any.
	PageSize int
	// Revisions and Transports restrict where the behaviour is legal; the
	// hooks themselves keep to that.
	Revisions  []string
	Transports []string
	// Process says that it can be seen only in a process of its own.
	Process bool
}

// Quirk is one unusual but legal behaviour.
type Quirk struct {
	// Name is lower case with hyphens: "empty-middle-page".
	Name string
	// Permits lists the requirements that grant it.
	Permits []string
	// Summary says in one clause what the server does.
	Summary string
	Needs   Needs
	// Idles lists the requirements that have no occasion in a server with the
	// quirk, though they have one without; the summary says why.
	Idles []string
	// Aspect, if not empty, names what the quirk changes as a whole: of the
	// quirks of one aspect a server can have only one.
	Aspect string
	// Overlay changes a copy of the world before the server is made.
	Overlay func(w *world.World)
	// Hooks are the changes of behaviour; Make, if not nil, makes further
	// ones for each server, which may keep state.
	Hooks hook.Hooks
	Make  hook.Maker
}

// HooksFor makes the hooks of the quirk for one server.
func (q Quirk) HooksFor(rng *rand.Rand) hook.Hooks {
	if q.Make == nil {
		return q.Hooks
	}
	return hook.Join(q.Hooks, q.Make(rng))
}

var (
	registered = registry.New("quirk", func(q Quirk) string { return q.Name }, flaw)
	nameForm   = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// flaw says what is wrong with a quirk.
func flaw(q Quirk) error {
	switch {
	case !nameForm.MatchString(q.Name):
		return fmt.Errorf("%q is no name of a quirk", q.Name)
	case len(q.Permits) == 0:
		return fmt.Errorf("%s names no requirement that permits it", q.Name)
	case q.Summary == "":
		return fmt.Errorf("%s has no summary", q.Name)
	}
	return nil
}

// Register adds quirks. It is meant for init functions and panics on one that
// is incomplete, ill-named or registered twice.
func Register(quirks ...Quirk) { registered.Add(quirks...) }

// All lists the quirks by name.
func All() []Quirk { return registered.All() }

// Find returns the quirk of that name.
func Find(name string) (Quirk, bool) { return registered.Find(name) }
