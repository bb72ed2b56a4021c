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
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
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
	registry = map[string]Quirk{}
	nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
)

// Register adds quirks. It is meant for init functions and panics on one that
// is incomplete, ill-named or registered twice.
func Register(quirks ...Quirk) {
	for _, q := range quirks {
		if err := check(q); err != nil {
			panic("quirk: " + err.Error())
		}
		registry[q.Name] = q
	}
}

func check(q Quirk) error {
	switch {
	case !nameForm.MatchString(q.Name):
		return fmt.Errorf("%q is no name of a quirk", q.Name)
	case len(q.Permits) == 0:
		return fmt.Errorf("%s names no requirement that permits it", q.Name)
	case q.Summary == "":
		return fmt.Errorf("%s has no summary", q.Name)
	}
	if _, twice := registry[q.Name]; twice {
		return fmt.Errorf("%s is registered twice", q.Name)
	}
	return nil
}

// All lists the quirks by name.
func All() []Quirk {
	all := make([]Quirk, 0, len(registry))
	for _, q := range registry {
		all = append(all, q)
	}
	slices.SortFunc(all, func(a, b Quirk) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Find returns the quirk of that name.
func Find(name string) (Quirk, bool) {
	q, ok := registry[name]
	return q, ok
}
