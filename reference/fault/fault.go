// Package fault is the registry of illegal behaviours of the reference server.
//
// A fault breaks one requirement on purpose and as little else as possible. It
// is made of hooks (package hook) and overlays of the world; the engine knows
// nothing of it. Each area of the specification has a file here, and each file
// registers its faults when the package is loaded:
//
//	func init() {
//		Register(
//			Fault{
//				Name:        "page-01-null-cursor",
//				Requirement: "PAGE-01",
//				Summary:     "the last page says nextCursor: null",
//				Hooks: hook.EditResult(hook.MethodList, func(r hook.Object) {
//					if _, more := r["nextCursor"]; !more {
//						r["nextCursor"] = nil
//					}
//				}),
//			},
//		)
//	}
package fault

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/registry"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Needs says under which conditions a fault can be seen at all.
type Needs struct {
	// PageSize is the page size that the server must have; 0 means any.
	PageSize int
	// Revisions and Transports restrict where it shows; empty means all of
	// those for which the requirement holds.
	Revisions  []string
	Transports []string
	// World names a world other than the default one.
	World string
	// Served lists the revisions that the server must be limited to, say the
	// modern one alone; empty means all.
	Served []string
	// Trigger says that a resource or the list must be changed meanwhile.
	Trigger bool
	// Authorization says that the server demands a bearer token (hook.RequireBearer),
	// which the client must be given.
	Authorization bool
	// Process says that only a real process shows it (its exit, say).
	Process bool
}

// Fault is one illegal behaviour.
type Fault struct {
	// Name begins with the requirement in lower case: "page-02-last-page-cycles".
	Name string
	// Requirement is the id of the requirement that it breaks first of all.
	Requirement string
	// Summary says in one clause what the server does.
	Summary string
	Needs   Needs
	// Overlay changes a copy of the world before the server is made.
	Overlay func(w *world.World)
	// Hooks are the changes of behaviour; Make, if not nil, makes further
	// ones for each server, which may keep state.
	Hooks hook.Hooks
	Make  hook.Maker
}

// HooksFor makes the hooks of the fault for one server.
func (f Fault) HooksFor(rng *rand.Rand) hook.Hooks {
	if f.Make == nil {
		return f.Hooks
	}
	return hook.Join(f.Hooks, f.Make(rng))
}

var (
	registered = registry.New("fault", func(f Fault) string { return f.Name }, flaw)
	nameForm   = regexp.MustCompile(`^[a-z]+-[0-9]+(-[a-z0-9]+)+$`)
)

// flaw says what is wrong with a fault.
func flaw(f Fault) error {
	switch {
	case !nameForm.MatchString(f.Name):
		return fmt.Errorf("%q is no name of a fault", f.Name)
	case !strings.HasPrefix(f.Name, strings.ToLower(f.Requirement)+"-") || f.Requirement == "":
		return fmt.Errorf("%s does not begin with its requirement %q", f.Name, f.Requirement)
	case f.Summary == "":
		return fmt.Errorf("%s has no summary", f.Name)
	}
	return nil
}

// Register adds faults. It is meant for init functions and panics on a fault
// that is incomplete, ill-named or registered twice: these are errors of the
// program, not of its input.
func Register(faults ...Fault) { registered.Add(faults...) }

// All lists the faults by name.
func All() []Fault { return registered.All() }

// Find returns the fault of that name.
func Find(name string) (Fault, bool) { return registered.Find(name) }
