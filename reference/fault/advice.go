package fault

import (
	_ "embed"
	"errors"
	"fmt"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

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

// Client says in a sentence what a good client does with a server that has the fault. It is empty where a client that
// keeps the rules itself notices nothing of it.
func (f Fault) Client() string {
	if f.Advice != nil {
		return *f.Advice
	}
	all, _ := advice() // a test looks at the error
	return all[f.Requirement]
}
