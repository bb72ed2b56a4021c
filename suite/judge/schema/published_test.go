package schema

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"pgregory.net/rapid"
)

// published is the published schema of a revision.
type published struct {
	rev      requirement.Revision
	defs     node
	compiled map[string]*jsonschema.Schema
}

// publishedSchema reads the schema of a revision from the directory that
// MCP_SCHEMA_DIR names; without it the test is skipped.
func publishedSchema(t *testing.T, rev requirement.Revision) *published {
	t.Helper()
	dir := os.Getenv("MCP_SCHEMA_DIR")
	if dir == "" {
		t.Skip("MCP_SCHEMA_DIR is not set")
	}
	f, err := os.Open(filepath.Join(dir, string(rev)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		t.Fatal(err)
	}
	place := "definitions"
	if _, ok := doc.(node)["$defs"]; ok {
		place = "$defs"
	}
	compiler := jsonschema.NewCompiler()
	// Formats are judged by oracles of their own, which can say more.
	for _, name := range []string{"uri", "uri-template", "byte"} {
		compiler.RegisterFormat(&jsonschema.Format{Name: name, Validate: func(any) error { return nil }})
	}
	if err := compiler.AddResource("mcp.json", doc); err != nil {
		t.Fatal(err)
	}
	p := &published{rev: rev, defs: doc.(node)[place].(node), compiled: map[string]*jsonschema.Schema{}}
	for name := range p.defs {
		p.compiled[name] = compiler.MustCompile("mcp.json#/" + place + "/" + name)
	}
	return p
}

// valid reports whether a value is of a published type; of several names the first
// that the revision has counts.
func (p *published) valid(value any, names ...string) bool {
	for _, name := range names {
		if s := p.compiled[name]; s != nil {
			return s.Validate(value) == nil
		}
	}
	panic("the revision has none of " + strings.Join(names, ", "))
}

// example draws a value that fits a published schema.
func (p *published) example(t *rapid.T, n node, depth int) any {
	if name, ok := n["$ref"].(string); ok {
		return p.example(t, p.defs[name[strings.LastIndex(name, "/")+1:]].(node), depth)
	}
	if value, ok := n["const"]; ok {
		return value
	}
	if values, ok := n["enum"].([]any); ok {
		return rapid.SampledFrom(values).Draw(t, "enum")
	}
	if branches, ok := n["anyOf"].([]any); ok {
		return p.example(t, rapid.SampledFrom(branches).Draw(t, "branch").(node), depth)
	}
	kind := n["type"]
	if kinds, ok := kind.([]any); ok {
		kind = rapid.SampledFrom(kinds).Draw(t, "type")
	}
	switch kind {
	case "string":
		switch n["format"] {
		case "uri":
			return "file:///a/b.txt"
		case "uri-template":
			return "file:///{path}"
		case "byte":
			return base64.StdEncoding.EncodeToString([]byte("hello"))
		}
		return rapid.SampledFrom([]string{"", "a", "2025-01-01", "complete", "{\"x\"}", "ü"}).Draw(t,
			"string")
	case "integer":
		return rapid.SampledFrom([]any{json.Number("0"), json.Number("7"), json.Number("3.0"),
			json.Number("2e3")}).Draw(t, "integer")
	case "number":
		return rapid.SampledFrom([]any{json.Number("0"), json.Number("1"), json.Number("0.25")}).Draw(t,
			"number")
	case "boolean":
		return rapid.Bool().Draw(t, "boolean")
	case "null":
		return nil
	case "array":
		items := []any{}
		inner, _ := n["items"].(node)
		for range rapid.IntRange(0, 2).Draw(t, "length") {
			items = append(items, p.example(t, inner, depth+1))
		}
		return items
	case nil:
		if n["allOf"] == nil {
			return rapid.SampledFrom([]any{nil, "x", node{"a": json.Number("1")}, []any{}}).Draw(t, "any")
		}
	}
	return p.exampleObject(t, n, depth)
}

func (p *published) exampleObject(t *rapid.T, n node, depth int) node {
	object := node{}
	branches, _ := n["allOf"].([]any)
	for _, b := range branches {
		maps.Copy(object, p.example(t, b.(node), depth).(node))
	}
	properties, _ := n["properties"].(node)
	required, _ := n["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || depth < 6 && rapid.Bool().Draw(t, name) {
			object[name] = p.example(t, properties[name].(node), depth+1)
		}
	}
	if inner, ok := n["additionalProperties"].(node); ok && len(inner) > 0 && depth < 6 {
		for i := range rapid.IntRange(0, 2).Draw(t, "entries") {
			object["entry"+strconv.Itoa(i)] = p.example(t, inner, depth+1)
		}
	}
	return object
}

// spot is a place in a value, with what is needed to change it.
type spot struct {
	pointer string
	set     func(any)
	remove  func() // nil for items of arrays
	extend  func() // nil for what is no object
}

