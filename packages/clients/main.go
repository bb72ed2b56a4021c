// Command clients writes the clients of the admin interface in TypeScript and Python from its
// OpenAPI document:
//
//	go run ./packages/clients
//
// It runs at the top of the repository. The files are kept in Git; a test holds them against the document.
package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// document is where the interface is described, from the top of the repository.
const document = "reference/admin/openapi.json"

func main() {
	files, err := clients(document)
	for _, f := range files {
		if err == nil {
			err = os.WriteFile(f.path, f.text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "clients:", err)
		os.Exit(1)
	}
}

// source is a file that is written, with its path from the top of the repository.
type source struct {
	path string
	text []byte
}

// clients is the files of all clients.
func clients(path string) ([]source, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	a, err := read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return []source{
		{"packages/npm/admin.js", a.javascript()},
		{"packages/npm/admin.d.ts", a.declarations()},
		{"packages/python/mcpcheck/admin.py", a.python()},
	}, nil
}

// api is what of an OpenAPI document the clients are made of.
type api struct {
	types []named
	calls []call
}

type named struct {
	name string
	schema
}

// schema is a JSON Schema of those forms that the document has.
type schema struct {
	Ref         string            `json:"$ref"`
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Enum        []string          `json:"enum"`
	Items       *schema           `json:"items"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	// Additional is a schema, or false.
	Additional json.RawMessage `json:"additionalProperties"`
}

// call is an operation of the interface.
type call struct {
	id, method, path, summary string
	inPath, inQuery           []parameter
	takes, gives              *schema // nil for nothing
}

type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   schema `json:"schema"`
}

// body is a body of a request or an answer.
type body struct {
	Content map[string]struct {
		Schema schema `json:"schema"`
	} `json:"content"`
}

// json is the schema of the body as JSON, nil if there is none.
func (b *body) json() *schema {
	if b == nil {
		return nil
	}
	if c, ok := b.Content["application/json"]; ok {
		return &c.Schema
	}
	return nil
}

// read reads a document. Types and calls are sorted by name and path.
func read(data []byte) (api, error) {
	var d struct {
		Components struct {
			Schemas map[string]schema `json:"schemas"`
		} `json:"components"`
		Paths map[string]map[string]struct {
			OperationID string          `json:"operationId"`
			Summary     string          `json:"summary"`
			Parameters  []parameter     `json:"parameters"`
			RequestBody *body           `json:"requestBody"`
			Responses   map[string]body `json:"responses"`
		} `json:"paths"`
	}
	if err := json.Unmarshal(data, &d); err != nil {
		return api{}, err
	}
	var a api
	for _, name := range slices.Sorted(maps.Keys(d.Components.Schemas)) {
		a.types = append(a.types, named{name, d.Components.Schemas[name]})
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			c := call{id: o.OperationID, method: strings.ToUpper(method), path: path, summary: o.Summary, takes: o.RequestBody.json()}
			for _, p := range o.Parameters {
				switch p.In {
				case "path":
					c.inPath = append(c.inPath, p)
				case "query":
					c.inQuery = append(c.inQuery, p)
				default:
					return a, fmt.Errorf("%s: the parameter %s is in %q, not in path or query", c.id, p.Name, p.In)
				}
			}
			for status, r := range o.Responses {
				if strings.HasPrefix(status, "2") {
					c.gives = r.json()
				}
			}
			a.calls = append(a.calls, c)
		}
	}
	return a, nil
}

// reference is the name of the type that a schema refers to; empty if it does not.
func (s schema) reference() string { return strings.TrimPrefix(s.Ref, "#/components/schemas/") }

// values is the schema of members that have no names of their own; nil if there are none.
func (s schema) values() *schema {
	var v schema
	if len(s.Additional) == 0 || string(s.Additional) == "false" || json.Unmarshal(s.Additional, &v) != nil {
		return nil
	}
	return &v
}

// members are the members of an object, sorted by name.
func (s schema) members() []string { return slices.Sorted(maps.Keys(s.Properties)) }

// needsQuery reports whether a call cannot do without parameters in the query.
func (c call) needsQuery() bool {
	return slices.ContainsFunc(c.inQuery, func(p parameter) bool { return p.Required })
}

// wrap breaks a text into lines of a comment.
func wrap(text, prefix string, width int) string {
	var lines strings.Builder
	line := prefix
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > width && line != prefix {
			lines.WriteString(line + "\n")
			line = prefix
		}
		line += " " + word
	}
	return lines.String() + line + "\n"
}
