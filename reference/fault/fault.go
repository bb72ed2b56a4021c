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
	"strings"

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

// stateless is the code of what remembers nothing.
var stateless = catalogue.Stateless

// written is the faults, or parts of faults, that are code.
var written = []code{
	batchCode, cancCode, compCode, httpCode, lchCode, listCode, pageCode, readCode, rpcCode, secCode, sessCode, sseCode,
	stdioCode, subCode, subChangesCode, subListenCode,
}

var overlays = catalogue.Overlays{"list-08-size-in-base64": func(w *world.World) {
	for i := range w.Resources {
		if r := &w.Resources[i]; r.Blob != nil {
			r.Size = new(int64(len(*r.Blob)))
		}
	}
}}

var nameForm = regexp.MustCompile(`^([a-z]+-[0-9]+)(?:-[a-z0-9]+)+$`)

var all = catalogue.New(rows, "rows", written, overlays, func(e catalogue.Entry) error {
	if !nameForm.MatchString(e.Name) {
		return fmt.Errorf("%q is no name of a fault", e.Name)
	}
	return nil
})

func faultOf(e catalogue.Entry) Fault {
	return Fault{e, strings.ToUpper(nameForm.FindStringSubmatch(e.Name)[1])}
}

// All lists the faults by name.
func All() []Fault {
	var faults []Fault
	for _, e := range all.All() {
		faults = append(faults, faultOf(e))
	}
	return faults
}

// Find returns the fault of that name.
func Find(name string) (Fault, bool) {
	e, ok := all.Find(name)
	if !ok {
		return Fault{}, false
	}
	return faultOf(e), true
}
