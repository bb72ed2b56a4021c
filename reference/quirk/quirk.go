// Package quirk is the catalogue of unusual but legal behaviours of the
// reference server. A client that stumbles over one of them is at fault, and so is
// a test suite that objects.
//
// Quirks are written as faults are (package fault): as data, and where that does not do, as code.
package quirk

import (
	"embed"
	"fmt"
	"regexp"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/internal/catalogue"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Quirk is one unusual but legal behaviour: Permits lists the requirements that grant it.
type Quirk = catalogue.Entry

//go:embed rows/*.yaml
var rows embed.FS

type code = catalogue.Code

// written is the quirks, or parts of quirks, that are code.
var written = []func() code{contentsCode, httpCode, messagesCode}

var overlays = catalogue.Overlays{
	"no-templates":        func(w *world.World) { w.Templates = nil },
	"extreme-annotations": extremes,
}

var nameForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

var all = catalogue.New(rows, written, overlays, func(q *Quirk) error {
	q.Requirement = strings.Join(q.Permits, ",")
	switch {
	case !nameForm.MatchString(q.Name):
		return fmt.Errorf("%q is no name of a quirk", q.Name)
	case len(q.Permits) == 0:
		return fmt.Errorf("%s names no requirement that permits it", q.Name)
	}
	return nil
})

// All lists the quirks by name.
func All() []Quirk { return all.All() }

// Find returns the quirk of that name.
func Find(name string) (Quirk, bool) { return all.Find(name) }
