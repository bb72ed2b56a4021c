package engine

import (
	"bytes"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// BenchmarkJudge: all verdicts on a recorded run of the reference in all
// combinations, nothing of it looked at before.
func BenchmarkJudge(b *testing.B) {
	described, server, err := embedded.Complete(reference.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer server.Close()
	r, err := Prepare(b.Context(), Config{Target: described, SecurityProbes: true,
		Limits: target.Limits{QuietWindow: embedded.QuietWindow}})
	if err != nil {
		b.Fatal(err)
	}
	r.Execute(b.Context())
	var recorded bytes.Buffer
	if err := r.Record(&recorded); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		again, err := restore(bytes.NewReader(recorded.Bytes()), nil)
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for _, row := range again.rows {
			again.row(row, again.takes[row.Combination])
		}
	}
}
