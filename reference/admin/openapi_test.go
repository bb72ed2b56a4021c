package admin

import (
	"encoding"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/doccomment"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
	"github.com/mcpcheck/mcpcheck/reports"
)

var update = flag.Bool("update", false, "write openapi.json anew")

// TestTheDocumentIsTrue: the document has every route, every parameter and every member of the
// types that the handlers read and write, and nothing else. Descriptions are the comments of
// the types.
func TestTheDocumentIsTrue(t *testing.T) {
	comments, err := doccomment.Read(".", "..", "../control", "../engine", "../guard", "../internal/host",
		"../journal", "../oauth", "../operation", "../world")
	if err != nil {
		t.Fatal(err)
	}
	b := &builder{schemas: map[string]any{}, types: map[string]reflect.Type{}, comments: comments}
	data, err := json.MarshalIndent(b.document(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if *update {
		if err := os.WriteFile("openapi.json", data, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, got := doccomment.Undescribed(data), doccomment.Undescribed(openAPI)
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("there is\n%s\nand not\n%s\n(run the test with -update)", got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatal("the document is too short or too long (run the test with -update)")
	}
}

type object = map[string]any

// builder makes the document from the routes and their types.
type builder struct {
	schemas  object
	types    map[string]reflect.Type
	comments map[string]string
}

func (b *builder) document() any {
	paths := object{}
	for _, r := range routes {
		at, _ := paths[r.path].(object)
		if at == nil {
			at = object{}
			paths[r.path] = at
		}
		at[strings.ToLower(r.method)] = b.operation(r)
	}
	for _, v := range unlisted {
		b.ref(reflect.TypeOf(v))
	}
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title": "mockserver admin", "version": "1",
			"description": "Steers a mock server of MCP resources while it runs. " +
				"For this machine only, unless it demands a token. " +
				"Requests are read strictly: what they do not know is an error that names it. " +
				"All but GET say that they send application/json, also where they have no body.",
		},
		"servers": []any{
			object{"url": "/"},
			object{"url": "/namespaces/{namespace}", "description": "One namespace, in place of the server.",
				"variables": object{"namespace": object{"default": "NAME"}}},
		},
		"paths":    paths,
		"security": []any{object{}, object{"bearer": []any{}}},
		"components": object{"schemas": b.schemas,
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
	}
}

func (b *builder) operation(r route) object {
	op := object{"summary": r.summary, "operationId": operationID(r)}
	var params []any
	for _, segment := range strings.Split(r.path, "/") {
		if name, ok := strings.CutPrefix(segment, "{"); ok {
			params = append(params, object{"name": strings.TrimSuffix(name, "}"), "in": "path",
				"required": true, "schema": object{"type": "string"}})
		}
	}
	for _, p := range r.params {
		name, required := strings.CutSuffix(p, "!")
		schema := object{"type": "string"}
		switch name {
		case "limit", "offset", "since":
			schema = object{"type": "integer", "minimum": 0}
		case "newest":
			schema = object{"type": "boolean"}
		case "direction":
			schema = enum(directions[1:])
		case "kind", "kinds":
			schema = object{"type": "array", "items": enum(kinds)}
		}
		params = append(params, object{"name": name, "in": "query", "required": required, "schema": schema})
	}
	if params != nil {
		op["parameters"] = params
	}
	if r.request != nil {
		content := object{"application/json": object{"schema": b.body(r.request)}}
		if r.method == "PATCH" {
			content["application/merge-patch+json"] = content["application/json"]
		}
		op["requestBody"] = object{"required": true, "content": content}
	}
	if r.request == nil && r.method != "GET" {
		empty := object{"type": "object", "additionalProperties": false}
		op["requestBody"] = object{
			"description": "May be missing. The Content-Type must not.",
			"content":     object{"application/json": object{"schema": empty}},
		}
	}
	success := object{"description": "Done."}
	if r.response != nil {
		success["content"] = object{"application/json": object{"schema": b.body(r.response)}}
	}
	op["responses"] = object{
		statusText(r.status): success,
		"default": object{"description": "What went wrong.",
			"content": object{"application/json": object{"schema": b.ref(reflect.TypeFor[Refusal]())}}},
	}
	return op
}

func statusText(status int) string {
	data, _ := json.Marshal(status) // a number
	return string(data)
}

func operationID(r route) string {
	id := strings.ToLower(r.method)
	for _, part := range regexp.MustCompile(`[a-zA-Z]+`).FindAllString(r.path, -1) {
		id += strings.ToUpper(part[:1]) + part[1:]
	}
	return id
}

func (b *builder) body(v any) any {
	if p, ok := v.(patch); ok {
		return b.patch(reflect.TypeOf(p.of))
	}
	if w, ok := v.(written); ok {
		return b.written(reflect.TypeOf(w.of))
	}
	if reflect.TypeOf(v) == reflect.TypeFor[json.RawMessage]() {
		return object{"type": "object"}
	}
	return b.ref(reflect.TypeOf(v))
}

// patch is a type of whose members any may be there, or null.
func (b *builder) patch(t reflect.Type) any {
	name := t.Name() + "Patch"
	properties := object{}
	for _, f := range fields(t) {
		if f.name != "file" && f.name != "repeat" {
			properties[f.name] = object{}
		}
	}
	b.schemas[name] = object{"type": "object", "description": "A JSON merge patch: null takes a member away.",
		"properties": properties, "additionalProperties": false}
	return object{"$ref": "#/components/schemas/" + name}
}

// written is a type with warnings beside its members.
func (b *builder) written(t reflect.Type) any {
	b.ref(t)
	whole := maps.Clone(b.schemas[t.Name()].(object))
	properties := maps.Clone(whole["properties"].(object))
	properties["warnings"] = object{"type": "array", "items": object{"type": "string"},
		"description": "What a client may stumble over, in sentences; absent if there is nothing."}
	whole["properties"] = properties
	b.schemas["Written"+t.Name()] = whole
	return object{"$ref": "#/components/schemas/Written" + t.Name()}
}

func enum[T ~string](values []T) object { return object{"type": "string", "enum": values} }

// ref is the schema of a type; structs become schemas of their own.
func (b *builder) ref(t reflect.Type) any {
	switch {
	case t == reflect.TypeFor[json.RawMessage]():
		return object{}
	case t == reflect.TypeFor[journal.Direction]():
		return enum(directions[1:])
	case t == reflect.TypeFor[journal.Kind]():
		return enum(kinds)
	case t.Kind() == reflect.Pointer:
		return b.ref(t.Elem())
	case t.String() == "time.Duration", t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.String:
		return object{"type": "string"}
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float64:
		return object{"type": "number"}
	case reflect.Slice:
		return object{"type": "array", "items": b.ref(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": b.ref(t.Elem())}
	case reflect.Interface:
		return object{}
	case reflect.Struct:
		return b.structure(t)
	}
	return object{"type": "integer"}
}

func (b *builder) structure(t reflect.Type) any {
	name := t.Name()
	if other := b.types[name]; other != nil && other != t {
		panic(other.String() + " and " + t.String() + " have the same name")
	}
	b.types[name] = t
	if _, done := b.schemas[name]; !done {
		schema := object{"type": "object", "additionalProperties": false}
		b.schemas[name] = schema // before its members, which may be of the same type
		if c := b.comments[path.Base(t.PkgPath())+"."+name]; c != "" {
			schema["description"] = c
		}
		properties, required := object{}, []string{}
		for _, f := range fields(t) {
			member := b.member(t, f)
			if c := b.comments[f.owner+"."+f.field]; c != "" {
				if m, ok := member.(object); ok && m["$ref"] == nil {
					m["description"] = c
				}
			}
			properties[f.name] = member
			if f.required {
				required = append(required, f.name)
			}
		}
		if t == reflect.TypeFor[journal.Entry]() {
			properties["message"] = object{"description": "The message, where it is complete and is JSON."}
			properties["text"] = object{"type": "string", "description": "The message, where it is not."}
			properties["base64"] = object{"type": "string",
				"description": "The message, where it is not even UTF-8."}
			properties["truncated"] = object{"type": "boolean",
				"description": "Says that this is the beginning of a longer message."}
		}
		schema["properties"] = properties
		if slices.Sort(required); len(required) > 0 {
			schema["required"] = required
		}
	}
	return object{"$ref": "#/components/schemas/" + name}
}

func (b *builder) member(t reflect.Type, f field) any {
	if t == reflect.TypeFor[reports.Report]() { // has a published schema of its own
		switch f.typ.Kind() {
		case reflect.Slice:
			return object{"type": "array", "items": object{"type": "object"}}
		case reflect.Struct:
			return object{"type": "object"}
		}
	}
	return b.ref(f.typ)
}

type field struct {
	name, owner, field string
	typ                reflect.Type
	required           bool
}

// fields are the members that a type has in JSON.
func fields(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			all = append(all, fields(f.Type)...)
			continue
		}
		tag, ofWorld := f.Tag.Lookup("yaml")
		if !ofWorld {
			tag = f.Tag.Get("json")
		}
		name, options, _ := strings.Cut(tag, ",")
		if name == "-" || name == "" || ofWorld && t == reflect.TypeFor[world.Resource]() &&
			(name == "file" || name == "repeat") {
			continue
		}
		required := !ofWorld && !strings.Contains(options, "omit")
		if t == reflect.TypeFor[world.Resource]() || t == reflect.TypeFor[world.Template]() {
			required = slices.Contains([]string{"uri", "uriTemplate", "name"}, name)
		}
		if t == reflect.TypeFor[control.Rule]() && f.Name == "Limits" {
			required = false
		}
		all = append(all, field{name, path.Base(t.PkgPath()) + "." + t.Name(), f.Name, f.Type, required})
	}
	return all
}

// TestTheDocumentIsForEveryone: no words of the program's own in the descriptions.
func TestTheDocumentIsForEveryone(t *testing.T) {
	words := regexp.MustCompile(
		`"[^"]*(\bnil\b|\b(Default|Max)[A-Z]|\b(journal|world|control|reference)\.[A-Z]|constants)[^"]*"`)
	if found := words.FindAllString(string(openAPI), -1); len(found) > 0 {
		t.Errorf("%q", found)
	}
}
