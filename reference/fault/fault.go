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
type Fault = catalogue.Entry

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

var all = catalogue.New(rows, written, overlays, func(f *Fault) error {
	parts := nameForm.FindStringSubmatch(f.Name)
	if parts == nil {
		return fmt.Errorf("%q is no name of a fault", f.Name)
	}
	f.Requirement = strings.ToUpper(parts[1])
	all, err := advice()
	if f.Advice == nil {
		f.Advice = new(all[f.Requirement])
	}
	return err
})

// All lists the faults by name.
func All() []Fault { return all.All() }

// Find returns the fault of that name.
func Find(name string) (Fault, bool) { return all.Find(name) }

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
