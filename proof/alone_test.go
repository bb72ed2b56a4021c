package proof

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestAlone: a requirement's verdict is the same alone as in the whole run, for all
// requirements on the reference, each in the first legacy and the first modern
// combination that it names, or one of the two if it looks at all scenarios, as always in a sample. With one
// fault of each area, where it kills, this holds for the requirements of the area, and for all others that
// the fault changes.
func TestAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: it plays a run for every requirement")
	}
	for _, a := range area.Catalogue().Areas() {
		if !sample.Share(a.Name, 2) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			t.Parallel()
			whole := rowsOf(faultlessUnder(t, conditions{}))
			for i := range a.Rows {
				alone(t, whole, a.Rows[i].ID, firstOfEachEra(&a.Rows[i]), conditions{})
			}
		})
		f, killed := faultOf(a.Name)
		if len(killed) == 0 {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			c, at := conditionsOf(f), killed[:1]
			within := func(one requirement.Combination) bool { return slices.Contains(at, one) }
			before, after := faultlessUnder(t, c), c.run(t, within, f.Name)
			was, whole := rowsOf(before), rowsOf(after)
			for i := range after.Results {
				x := &after.Results[i]
				if strings.HasPrefix(x.ID, a.Name+"-") || said(x) != said(was[rowName(x)]) {
					alone(t, whole, x.ID, at, c, f.Name)
				}
			}
		})
	}
}

// alone judges one requirement in some combinations and compares its verdicts with those
// of the whole run.
func alone(t *testing.T, whole rows, id string, at []requirement.Combination, c conditions,
	faults ...string) {
	t.Helper()
	c.only = id
	report := c.run(t, func(one requirement.Combination) bool { return slices.Contains(at, one) }, faults...)
	if len(report.Results) != len(at) {
		t.Errorf("%s has %d verdicts alone in %v", id, len(report.Results), at)
	}
	for i := range report.Results {
		x := &report.Results[i]
		if y := whole[rowName(x)]; said(x) != said(y) {
			t.Errorf("alone: %s\nin the whole run: %s", describe(x), describe(y))
		}
	}
}

// said is what a verdict says, but for the session ids of the reference, which are random.
func said(x *reports.Result) string {
	if x == nil {
		return ""
	}
	text := strings.Join([]string{string(x.Verdict), x.ReasonCode, x.Expected, x.Actual}, "\n")
	return sessionID.ReplaceAllString(text, "an id")
}

var sessionID = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)

// firstOfEachEra lists the first legacy and the first modern combination that a
// requirement names. In a sample it is one of them, and if it looks at all scenarios, which have to be
// played.
func firstOfEachEra(req *requirement.Requirement) (first []requirement.Combination) {
	for _, c := range requirement.Grid() {
		same := func(other requirement.Combination) bool {
			return other.Revision.Modern() == c.Revision.Modern()
		}
		if req.Names(c) && !slices.ContainsFunc(first, same) {
			first = append(first, c)
		}
	}
	check, ok := area.BuiltIn().Check(req.ID)
	if sample.Whole() && (!ok || !slices.Contains(check.Inputs(), recording.Everything) &&
		!slices.Contains(check.Inputs(), recording.Every)) {
		return first
	}
	i := sample.Hash(req.ID) % len(first)
	return first[i : i+1]
}

// faultOf is the first fault of an area that can be judged in this process, and where it
// kills.
func faultOf(area string) (fault.Fault, []requirement.Combination) {
	for _, f := range fault.All() {
		_, loose := unsteady[f.Name]
		if strings.HasPrefix(f.Requirement, area+"-") && !f.Needs.Process && !loose {
			return f, knownToKill(f)
		}
	}
	return fault.Fault{}, nil
}
