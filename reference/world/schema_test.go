package world_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpcheck/mcpcheck/fixtures"
	"github.com/mcpcheck/mcpcheck/internal/doccomment"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

var update = flag.Bool("update", false, "write schema.json anew")

// TestTheSchemaIsTrue: the schema is what the types say that worlds are read into.
func TestTheSchemaIsTrue(t *testing.T) {
	comments, err := doccomment.Read(".", "../operation")
	if err != nil {
		t.Fatal(err)
	}
	b := &schemaBuilder{defs: map[string]any{}, comments: comments}
	root := b.of(reflect.TypeFor[world.World]())
	whole := maps.Clone(b.defs["World"].(map[string]any))
	delete(b.defs, "World")
	maps.Copy(whole, map[string]any{"$schema": "https://json-schema.org/draft/2020-12/schema",
		"title": "A world of mockserver", "$defs": b.defs})
	data, err := json.MarshalIndent(whole, "", "  ")
	if err != nil || root == nil {
		t.Fatal(err)
	}
	data = append(data, '\n')
	if *update {
		if err := os.WriteFile("schema.json", data, 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want, got := doccomment.Undescribed(data),
		doccomment.Undescribed([]byte(world.Schema)); len(want) == 0 || !slices.Equal(want, got) {
		t.Error("schema.json is out of date: run the test with -update")
	}
}

// schemaBuilder makes schemas of types.
type schemaBuilder struct {
	defs     map[string]any
	comments map[string]string
}

type schema = map[string]any

var text = schema{"type": "string"}

// The spans of time, and delays, by what reads them.
var (
	span = schema{"type": []string{"string", "number"},
		"pattern": `^[-+]?([0-9.]+(ns|us|µs|ms|s|m|h))+$|^[-+]?0$`}
	delay = schema{"type": "string", "pattern": `^(fixed:|uniform:|lognormal:|dribble:)?[0-9]`}
)

func (b *schemaBuilder) of(t reflect.Type) schema {
	switch {
	case t.Kind() == reflect.Pointer:
		return b.of(t.Elem())
	case t == reflect.TypeFor[time.Duration](), t == reflect.TypeFor[operation.Duration]():
		return span
	case t == reflect.TypeFor[operation.Delay]():
		return delay
	case reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		panic("there is no schema for " + t.String())
	}
	switch t.Kind() {
	case reflect.String:
		return text
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.Slice:
		return schema{"type": "array", "items": b.of(t.Elem())}
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": b.of(t.Elem())}
	case reflect.Interface:
		return schema{}
	case reflect.Struct:
		b.structure(t)
		return schema{"$ref": "#/$defs/" + t.Name()}
	}
	return schema{"type": "integer"}
}

// structure makes the schema of a type with members, once.
func (b *schemaBuilder) structure(t reflect.Type) {
	if b.defs[t.Name()] != nil {
		return
	}
	one := schema{"type": "object", "additionalProperties": false,
		"description": b.comments[path.Base(t.PkgPath())+"."+t.Name()]}
	b.defs[t.Name()] = one // before its members, which may be of the same type
	properties := schema{}
	b.members(t, properties)
	one["properties"] = properties
}

func (b *schemaBuilder) members(t reflect.Type, properties schema) {
	words := operation.Words()
	ofOperations := t == reflect.TypeFor[operation.Operation]() || t == reflect.TypeFor[operation.Test]()
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Tag.Get("yaml") == ",inline" {
			b.members(f.Type, properties)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		if name == "-" || name == "" {
			continue
		}
		member := maps.Clone(b.of(f.Type))
		if known := words[name]; ofOperations && known != nil {
			member = schema{"type": "string", "enum": known}
		}
		switch t.Name() + "." + name {
		case "Step.revisions":
			member["items"] = schema{"type": "string", "enum": hook.Revisions()}
		case "World.timelineFrom":
			member = schema{"type": "string", "enum": []string{"start", world.FromFirstRequest}}
		case "Input.kind":
			member = schema{"type": "string", "enum": world.InputKinds()}
		case "PromptMessage.role":
			member = schema{"type": "string", "enum": world.Roles()}
		case "Caching.scope":
			member = schema{"type": "string", "enum": []string{"public", "private"}}
		}
		if c := b.comments[path.Base(t.PkgPath())+"."+t.Name()+"."+f.Name]; c != "" {
			member["description"] = c
		}
		properties[name] = member
	}
}

// TestWorldsMeetTheSchema: all ready worlds do, the example does, and what reading refuses by its form the
// schema does.
func TestWorldsMeetTheSchema(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(world.Schema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("world.json", document); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("world.json")
	if err != nil {
		t.Fatal(err)
	}
	check := func(text string) error {
		data, err := yaml.YAMLToJSON([]byte(text))
		if err != nil {
			return err
		}
		v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			return err
		}
		return compiled.Validate(v)
	}
	files, err := fs.Glob(fixtures.FS, "worlds/*.yaml")
	if err != nil || len(files) < 5 {
		t.Fatal(files, err)
	}
	good := []string{world.Example, steps}
	for _, file := range files {
		data, err := fixtures.FS.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		good = append(good, string(data))
	}
	for _, text := range good {
		if err := check(text); err != nil {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if _, err := world.Parse("steps.yaml", []byte(steps)); err != nil {
		t.Error(err)
	}
	for _, bad := range []string{
		"resurces: []", "resources: [{ui: a}]", "resources: {}", "pageSize: many",
		"resources: [{uri: a, delay: soon}]", "resources: [{uri: a, hidden: 7}]",
		"caching: {scope: global}", "timeline: [{att: 1s}]", "timeline: [{revisions: ['2020-01-01']}]",
		"timelineFrom: noon", "timeline: [{on: {methd: a}, touch: a}]",
		"rules: [{do: [{on: requst, silence: true}]}]", "rules: [{do: [{retype: result.a, as: text}]}]",
		"rules: [{do: [{drop: result.a, when: [{at: result, type: text}]}]}]",
		"resources: [{uri: a, name: a, text: a, input: {key: a, kind: samplng}}]", "rules: [{chanse: 1}]",
		"rules: [{delay: soon}]", "rules: [{fail: {cod: 1}}]", "states: [a]", "tools: [{nme: a}]",
		"prompts: [{name: a, messages: [{role: system, text: a}]}]",
		"templates: [{uriTemplate: a, variables: [{nme: b}]}]",
	} {
		if check(bad) == nil {
			t.Errorf("the schema takes %s", bad)
		}
		if _, err := world.Parse("bad.yaml", []byte(bad)); err == nil {
			t.Errorf("reading takes %s", bad)
		}
	}
}

// steps is a world with what the ready ones lack.
const steps = `
caching: {ttl: 0}
resources:
  - {uri: "a:b", name: n, text: "{x} {y}", input: {key: f, fields: [{name: x}], then: {key: y, kind: sampling, message: m, default: d, then: {key: u, kind: url, url: "https://a.example"}}}}
states: {link: up}
timelineFrom: first-request
timeline:
  - {after: {method: ping, count: 2, when: [{at: params.x, type: missing}]}, at: 1s, putRule: {id: a, fault: reset, chance: 0.5}}
  - {on: {uri: "a:*"}, times: 3, become: {link: down}}
  - {at: 0, revisions: ["2025-11-25"]}
  - {at: 1m30s, expireTokens: ["*"]}
  - {every: 1s, refuse: 500ms}
rules:
  - {while: {link: down}, every: 2, fail: {code: -32000, message: no, data: {a: [1]}}}
  - {method: ping, delay: "lognormal:50ms,0.5"}
  - do:
      - {on: request, answer: {raw: "${id}", template: true, status: 299, header: {A: b}}}
      - {set: "result.a", to: {b: null}, where: [{at: c, is: 1.5, not: true}]}
      - {on: notification, reorder: 1s}
`
