package record

import (
	"bytes"
	"testing"
)

// FuzzRead: what is read as a recording has entries of a kind, and a revision that can be served.
func FuzzRead(f *testing.F) {
	const good = `{"format":"mockserver.recording/1","started":"2026-11-23T08:06:52.5Z","server":"s","transport":"stdio"}
{"seq":1,"time":"2026-11-23T08:06:52.5Z","direction":"in","kind":"request","transport":"stdio","session":"stdio","method":"initialize","id":1,"size":58,"message":{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}}
{"seq":2,"time":"2026-11-23T08:06:52.7Z","direction":"out","kind":"response","transport":"stdio","session":"stdio","revision":"2025-11-25","method":"initialize","id":1,"requestSeq":1,"size":78,"message":{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-11-25"}}}
`
	if _, err := Read("r", bytes.NewReader([]byte(good))); err != nil {
		f.Fatal(err)
	}
	for _, s := range []string{good, good[:len(good)-20], "", "{", `{"format":"mockserver.recording/1"}`,
		"[]\n[]\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, err := Read("r", bytes.NewReader(data))
		if err != nil {
			return
		}
		if len(got.revisions()) == 0 {
			t.Error("no revision can be served")
		}
		for i := range got.Entries {
			if got.Entries[i].Kind == "" {
				t.Errorf("entry %d has no kind", i)
			}
		}
	})
}
