package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// TestSummaryOfItsResults: no command believes a summary that says something else than the results.
func TestSummaryOfItsResults(t *testing.T) {
	r := reports.New(reports.Tool{Name: "mcpcheck"}, reports.Target{Name: "x"}, reports.Config{})
	r.Results = []reports.Result{{ID: "PAGE-02", Title: "t", Level: reports.LevelMust, Grade: "fail",
		Revision:  "2025-11-25",
		Transport: "stdio", Verdict: reports.Fail, Section: "server/utilities/pagination#response-format"}}
	r.Summary.Outcome, r.Summary.Scope, r.Summary.Conformant = reports.Conformant, reports.Full, true
	path := filepath.Join(t.TempDir(), "r.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := reports.WriteJSON(f, r); err != nil {
		t.Fatal(err)
	}
	const want = `r.json: the report contradicts itself: summary counts 0 verdicts that are "fail", and ` +
		`there are 1`
	for _, command := range []string{"badge", "convert", "merge"} {
		var out, complaints strings.Builder
		if status := run(t.Context(), []string{"report", command, path}, nil, &out,
			&complaints); status != exitUsage || !strings.Contains(complaints.String(), want) {
			t.Errorf("%s: exit %d, %s%s", command, status, out.String(), complaints.String())
		}
	}
}

// TestShortSentences: what a message quotes of the user's input is cut.
func TestShortSentences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.yaml")
	if err := os.WriteFile(path, []byte(strings.Repeat("k", 1<<20)+": 1"), 0o600); err != nil {
		t.Fatal(err)
	}
	var complaints strings.Builder
	if status := run(t.Context(), []string{"run", "--config", path}, nil, &complaints,
		&complaints); status != exitUsage || complaints.Len() > 2000 {
		t.Errorf("exit %d, %d bytes: %.200s", status, complaints.Len(), complaints.String())
	}
}
