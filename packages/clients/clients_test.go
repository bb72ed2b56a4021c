package clients

import (
	"bytes"
	"embed"
	"encoding/json"
	"flag"
	"fmt"
	"go/format"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"
)

// document is where the interface is described, from the top of the repository.
const document = "reference/admin/openapi.json"

var update = flag.Bool("update", false, "write the clients anew")

// TestTheClientsAreCurrent: the files are those that the description of the interface makes.
func TestTheClientsAreCurrent(t *testing.T) {
	t.Chdir("../..")
	data, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	a, err := read(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"packages/npm/admin.js", "packages/npm/admin.d.ts", "packages/python/mcpcheck/admin.py",
		"reference/adminclient/client.go",
	} {
		var b bytes.Buffer
		if err := templates.ExecuteTemplate(&b, filepath.Base(path)+".tmpl", a); err != nil {
			t.Fatal(err)
		}
		text := b.Bytes()
		if filepath.Ext(path) == ".go" {
			if text, err = format.Source(text); err != nil {
				t.Fatal(err)
			}
		}
		if *update {
			if err := os.WriteFile(path, text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if there, err := os.ReadFile(path); err != nil || !bytes.Equal(there, text) {
			t.Errorf("%s is not what %s makes: run make clients (%v)", path, document, err)
		}
	}
}

//go:embed *.tmpl
var texts embed.FS

// templates are the clients, each named as its file.
var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"comment": comment, "declared": declared, "golang": golang.of, "python": python.of,
	"quoted": strconv.Quote,
	"snake":  snake, "typescript": typescript.of, "wrap": wrap,
}).ParseFS(texts, "*.tmpl"))

// api is what of an OpenAPI document the clients are made of.
type api struct {
	Types []object
	Calls []call
}

// object is a type with its members, sorted by name.
type object struct {
	Name, Description string
	Members           []parameter
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
	ID, Verb, Path, Summary string
	InPath, InQuery         []parameter
	Takes, Gives            *schema // nil for nothing
}

// parameter is a parameter of a call, or a member of a type.
type parameter struct {
	Name     string `json:"name"`
	In       string `json:"in"`
	Required bool   `json:"required"`
	Schema   schema `json:"schema"`
}

// Description is what is said of the member.
func (p parameter) Description() string { return p.Schema.Description }

// body is a body of a request or an answer.
type body struct {
	Required bool `json:"required"`
	Content  map[string]struct {
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
		s := d.Components.Schemas[name]
		o := object{Name: name, Description: s.Description}
		for _, member := range slices.Sorted(maps.Keys(s.Properties)) {
			o.Members = append(o.Members,
				parameter{Name: member, Required: slices.Contains(s.Required, member),
					Schema: s.Properties[member]})
		}
		a.Types = append(a.Types, o)
	}
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(d.Paths[path])) {
			o := d.Paths[path][method]
			if o.RequestBody != nil && !o.RequestBody.Required { // can only be empty
				o.RequestBody = nil
			}
			c := call{ID: o.OperationID, Verb: strings.ToUpper(method), Path: path, Summary: o.Summary,
				Takes: o.RequestBody.json()}
			for _, p := range o.Parameters {
				switch p.In {
				case "path":
					c.InPath = append(c.InPath, p)
				case "query":
					c.InQuery = append(c.InQuery, p)
				default:
					return a, fmt.Errorf("%s: the parameter %s is in %q, not in path or query", c.ID, p.Name,
						p.In)
				}
			}
			for status, r := range o.Responses {
				if strings.HasPrefix(status, "2") {
					c.Gives = r.json()
				}
			}
			a.Calls = append(a.Calls, c)
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

var inBraces = regexp.MustCompile(`\{(\w+)\}`)

// filled is the path with code for each parameter, by its name.
func (c call) filled(code func(name string) string) string {
	return inBraces.ReplaceAllStringFunc(c.Path, func(p string) string { return code(strings.Trim(p, "{}")) })
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
