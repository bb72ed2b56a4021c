package reporting

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestFrameQuotesOnce: the note on a frame does not quote the text that stands behind it, and a URL need not be JSON.
func TestFrameQuotesOnce(t *testing.T) {
	raw := []byte("Server running on stdio")
	if got := frame(wire.Frame{Raw: raw, Flaws: wire.Inspect(raw), Event: &wire.Event{Type: "endpoint"}}); got.Note != "" {
		t.Errorf("the note on a URL is %q", got.Note)
	}
	if got := frame(wire.Frame{Raw: raw, Flaws: wire.Inspect(raw)}); got.Note != "not JSON" {
		t.Errorf("the note is %q", got.Note)
	}
}