// spots lists the places of a value, in a fixed order.
func spots(value any, pointer string, all []spot) []spot {
	switch v := value.(type) {
	case node:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			one := spot{pointer: pointer + "/" + name, set: func(x any) { v[name] = x },
				remove: func() { delete(v, name) }}
			if inner, ok := v[name].(node); ok {
				one.extend = func() { inner["x-more"] = json.Number("1") }
			}
			all = spots(v[name], one.pointer, append(all, one))
		}
	case []any:
		for i := range v {
			one := spot{pointer: pointer + "/" + strconv.Itoa(i), set: func(x any) { v[i] = x }}
			all = spots(v[i], one.pointer, append(all, one))
		}
	}
	return all
}

// mutate changes one place of a message and returns which, and how.
func mutate(t *rapid.T, message node) (pointer, how string) {
	s := rapid.SampledFrom(spots(message, "", nil)).Draw(t, "spot")
	many := make([]any, 101)
	for i := range many {
		many[i] = "v"
	}
	changes := []func() string{}
	for _, x := range []any{nil, true, "other", json.Number("5"), json.Number("-1"), json.Number("1.5"),
		node{}, []any{}, []any{json.Number("1")}, many} {
		changes = append(changes, func() string { s.set(x); return fmt.Sprintf("set to %.20v", x) })
	}
	if s.remove != nil {
		changes = append(changes, func() string { s.remove(); return "removed" })
	}
	if s.extend != nil {
		changes = append(changes, func() string { s.extend(); return "extended" })
	}
	return s.pointer, rapid.SampledFrom(changes).Draw(t, "change")()
}

// compared is a published type, and how a message of it is made and judged.
type compared struct {
	name     string
	envelope []string // the published type that the message has to fit as well, by its names
	wrap     func(value node) node
	ours     func(s *Set, raw []byte) []Violation
	theirs   func(message node) any // the part of the message that is of the type
}

func requestOf(name string) compared {
	return compared{name: name, envelope: []string{"JSONRPCRequest"}, wrap: func(v node) node {
		v["jsonrpc"], v["id"] = "2.0", "a"
		return v
	}, ours: (*Set).Request, theirs: func(m node) any { return m }}
}

func notificationOf(name string) compared {
	return compared{name: name, envelope: []string{"JSONRPCNotification"}, wrap: func(v node) node {
		v["jsonrpc"] = "2.0"
		return v
	}, ours: (*Set).Notification, theirs: func(m node) any { return m }}
}

func resultFor(name, method string) compared {
	return compared{name: name, envelope: []string{"JSONRPCResultResponse", "JSONRPCResponse"},
		wrap: func(v node) node {
			if name == "InputRequiredResult" {
				v["resultType"] = "input_required"
			}
			return node{"jsonrpc": "2.0", "id": json.Number("1"), "result": v}
		}, ours: func(s *Set, raw []byte) []Violation {
			return s.Response(method, raw)
		}, theirs: func(m node) any { return m["result"] }}
}

func errorOf(name string) compared {
	return compared{name: name, envelope: []string{"JSONRPCErrorResponse", "JSONRPCError"},
		wrap: func(v node) node { return v },
		ours: (*Set).Error, theirs: func(m node) any { return m }}
}

// scope lists all types that are compared.
func scope() []compared {
	var all []compared
	for _, method := range slices.Sorted(maps.Keys(types().Requests)) {
		all = append(all, requestOf(types().Requests[method]))
	}
	for _, method := range slices.Sorted(maps.Keys(types().Notifications)) {
		all = append(all, notificationOf(types().Notifications[method]))
	}
	for _, method := range slices.Sorted(maps.Keys(types().Results)) {
		all = append(all, resultFor(types().Results[method], method))
	}
	all = append(all, resultFor("Result", "tools/list"), resultFor("InputRequiredResult", "resources/read"),
		requestOf("JSONRPCRequest"), notificationOf("JSONRPCNotification"), errorOf("JSONRPCError"),
		errorOf("JSONRPCErrorResponse"))
	for _, name := range []string{"URLElicitationRequiredError", "HeaderMismatchError",
		"MissingRequiredClientCapabilityError", "UnsupportedProtocolVersionError"} {
		all = append(all, errorOf(name))
	}
	return all
}

