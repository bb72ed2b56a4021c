package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestTrace: the file is read as SEP-2484 describes it, whatever a report says.
func TestTrace(t *testing.T) {
	hostile := "it's\n  - check: x\x1b[2J ]]> \u202e'"
	r := reports.New(reports.Tool{Version: hostile}, reports.Target{}, reports.Config{})
	r.Results = []reports.Result{
		{ID: "CACHE-01", Verdict: reports.Blocked, Reason: hostile},
		{ID: "CACHE-01", Verdict: reports.Fail},
		{ID: "CACHE-03", Verdict: reports.NotApplicable, Reason: hostile},
	}
	s := requirement.SEP{Number: 2549, Requirements: []string{"CACHE-01", "CACHE-03", "CACHE-05"}}
	var b bytes.Buffer
	if err := traceability(&b, s, r); err != nil {
		t.Fatal(err)
	}
	var file struct {
		SEP          int    `yaml:"sep"`
		URL          string `yaml:"spec_url"`
		Requirements []struct {
			Check    string `yaml:"check"`
			Text     string `yaml:"text"`
			URL      string `yaml:"url"`
			Excluded string `yaml:"excluded"`
		} `yaml:"requirements"`
	}
	if _, err := yamlfile.Decode("sep-2549.yaml", b.Bytes(), &file); err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	if file.SEP != 2549 || !strings.HasSuffix(file.URL, "/server/utilities/caching") ||
		len(file.Requirements) != 3 {
		t.Fatalf("%+v", file)
	}
	judged, skipped, missing := file.Requirements[0], file.Requirements[1], file.Requirements[2]
	if judged.Check != "sep-2549-cache-01" || judged.Excluded != "" ||
		!strings.HasPrefix(judged.URL, file.URL+"#") || !strings.Contains(judged.Text, " MUST ") {
		t.Errorf("%+v", judged)
	}
	if skipped.Check != "" ||
		!strings.HasPrefix(skipped.Excluded, `not-applicable: it's\n  - check: x\x1b[2J`) {
		t.Errorf("%+v", skipped)
	}
	if missing.Check != "" || missing.Excluded != "It was not part of this run." {
		t.Errorf("%+v", missing)
	}
}
