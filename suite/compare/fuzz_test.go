package compare

import (
	"bytes"
	"encoding/json"
	"io"
	"testing"
)

// FuzzReport: a comparison can be shown and written, whatever is in it.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"schema":"` + Schema +
		`","summary":{"outcome":"same"},"compared":[{"revision":"2025-11-25"}]}`))
	f.Add([]byte(`{"schema":"` + Schema +
		`","summary":{"outcome":"different","dropped":1},"differences":[{"kind":"dropped","group":"lists",` +
		`"subject":"a|b","direct":"\u001b[2J","revisions":["x"]}],"unsteady":[{}],"ignored":[{}]}`))
	f.Add([]byte(`{"schema":"mcpcheck.report/1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := &Report{}
		if json.Unmarshal(raw, r) != nil {
			return
		}
		for name, err := range map[string]error{"console": WriteConsole(io.Discard, r, ConsoleOptions{}),
			"Markdown": WriteMarkdown(io.Discard, r)} {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		var b bytes.Buffer
		if err := WriteJSON(&b, r); err != nil {
			t.Fatal(err)
		}
		if !json.Valid(b.Bytes()) {
			t.Errorf("no JSON is written: %s", b.Bytes())
		}
	})
}
