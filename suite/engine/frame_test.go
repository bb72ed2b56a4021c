package engine

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// TestFrameQuotesOnce: the note on a frame does not quote the text that stands behind it.
func TestFrameQuotesOnce(t *testing.T) {
	raw := []byte("Server running on stdio")
	if got := frame(wire.Frame{Raw: raw, Flaws: wire.Inspect(raw)}); got.Note != "not-json" {
		t.Errorf("the note is %q", got.Note)
	}
}
