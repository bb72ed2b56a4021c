package reports

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// excerpt is the beginning of a frame's bytes on one line, safe to print, with
// about n characters, and a note of how much is missing.
func (f *Frame) excerpt(n int) string {
	data := f.Data
	// A character takes four bytes at most.
	if len(data) > 4*n {
		data = data[:4*n]
		for len(data) > 0 && !utf8.RuneStart(data[len(data)-1]) {
			data = data[:len(data)-1]
		}
		if len(data) > 0 && data[len(data)-1] >= utf8.RuneSelf {
			data = data[:len(data)-1]
		}
	}
	text := safe.Shorten(safe.Line(string(data)), n)
	if shown := len(strings.TrimSuffix(text, "…")); f.Truncated || len(data) < len(f.Data) || shown < len(text) {
		return fmt.Sprintf("%s [%d bytes in all]", text, max(f.Size, len(f.Data)))
	}
	return text
}
