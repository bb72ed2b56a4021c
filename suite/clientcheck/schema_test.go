package clientcheck_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestReportsKeepToTheContract: a report about a client is one like any other.
func TestReportsKeepToTheContract(t *testing.T) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(reports.JSONSchema))
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("report.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", "CL-05"} {
		var b bytes.Buffer
		if err := reports.WriteJSON(&b, play(t, "http", "2025-11-25", bad)); err != nil {
			t.Fatal(err)
		}
		r, err := jsonschema.UnmarshalJSON(bytes.NewReader(b.Bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(r); err != nil {
			t.Error(err)
		}
		if _, err := reports.ReadJSON(&b); err != nil {
			t.Error(err)
		}
	}
}
