package conformance

import (
	"fmt"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
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

// String gives each frame a line.
func (f Frames) String() string {
	const most = 1000
	var b strings.Builder
	for i := range f {
		fmt.Fprintf(&b, "%3d %-4s %s %s\n", f[i].Number, f[i].Direction, f[i].Channel, safe.Clean(f[i].Note+string(f[i].Data), most))
	}
	return strings.TrimRight(b.String(), "\n")
}

// present shows a verdict as the outcome of the spec that runs.
func present(v *Verdict, frames Frames, strict bool) {
	v.Evidence = nil
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
		ginkgo.Skip("known: " + v.ExcusedReason + "\n" + message(v))
	}
	conform := Conform()
	if strict {
		conform = ConformStrictly()
	}
	if v.Verdict == reports.Warn && !strict {
		ginkgo.AddReportEntry("warning", message(v))
	}
	gomega.NewGomega(ginkgo.Fail).Expect(v).To(conform)
	if v.Verdict == reports.NotApplicable || v.Verdict == reports.Blocked {
		ginkgo.Skip(v.ReasonCode + ": " + v.Reason)
	}
}

// entry adds a report entry that the console shows of failures only.
func entry(name string, value any) {
	ginkgo.AddReportEntry(name, value, ginkgo.ReportEntryVisibilityFailureOrVerbose)
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
func (c *conform) FailureMessage(actual any) string { return message(actual.(*Verdict)) }

// NegatedFailureMessage is part of [types.GomegaMatcher].
func (c *conform) NegatedFailureMessage(actual any) string {
	v := actual.(*Verdict)
	return fmt.Sprintf("%s %s (%s): expected a failure, but it is: %s", v.ID, v.Title, v.Section, v)
}

// message says what a verdict holds against the target, or why there is none.
func message(v *Verdict) string {
	s := fmt.Sprintf("%s %s %s (%s, %s)", v.ID, v.Level, v.Title, v.Revision, v.Section)
	if v.Verdict == reports.Blocked {
		return s + "\ncould not be judged: " + v.Reason
	}
	s += fmt.Sprintf("\nexpected: %s\nactual:   %s", v.Expected, v.Actual)
	if v.Hint != "" {
		s += "\nchange:   " + v.Hint
	}
	if v.Rerun != "" {
		s += "\nrepeat:   " + v.Rerun
	}
	return s
}
