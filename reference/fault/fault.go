// Package fault is the catalogue of illegal behaviours of the reference server.
//
// A fault breaks one requirement on purpose and as little else as possible; the engine
// knows nothing of it. The faults are data, a file for each area of the specification
// (rows/page.yaml): package operation says what can be done, package catalogue what
// a row is. What the vocabulary has no words for is code: hooks in the
// file of its area here, under the name of its row.
package fault

import (
	"embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
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
var written = []func() code{
	batchCode, cancCode, compCode, httpCode, lchCode, lifeCode, listCode, pageCode, readCode, rpcCode,
	secCode,
	sessCode, sseCode, stdioCode, subCode, subChangesCode, subListenCode,
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

//go:embed advice.yaml
var adviceFile []byte

// advice is what a good client does, by requirement; empty for those of which clients notice nothing.
var advice = sync.OnceValues(func() (map[string]string, error) {
	var file struct {
		Client []struct {
			Does string   `yaml:"does"`
			For  []string `yaml:"for"`
		} `yaml:"client"`
		Server []string `yaml:"server"`
	}
	if _, err := yamlfile.Decode("advice.yaml", adviceFile, &file); err != nil {
		return nil, err
	}
	all := map[string]string{}
	var failed []error
	add := func(id, does string) {
		if _, twice := all[id]; twice {
			failed = append(failed, fmt.Errorf("advice.yaml: %s is there twice", id))
		}
		all[id] = does
	}
	for _, group := range file.Client {
		for _, id := range group.For {
			add(id, group.Does)
		}
	}
	for _, id := range file.Server {
		add(id, "")
	}
	return all, errors.Join(failed...)
})

// Client says in a sentence what a good client does with a server that has the fault. It is empty where a
// client that keeps the rules itself notices nothing of it.
func (f Fault) Client() string {
	if f.Advice != nil {
		return *f.Advice
	}
	all, _ := advice() // a test looks at the error
	return all[f.Requirement]
}
