package proof

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// world is the default world with a smaller big resource: a million characters show
// nothing that some thousands do not.
var world = sync.OnceValue(func() reference.World {
	w := reference.DefaultWorld()
	for i := range w.Resources {
		if g := w.Resources[i].Generate; g != nil {
			g.Bytes = min(g.Bytes, 8<<10)
		}
	}
	return w
})

// judge judges a reference server in simulated time: timeouts and silence cost
// nothing.
func judge(t *testing.T, o reference.Options, cfg suite.Config,
	adjust ...func(*target.Target)) *reports.Report {
	t.Helper()
	described, server, err := embedded.TargetOf(world(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, change := range adjust {
		change(described)
	}
	cfg.Target = described
	if cfg.Budget == 0 {
		cfg.Budget = time.Hour
	}
	report, err := suite.Run(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// describe is a result in a few lines.
func describe(x *reports.Result) string {
	return fmt.Sprintf("%s in %s on %s: %s %s %s\n\texpected: %s\n\tactual:   %s", x.ID, x.Revision,
		x.Transport, x.Verdict, x.ReasonCode, x.Reason, x.Expected, x.Actual)
}

// TestReference: the reference passes everything that applies to it and gives no cause
// for remarks but one, and nothing is left out for want of an occasion, unless it is listed here.
func TestReference(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("slow: TestComplete judges as much")
	}
	report := faultlessUnder(t, conditions{})
	if n := len(report.Summary.Combinations); n != len(requirement.Grid()) {
		t.Errorf("%d combinations were judged", n)
	}
	idle := map[string]bool{}
	for i := range report.Results {
		x := &report.Results[i]
		if x.Verdict.Red() || x.Verdict == reports.Blocked {
			t.Error(describe(x))
		}
		if x.Verdict == reports.NotApplicable && reports.NotExercised(x.ReasonCode) {
			idle[x.ID+" "+x.ReasonCode+": "+x.Reason] = true
		}
	}
	for _, o := range report.Observations {
		if o.ID == "https-uri" { // the handbook, which clients may fetch themselves
			continue
		}
		t.Errorf("observed: %s %s %s %s: %s", o.ID, o.Requirement, o.Revision, o.Transport, o.Detail)
	}
	for _, line := range sorted(idle) {
		t.Log("not exercised: ", line)
	}
}

// TestComplete: with everything said about it that can be said, the reference is
// conformant, and what it gives no occasion to judge is known.
func TestComplete(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		target, server, err := embedded.Complete(reference.Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer server.Close()
		report, err := suite.Run(t.Context(), suite.Config{Target: target,
			Limits: suite.Limits{Budget: time.Hour}})
		if err != nil {
			t.Fatal(err)
		}
		if !report.Summary.Conformant {
			t.Errorf("%+v", report.Summary)
		}
		idle := map[string][]requirement.Combination{}
		for i := range report.Results {
			switch x := &report.Results[i]; {
			case x.Verdict.Red() || x.Verdict == reports.Blocked:
				t.Error(describe(x))
			case x.Verdict == reports.NotApplicable:
				line := x.ID + " " + x.ReasonCode
				idle[line] = append(idle[line],
					requirement.Combination{Revision: requirement.Revision(x.Revision),
						Transport: requirement.Transport(x.Transport)})
			}
		}
		var lines []string
		for line, set := range idle {
			lines = append(lines, line+": "+where(set))
		}
		slices.Sort(lines)
		golden(t, "testdata/not-applicable.golden", strings.Join(lines, "\n")+"\n")
	})
}

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a golden file, or writes it with -update.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got == string(want) {
		return
	}
	was := strings.Split(string(want), "\n")
	for _, line := range strings.Split(got, "\n") {
		if !slices.Contains(was, line) {
			t.Errorf("%s has no line %q", file, line)
		}
	}
	for _, line := range was {
		if !slices.Contains(strings.Split(got, "\n"), line) {
			t.Errorf("%s has the line %q, which is not so any more", file, line)
		}
	}
}

func sorted(set map[string]bool) []string {
	var all []string
	for s := range set {
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}
