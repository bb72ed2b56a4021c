package verdict_test

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// BenchmarkParsed: twenty checks look at the responses in eight frames of 1.2 MB, each with 100,000 ids. The
// frames are parsed once for all checks, or for each of them.
func BenchmarkParsed(b *testing.B) {
	const checks, frames = 20, 8
	r := &recording.Recording{Combination: requirement.Combination{Revision: requirement.R20251125,
		Transport: requirement.Stdio}}
	for i := range frames {
		f := wire.Frame{Number: i + 1, Channel: "stdout", Dir: wire.In,
			Raw: []byte("{" + strings.Repeat(`"id":12345,`, 100_000) + `"result":{}}`)}
		f.Keep()
		r.Frames = append(r.Frames, f)
	}
	for name, drop := range map[string]func(){"once": func() {}, "for each check": r.Forget} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for range checks {
					if drop(); len(r.Responses()) != frames {
						b.Fatal("not all are responses")
					}
				}
				r.Forget()
			}
		})
	}
}
