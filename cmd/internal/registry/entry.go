package registry

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/tidwall/gjson"
)

// Entry is a server in a registry.
type Entry struct {
	// Name tells the entry apart from all others: the name of the server, or entry-N for the Nth entry if
	// that is not valid.
	Name string
	// Problem says in a clause what is wrong with the entry, and where; empty if nothing is.
	Problem string
	// Server is the server.json, as far as it says how to start the server.
	Server Server
	// Body is the whole server.json as it came, Meta what the registry says beside it.
	Body json.RawMessage
	Meta map[string]json.RawMessage

	local bool // its remotes may be on this machine or in this network
}

// Server is a server.json.
type Server struct {
	Name     string      `json:"name"`
	Version  string      `json:"version"`
	Packages []pack      `json:"packages"`
	Remotes  []transport `json:"remotes"`
}

type pack struct {
	RegistryType     string    `json:"registryType"`
	RegistryBaseURL  string    `json:"registryBaseUrl"`
	Identifier       string    `json:"identifier"`
	Version          string    `json:"version"`
	RuntimeHint      string    `json:"runtimeHint"`
	Transport        transport `json:"transport"`
	RuntimeArguments []input   `json:"runtimeArguments"`
	PackageArguments []input   `json:"packageArguments"`
	Environment      []input   `json:"environmentVariables"`
}

type transport struct {
	Type      string           `json:"type"`
	URL       string           `json:"url"`
	Headers   []input          `json:"headers"`
	Variables map[string]input `json:"variables"`
}

// input is a variable, a header or an argument. Of an argument the type is named or positional.
type input struct {
	Type      string           `json:"type"`
	Name      string           `json:"name"`
	ValueHint string           `json:"valueHint"`
	Value     string           `json:"value"`
	Default   string           `json:"default"`
	Format    string           `json:"format"`
	Required  bool             `json:"isRequired"`
	Secret    bool             `json:"isSecret"`
	Variables map[string]input `json:"variables"`
}

//go:embed server.schema.json
var schemaText []byte

var schema = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schemaText))
	c := jsonschema.NewCompiler()
	if err = errors.Join(err, c.AddResource("mcpcheck:server", doc)); err != nil {
		panic("registry: " + err.Error()) // the schema is part of this program
	}
	return c.MustCompile("mcpcheck:server")
})

// entries makes entries with names that differ in more than the case of letters: of several versions of a
// server only the first is valid.
func entries(list []json.RawMessage, local bool) []*Entry {
	all := make([]*Entry, len(list))
	known := map[string]bool{}
	for i, raw := range list {
		e := read(raw)
		all[i], e.local, e.Name = e, local, e.Server.Name
		name := strings.ToLower(e.Name)
		if e.Problem == "" && known[name] {
			e.Problem = "name: the registry lists " + e.Name + " a second time"
		}
		if e.Problem != "" {
			e.Name = fmt.Sprintf("entry-%d", i+1)
		} else {
			known[name] = true
		}
	}
	return all
}

// read takes an entry apart, and notes what is wrong with it.
func read(raw json.RawMessage) *Entry {
	var outer struct {
		Server json.RawMessage
		Meta   map[string]json.RawMessage `json:"_meta"`
	}
	e := &Entry{Body: raw}
	if err := json.Unmarshal(raw, &outer); err == nil && outer.Server != nil {
		e.Body, e.Meta = outer.Server, outer.Meta
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(e.Body))
	if err == nil {
		err = schema().Validate(value)
	}
	if invalid, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		for len(invalid.Causes) > 0 {
			invalid = invalid.Causes[0]
		}
		err = invalid
	}
	if err == nil {
		// Package encoding/json would take "NAME" for "name", which the schema has not seen.
		err = jsonv2.Unmarshal(e.Body, &e.Server)
	}
	if err != nil {
		name := safe.Shorten(gjson.GetBytes(e.Body, "name").String(), 80)
		e.Problem = fmt.Sprintf("the entry of %q is not valid: %v", name, err)
	}
	return e
}

// Annotated is the entry as it came, with a member in its _meta.
func (e *Entry) Annotated(key string, value any) any {
	meta := map[string]any{}
	for name, member := range e.Meta {
		meta[name] = member
	}
	meta[key] = value
	return map[string]any{"server": e.Body, "_meta": meta}
}
