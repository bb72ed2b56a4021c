package conformance

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/onsi/ginkgo/v2"
)

// Verdict is the value of the report entry "verdict" that every spec has. In reports
// that Ginkgo writes it has the members of a result in ours, without evidence: the frames
// are an entry of their own.
type Verdict struct {
	reports.Result
	judgement *engine.Judgement
	finding   string // of a red or blocked one: what it holds against the target, or why there is none
}

// String is the verdict in a line.
func (v *Verdict) String() string {
	s := string(v.Verdict)
	if v.ReasonCode != "" {
		s += " (" + v.ReasonCode + ")"
	}
	if v.Reason != "" {
		s += ": " + v.Reason
	}
	return s
}

// Frames is the value of the report entry "frames": the messages that a verdict rests on.
type Frames []reports.Frame

// String shows the frames as the console does.
func (f Frames) String() string {
	const most = 1000
	var lines []string
	for i := range f {
		lines = append(lines, strings.Join(write.FrameLines(&f[i], most), "\n      "))
	}
	return strings.Join(lines, "\n")
}

// present shows a verdict as the outcome of the spec that runs.
func present(v *Verdict, frames Frames, strict bool) {
	v.Evidence = nil
	entry := func(name string, value any) {
		ginkgo.AddReportEntry(name, value, ginkgo.ReportEntryVisibilityNever)
	}
	entry("verdict", v)
	if v.Verdict.Red() {
		entry("expected", v.Expected)
		entry("actual", v.Actual)
		if v.Hint != "" {
			entry("hint", v.Hint)
		}
		if v.Rerun != "" {
			entry("repeat", v.Rerun)
		}
	}
	if len(frames) > 0 {
		entry("frames", frames)
	}
	if v.Excused {
		ginkgo.Skip("known: " + v.ExcusedReason + "\n" + v.finding)
	}
	switch {
	case v.Verdict == reports.Fail, v.Verdict == reports.Warn && strict,
		v.Verdict == reports.Blocked && v.Level == reports.LevelMust:
		ginkgo.Fail(v.finding)
	case v.Verdict == reports.Warn:
		ginkgo.AddReportEntry("warning", v.finding)
	case v.Verdict != reports.Pass:
		ginkgo.Skip(v.ReasonCode + ": " + v.Reason)
	}
}