// known are the places at which ours and theirs disagree, and why.
var known = []struct {
	reason string
	// here reports whether a change of a message of a type explains the
	// disagreement; ours says whether it is ours that accept the message.
	here func(name, pointer, how string, ours bool) bool
}{
	{"an error without a readable request has no id, or null, as JSON-RPC has it",
		func(name, pointer, how string, ours bool) bool {
			return ours && strings.Contains(name, "Error") && pointer == "/id" &&
				(how == "removed" || how == "set to <nil>")
		}},
	{"the type of an error is told by its code: with another code it is another error",
		func(name, pointer, _ string, ours bool) bool {
			return ours && strings.Contains(name, "Error") && pointer == "/error/code"
		}},
	{"the type of a result is told by resultType: with another one it is another result",
		func(name, pointer, _ string, ours bool) bool {
			return name == "InputRequiredResult" && pointer == "/result/resultType"
		}},
	{"the type of a message is told by its method: with another one it is another message",
		func(_, pointer, how string, ours bool) bool {
			return ours && pointer == "/method" && how == "set to other"
		}},
	{"what the messages to and from models, and the tools offered to them, consist of has nothing to do " +
		"with resources", func(_, pointer, _ string, ours bool) bool {
		return ours && (strings.Contains(pointer, "/messages/") && strings.Contains(pointer, "/content") ||
			strings.Contains(pointer, "/tools/") && strings.Contains(pointer, "/params/") ||
			strings.HasPrefix(pointer, "/result/content"))
	}},
	{"how the fields of a form are described has nothing to do with resources",
		func(_, pointer, _ string, ours bool) bool {
			return ours && strings.Contains(pointer, "/requestedSchema/properties/")
		}},
	{"the JSON values of 2026-07-28 are meant to be all, though null and fractions are not among them",
		func(_, pointer, how string, ours bool) bool {
			return ours && capability.MatchString(pointer) && (how == "set to 1.5" || how == "set to <nil>")
		}},
	{"what a client answers inside of a request for more is no message of a server",
		func(_, pointer, _ string, ours bool) bool {
			return ours && strings.Contains(pointer, "/inputResponses/")
		}},
}

// inside are the types that occur in 2026-07-28 as parts of others only: of a result
// that asks for input, with which they are compared.
var inside = []string{"CreateMessageRequest", "ListRootsRequest", "ElicitRequest", "CreateMessageResult",
	"ListRootsResult", "ElicitResult"}

// capability is a place inside of a value that may be any JSON object.
var capability = regexp.MustCompile(
	`/(extensions/[^/]*|experimental/[^/]*|logging|completions|form|url|context|tools|metadata)/`)

// TestPublished: ours and the published schemas agree on every message that is in
// scope, valid or broken in one place, save where the list above says why not.
func TestPublished(t *testing.T) {
	examples := 120
	if testing.Short() {
		examples = 30
	}
	explained := make([]bool, len(known))
	for _, rev := range requirement.Revisions() {
		t.Run(string(rev), func(t *testing.T) {
			p, s := publishedSchema(t, rev), For(rev)
			for _, c := range scope() {
				schema, ok := p.defs[c.name].(node)
				if !ok || rev.Modern() && slices.Contains(inside, c.name) {
					continue
				}
				broken := rapid.Custom(func(t *rapid.T) [3]string {
					message := c.wrap(p.example(t, schema, 0).(node))
					pointer, how := "", ""
					if rapid.IntRange(0, 7).Draw(t, "mutate") > 0 {
						pointer, how = mutate(t, message)
					}
					raw, err := json.Marshal(message)
					if err != nil {
						t.Fatal(err)
					}
					return [3]string{string(raw), pointer, how}
				})
				n := examples
				if c.name == "InputRequiredResult" {
					n *= 3 // the whole of three other types is inside of it
				}
				agree(t, p, s, c, explained, broken, n)
			}
		})
	}
	for i, k := range known {
		if !explained[i] && !testing.Short() && os.Getenv("MCP_SCHEMA_DIR") != "" {
			t.Errorf("there is no such disagreement: %s", k.reason)
		}
	}
}

func agree(t *testing.T, p *published, s *Set, c compared, explained []bool,
	messages *rapid.Generator[[3]string], examples int) {
	t.Helper()
	refused, told := 0, 0
	for seed := range examples {
		one := messages.Example(seed)
		raw, pointer, how := one[0], one[1], one[2]
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
		if err != nil {
			t.Fatal(err)
		}
		message := value.(node)
		theirs := p.valid(message, c.envelope...) && p.valid(c.theirs(message), c.name)
		found := c.ours(s, []byte(raw))
		if !theirs {
			refused++
		}
		if ours := len(found) == 0; ours != theirs && !explain(c.name, pointer, how, ours, explained) &&
			told < 3 {
			told++
			t.Errorf("%s, %s %s: theirs accept it: %v, ours: %v\n%s", c.name, pointer, how, theirs, found,
				raw)
		}
	}
	if refused == 0 || refused == examples {
		t.Errorf("%s: of %d messages %d are refused, which shows nothing", c.name, examples, refused)
	}
}

func explain(name, pointer, how string, ours bool, explained []bool) bool {
	for i, k := range known {
		if k.here(name, pointer, how, ours) {
			explained[i] = true
			return true
		}
	}
	return false
}
