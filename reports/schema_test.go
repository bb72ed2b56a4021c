package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func reportSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("report.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func valid(t *testing.T, s *jsonschema.Schema, raw []byte) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(doc)
}

// TestSchemaHolds: what is written follows the published schema, even where a target
// sends what it likes.
func TestSchemaHolds(t *testing.T) {
	s := reportSchema(t)
	excused := sample()
	excused.Results[0].Excused, excused.Results[0].ExcusedReason = true, "known"
	excused.Summary.Baseline = &BaselineSummary{File: "known.txt", Entries: 1,
		Stale: []BaselineEntry{{Line: 3, Pattern: Pattern{ID: "PAGE-10"}, Reason: "x",
			Verdicts: []BaselineVerdict{{"2025-06-18", "stdio", Pass}}}}}
	odd := sample()
	odd.Target.Name = "<b>\x1b[31m\x00\u202e\ufffe\xff\xc3 \U0001F600"
	odd.Frames[0].Data = []byte(odd.Target.Name)
	for name, r := range map[string]*Report{"sample": sample(), "empty": New(Tool{}, Target{}, Config{}),
		"excused": excused, "odd": odd} {
		if name == "empty" {
			r.Summarize(SummaryOptions{})
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if err := valid(t, s, b.Bytes()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestSchemaKnowsAllMembers: a member that is added to the contract is added to its
// schema.
func TestSchemaKnowsAllMembers(t *testing.T) {
	schema := gjson.ParseBytes(JSONSchema)
	var look func(reflect.Type, gjson.Result)
	look = func(typ reflect.Type, at gjson.Result) {
		if ref := at.Get(`\$ref`).Str; ref != "" {
			at = schema.Get(strings.NewReplacer("#/", "", "$", `\$`, "/", ".").Replace(ref))
		}
		switch typ.Kind() {
		case reflect.Pointer:
			look(typ.Elem(), at)
		case reflect.Slice:
			look(typ.Elem(), at.Get("items"))
		case reflect.Map:
			look(typ.Elem(), at.Get("additionalProperties"))
		case reflect.Struct:
			for i := range typ.NumField() {
				f := typ.Field(i)
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				switch member := at.Get("properties." + name); {
				case f.Anonymous && name == "":
					look(f.Type, at)
				case name == "" || name == "-" || !at.Get("properties").Exists():
				case !member.Exists():
					t.Errorf("%s.%s: the schema has no member %q there", typ, f.Name, name)
				default:
					look(f.Type, member)
				}
			}
		}
	}
	look(reflect.TypeFor[Report](), schema)
}

func TestSchemaRefuses(t *testing.T) {
	s := reportSchema(t)
	for _, bad := range []string{`{}`, `{"schema":"mcpcheck.report/2"}`, `[]`} {
		if valid(t, s, []byte(bad)) == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}

// TestOldReports: what earlier releases wrote stays readable, and valid.
func TestOldReports(t *testing.T) {
	files, err := filepath.Glob("testdata/old/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no old reports", err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := ReadJSON(bytes.NewReader(raw))
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(r.Results) == 0 || r.Summary.Outcome == "" {
			t.Errorf("%s: %d results, outcome %q", file, len(r.Results), r.Summary.Outcome)
		}
		if err := valid(t, reportSchema(t), raw); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}
