package engine

import (
	"bytes"
	"testing"

	"github.com/mcpcheck/mcpcheck/reports"
)

// FuzzRejudge: whatever stands in a recording, it is judged or refused.
func FuzzRejudge(f *testing.F) {
	f.Add([]byte(`{"schema":"mcpcheck.recording/2","rows":[{"id":"LIST-01",` +
		`"combination":{"revision":"2025-11-25","transport":"http"}}],"frames":[],` +
		`"takes":[{"facts":{"combination":{"revision":"2025-11-25","transport":"http"}},` +
		`"recordings":[{"scenario":"walk-resources","exchanges":[{"step":"page"}],"frames":[]}],` +
		`"took":{}}],"complete":true}`))
	f.Fuzz(func(_ *testing.T, data []byte) {
		_, _ = Rejudge(bytes.NewReader(data), reports.Tool{}, true) // an error is a refusal
	})
}
