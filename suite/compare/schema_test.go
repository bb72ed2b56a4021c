package compare

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schema is the published schema.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("compare.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("compare.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestSchemaHolds: what is written follows the published schema, whatever a side sent.
func TestSchemaHolds(t *testing.T) {
	s := schema(t)
	var b bytes.Buffer
	if err := WriteJSON(&b, hostileReport()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]bool{b.String(): true, `{}`: false,
		strings.Replace(b.String(), "compare/1", "compare/2", 1): false} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); (err == nil) != want {
			t.Errorf("%.200s: %v", text, err)
		}
	}
}

// TestSchemaKnowsAllMembers: a member that is added to the contract is added to its
// schema.
func TestSchemaKnowsAllMembers(t *testing.T) {
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(typ reflect.Type) {
		for typ.Kind() == reflect.Pointer || typ.Kind() == reflect.Slice || typ.Kind() == reflect.Map {
			typ = typ.Elem()
		}
		if typ.Kind() != reflect.Struct || seen[typ] {
			return
		}
		seen[typ] = true
		for i := range typ.NumField() {
			f := typ.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name != "" && name != "-" && !strings.Contains(string(JSONSchema), `"`+name+`":`) {
				t.Errorf("%s.%s: the schema has no member %q", typ, f.Name, name)
			}
			look(f.Type)
		}
	}
	look(reflect.TypeFor[Report]())
}
