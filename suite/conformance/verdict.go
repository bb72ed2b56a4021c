package conformance

import (
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"
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
	conform := Conform()
	if strict {
		conform = ConformStrictly()
	}
	if v.Verdict == reports.Warn && !strict {
		ginkgo.AddReportEntry("warning", v.finding)
	}
	gomega.NewGomega(ginkgo.Fail).Expect(v).To(conform)
	if v.Verdict == reports.NotApplicable || v.Verdict == reports.Blocked {
		ginkgo.Skip(v.ReasonCode + ": " + v.Reason)
	}
}

// Conform succeeds if a [*Verdict] does not speak against the target: it is neither a
// fail, nor is it blocked where the requirement is a MUST.
func Conform() types.GomegaMatcher { return &conform{} }

// ConformStrictly is [Conform] with warnings counted as failures.
func ConformStrictly() types.GomegaMatcher { return &conform{strict: true} }

type conform struct{ strict bool }

// Match is part of [types.GomegaMatcher].
func (c *conform) Match(actual any) (bool, error) {
	v, ok := actual.(*Verdict)
	if !ok {
		return false, fmt.Errorf("a *conformance.Verdict is expected, not a %T", actual)
	}
	switch v.Verdict {
	case reports.Fail:
		return false, nil
	case reports.Warn:
		return !c.strict, nil
	case reports.Blocked:
		return v.Level != reports.LevelMust, nil
	}
	return true, nil
}

// FailureMessage is part of [types.GomegaMatcher].
func (c *conform) FailureMessage(actual any) string { return actual.(*Verdict).finding }

// NegatedFailureMessage is part of [types.GomegaMatcher].
func (c *conform) NegatedFailureMessage(actual any) string {
	v := actual.(*Verdict)
	return fmt.Sprintf("%s %s (%s): expected a failure, but it is: %s", v.ID, v.Title, v.Section, v)
}
