package reports

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

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
	text := string(JSONSchema)
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
			if name != "" && name != "-" && !strings.Contains(text, `"`+name+`":`) {
				t.Errorf("%s.%s: the schema has no member %q", typ, f.Name, name)
			}
			look(f.Type)
		}
	}
	look(reflect.TypeFor[Report]())
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
