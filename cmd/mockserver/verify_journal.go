package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// noFile takes the place of the file that --journal names where there is none.
type noFile struct{ io.Writer }

func (noFile) Close() error { return nil }

// keepJournal makes the journal of the server, with its file if one was asked for.
func (v *verifier) keepJournal() (kept io.WriteCloser, err error) {
	o := journal.Options{Entries: keptEntries, Bytes: keptBytes, MaxRaw: keptMessage}
	kept = noFile{io.Discard}
	if v.settings.journal != "" {
		if kept, err = os.OpenFile(v.settings.journal, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600); err != nil {
			return nil, usageError{err}
		}
		o.Writer = kept
	}
	v.options.Journal = journal.New(o)
	return kept, nil
}

// addJournals writes what the servers on stdio have noted, each after the other, and numbered on from
// the last entry that the file has.
func addJournals(kept io.Writer, last uint64, journals [][]byte) error {
	for _, lines := range journals {
		before := last
		for line := range bytes.Lines(lines) {
			var e journal.Entry
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			e.Seq += before
			if e.RequestSeq > 0 {
				e.RequestSeq += before
			}
			last = e.Seq
			if _, err := journal.WriteJSON(kept, []journal.Entry{e}); err != nil {
				return err
			}
		}
	}
	return nil
}
