package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"testing"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// TestJournalOnStandardOutput: what a client says commands no CI system there, and keeps its value.
func TestJournalOnStandardOutput(t *testing.T) {
	var out bytes.Buffer
	s := &settings{journal: "-", stdout: &out}
	if _, err := s.openJournal(); err != nil {
		t.Fatal(err)
	}
	const uri = "note:##[error]x"
	s.options.Journal.Note(&journal.Entry{URI: uri}, []byte(`{"method":"##vso[task.complete]"}`))
	var read journal.Entry
	err := json.Unmarshal(out.Bytes(), &read)
	if err != nil || read.URI != uri || regexp.MustCompile(`##\w*\[`).Match(out.Bytes()) {
		t.Errorf("%v: %s", err, &out)
	}
}
