package write

import (
	"bytes"
	"io"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// FuzzReadMatrix: what is read can be shown, and written so that it is read again.
func FuzzReadMatrix(f *testing.F) {
	f.Add([]byte(`{"schema":"` + reports.MatrixSchema +
		`","targets":[{"name":"a","verdicts":{"PAGE-02":"fail"}}],"summary":{}}`))
	f.Add([]byte(`{"schema":"` + reports.MatrixSchema + `","summary":{}}`))
	f.Add([]byte(`{"schema":"mcpcheck.report/1"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := reports.ReadMatrix(bytes.NewReader(raw))
		if err != nil {
			return
		}
		if err := MatrixHTML(io.Discard, m); err != nil {
			t.Error(err)
		}
		var b bytes.Buffer
		if err := reports.WriteMatrixJSON(&b, m); err != nil {
			t.Fatal(err)
		}
		if _, err := reports.ReadMatrix(&b); err != nil {
			t.Errorf("what was read cannot be read again: %v", err)
		}
	})
}
