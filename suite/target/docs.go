package target

import (
	_ "embed"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

//go:embed annotations.yaml
var annotationsText string

// annotations is what the files that are written say of their fields, by path.
type annotations struct {
	Preamble string `yaml:"preamble"` // opens every file
	Fields   map[string]struct {
		Text string `yaml:"text"`
		// Example stands in for a field that is not set, where nothing better was found.
		Example string `yaml:"example"`
	} `yaml:"fields"`
}

// notes are the annotations. It panics if they cannot be read: that is an error of this
// package, which every use of it shows.
var notes = sync.OnceValue(func() *annotations {
	a := &annotations{}
	if _, err := yamlfile.Decode("suite/target/annotations.yaml", []byte(annotationsText), a); err != nil {
		panic(err)
	}
	return a
})
