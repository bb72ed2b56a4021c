package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// keeper is the file that --journal names; without the flag there is none, and it does nothing.
type keeper struct{ file io.WriteCloser }

// keepJournal makes the journal of the server, with its file if one was asked for.
func (v *verifier) keepJournal() (keeper, error) {
	o := journal.Options{Entries: keptEntries, Bytes: keptBytes, MaxRaw: keptMessage}
	var k keeper
	if v.settings.journal != "" {
		f, err := os.OpenFile(v.settings.journal, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
		if err != nil {
			return k, usageError{err}
		}
		o.Writer, k.file = f, f
	}
	v.options.Journal = journal.New(o)
	return k, nil
}

// add writes what the servers on stdio have noted, each after the other, and numbered on from
// the last entry that the file has.
func (k keeper) add(last uint64, journals [][]byte) error {
	if k.file == nil {
		return nil
	}
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
			if _, err := journal.WriteJSON(k.file, []journal.Entry{e}); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k keeper) close() error {
	if k.file == nil {
		return nil
	}
	return k.file.Close()
}
