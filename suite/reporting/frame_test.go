package reporting

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestFrameQuotesOnce: the note on a frame does not quote the text that stands behind it, and a URL need not
// be JSON.
func TestFrameQuotesOnce(t *testing.T) {
	raw := []byte("Server running on stdio")
	if got := frame(wire.Frame{Raw: raw, Flaws: wire.Inspect(raw),
		Event: &wire.Event{Type: "endpoint"}}); got.Note != "" {
		t.Errorf("the note on a URL is %q", got.Note)
	}
	if got := frame(wire.Frame{Raw: raw, Flaws: wire.Inspect(raw)}); got.Note != "not JSON" {
		t.Errorf("the note is %q", got.Note)
	}
}

// TestTitlesOfObservations: the catalogue has the title; what it does not know keeps the requirement's.
func TestTitlesOfObservations(t *testing.T) {
	c, err := requirement.NewCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	w := New(&reports.Report{}, mask.NewMasker(nil), c)
	for id, want := range map[string]string{"inconsistent": "Two tries led to different verdicts",
		"own-kind": "A row"} {
		w.Observe(verdict.Observation{ID: id}, reports.Observation{Title: "A row"})
		if got := w.Report.Observations[len(w.Report.Observations)-1].Title; got != want {
			t.Errorf("%s: the title is %q, not %q", id, got, want)
		}
	}
}
