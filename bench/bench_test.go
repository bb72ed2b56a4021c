// Package bench measures how long runs take and what they need. "make bench" runs
// it; the figures stand in docs/speed.md.
package bench

import (
	"fmt"
	"testing"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// run judges the embedded reference and reports how many verdicts came out.
func run(b *testing.B, o reference.Options, cfg suite.Config) {
	b.Helper()
	for b.Loop() {
		target, server, err := embedded.Complete(o)
		if err != nil {
			b.Fatal(err)
		}
		c := cfg
		c.Target, c.QuietWindow = target, embedded.QuietWindow
		report, err := suite.Run(b.Context(), c)
		server.Close()
		if err != nil {
			b.Fatal(err)
		}
		s := report.Summary
		if s.Fail > 0 || s.Blocked > 0 {
			b.Fatalf("%d failed, %d blocked", s.Fail, s.Blocked)
		}
		b.ReportMetric(float64(s.Judged()), "verdicts/run")
	}
}

func only(r requirement.Revision, t requirement.Transport) suite.Config {
	return suite.Config{Revisions: []requirement.Revision{r}, Transports: []requirement.Transport{t}}
}

// BenchmarkOne: one revision on one transport.
func BenchmarkOne(b *testing.B) {
	for _, c := range requirement.Grid() {
		b.Run(fmt.Sprintf("%s/%s", c.Revision, c.Transport), func(b *testing.B) {
			run(b, reference.Options{}, only(c.Revision, c.Transport))
		})
	}
}

// BenchmarkAll: all combinations that the specification defines.
func BenchmarkAll(b *testing.B) { run(b, reference.Options{}, suite.Config{}) }

// BenchmarkSlow: one revision over HTTP, with 100 ms added to each answer.
func BenchmarkSlow(b *testing.B) {
	for _, r := range []requirement.Revision{requirement.R20251125, requirement.R20260728} {
		b.Run(string(r), func(b *testing.B) {
			run(b, reference.Options{Latency: 100 * time.Millisecond}, only(r, requirement.HTTP))
		})
	}
}
