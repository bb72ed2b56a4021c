// Package fault is the catalogue of illegal behaviours of the reference server.
//
// A fault breaks one requirement on purpose and as little else as possible; the engine
// knows nothing of it. The faults are data, a file for each area of the specification
// (rows/page.yaml): package operation says what can be done, package catalogue what
// a row is. What the vocabulary has no words for is code: a function in the
// file of its area here, under the name of its row.
package fault

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/internal/catalogue"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// Needs says under which conditions a fault can be seen at all.
type Needs = catalogue.Needs

// Fault is one illegal behaviour. Its name begins with the requirement in lower
// case: "page-02-last-page-cycles".
type Fault struct {
	catalogue.Entry
	// Requirement is the id of the requirement that it breaks first of all.
	Requirement string
}

//go:embed rows/*.yaml
var rows embed.FS

type code = catalogue.Code

// written is the faults, or parts of faults, that are code.
var written = []code{
	batchCode, cancCode, compCode, discCode, errCode, httpCode, lchCode, lifeCode, listCode, mrtrCode, pageCode, readCode, rpcCode, sessCode, sseCode,
	stdioCode, subCode, subChangesCode, subListenCode, uriCode,
}

var overlays = catalogue.Overlays{"list-08-size-in-base64": func(w *world.World) {
	for i := range w.Resources {
		if r := &w.Resources[i]; r.Blob != nil {
			n := int64(len(*r.Blob))
			r.Size = &n
		}
	}
}}

var nameForm = regexp.MustCompile(`^([a-z]+-[0-9]+)(?:-[a-z0-9]+)+$`)

// read reads the catalogue, once.
var read = sync.OnceValues(func() ([]Fault, error) {
	entries, err := catalogue.Read(rows, "rows", written, overlays, func(e catalogue.Entry) error {
		if !nameForm.MatchString(e.Name) {
			return fmt.Errorf("%q is no name of a fault", e.Name)
		}
		return nil
	})
	all := make([]Fault, len(entries))
	for i, e := range entries {
		all[i] = Fault{Entry: e, Requirement: strings.ToUpper(nameForm.FindStringSubmatch(e.Name)[1])}
	}
	return all, err
})

// All lists the faults by name.
func All() []Fault {
	all, _ := read() // a test sees to it that it can be read
	return slices.Clone(all)
}

// Find returns the fault of that name.
func Find(name string) (Fault, bool) {
	all, _ := read() // as above
	i, found := slices.BinarySearchFunc(all, name, func(f Fault, name string) int { return strings.Compare(f.Name, name) })
	if !found {
		return Fault{}, false
	}
	return all[i], true
}

// Names lists the names of the faults of a requirement.
func Names(requirement string) []string {
	var names []string
	for _, f := range All() {
		if f.Requirement == requirement {
			names = append(names, f.Name)
		}
	}
	return names
}
