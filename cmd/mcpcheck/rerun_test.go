package main

import (
	"fmt"
	"io"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/spf13/cobra"
)

// TestRerun: the command that is printed with a red verdict yields the same verdict, for
// every fault of the reference. It is read by the parser of "mcpcheck run" and judged in
// this process, in simulated time. A fault is judged in one combination, chosen by its name,
// against the requirement that it breaks. A run of the whole package judges every fourth fault. With
// PROOF_FAULTS=everywhere every red verdict of every fault is repeated in all combinations, which takes
// some 15 times as long.
func TestRerun(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: it plays two runs for every fault")
	}
	// Garbage is collected seldom meanwhile: a third of the time is saved.
	percent := debug.SetGCPercent(1200)
	t.Cleanup(func() { debug.SetGCPercent(percent) })
	for _, f := range fault.All() {
		if f.Needs.Process {
			continue // the scripts repeat what processes do
		}
		if !sample.Slow(f.Name, 4) {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			first := sampled(t, f)
			if first == nil {
				return // nothing of it is red on any transport, but observed
			}
			for i := range first.Results {
				x := &first.Results[i]
				loose := slices.Contains(unsteady, f.Name)
				if !x.Verdict.Red() || loose && x.ID != f.Requirement {
					continue
				}
				again := judgeArgs(t, f, words(t, x.Rerun)...)
				if len(again.Results) != 1 {
					t.Errorf("%s: %d verdicts", x.Rerun, len(again.Results))
				} else if was, is := told(x), told(&again.Results[0]); was != is &&
					!(loose && again.Results[0].Verdict == x.Verdict) {
					t.Errorf("%s\nyields\n%s\ninstead of\n%s\nactual: %s\nand was: %s", x.Rerun, is, was,
						again.Results[0].Actual, x.Actual)
				}
			}
		})
	}
}

// unsteady are faults whose effect depends on what else is asked for, also by other clients: a
// server that is used up, or that mixes up its clients, does not refuse when it is asked for
// one thing alone what it refused before. Of these only the requirement of the fault is
// repeated, and what exactly was wrong is not compared.
var unsteady = []string{
	"canc-60-streams-are-never-freed", "http-37-cached-by-id", "http-40-progress-on-get",
	"page-07-single-use-cursors",
	"rpc-02-counts-its-responses", "sec-63-dies-of-garbage", "rpc-16-null-id", "sess-09-last-version",
	"sess-09-works-once",
	"sse-25-broadcast", "uri-08-dies-of-nul", "uri-14-dies",
}

// sampled is what a server with a fault gets in the combinations in which the fault can show:
// in all of them and by all requirements if the whole is asked for, else by the requirement
// that the fault breaks, in one of them. Where it is not red there, the others are tried.
func sampled(t *testing.T, f fault.Fault) *reports.Report {
	var labels []string
	var grid []requirement.Combination
	for _, c := range requirement.Grid() {
		n := f.Needs
		if (len(n.Revisions) == 0 || slices.Contains(n.Revisions, string(c.Revision))) &&
			(len(n.Transports) == 0 || slices.Contains(n.Transports, string(c.Transport))) {
			grid = append(grid, c)
			labels = append(labels, "rev:"+string(c.Revision)+" && transport:"+string(c.Transport))
		}
	}
	if sample.InAll() {
		return judgeArgs(t, f, "--label-filter", strings.Join(labels, " || "))
	}
	at := sample.Hash(f.Name) % len(grid)
	for _, c := range slices.Concat(grid[at:], grid[:at]) {
		report := judgeArgs(t, f, "--only", f.Requirement, "--label-filter", "rev:"+string(c.Revision),
			"--transport", string(c.Transport))
		if slices.ContainsFunc(report.Results, func(x reports.Result) bool { return x.Verdict.Red() }) {
			return report
		}
	}
	return nil
}

// judgeArgs is "mcpcheck run" with some arguments on a reference server with a fault.
func judgeArgs(t *testing.T, f fault.Fault, args ...string) (report *reports.Report) {
	t.Helper()
	p := &program{stdout: io.Discard, stderr: io.Discard}
	o := &runFlags{}
	c := p.runCommandWith(o)
	c.RunE = func(c *cobra.Command, args []string) error {
		cfg, err := p.configure(c, args, o)
		if err != nil {
			return err
		}
		synctest.Test(t, func(t *testing.T) {
			report, err = judged(t, f, cfg)
		})
		if err == nil {
			report.NoteReruns(rerun(c, args, func(s string) string { return s }))
		}
		return err
	}
	c.SetArgs(append([]string{}, args...)) // nil would stand for those of the test
	if err := c.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("mcpcheck run %s: %v", shell.Join(args), err)
	}
	return report
}

// world is the default world with a smaller big resource.
var world = sync.OnceValue(func() reference.World {
	w := reference.DefaultWorld()
	for i := range w.Resources {
		if g := w.Resources[i].Generate; g != nil {
			g.Bytes = min(g.Bytes, 8<<10)
		}
	}
	return w
})

// judged judges a reference server with a fault.
func judged(t *testing.T, f fault.Fault, cfg suite.Config) (*reports.Report, error) {
	described, server, err := embedded.TargetOf(world(), reference.Options{Faults: []string{f.Name},
		PageSize: f.Needs.PageSize, Revisions: f.Needs.Served})
	if err != nil {
		return nil, err
	}
	defer server.Close()
	if f.Needs.Authorization {
		embedded.Authorize(described)
	}
	cfg.Target = described
	cfg.Budget = time.Hour
	return suite.Run(t.Context(), cfg)
}

// words are the arguments of a printed command, without the program's name.
func words(t *testing.T, command string) []string {
	t.Helper()
	args, err := shell.Split(command)
	if err != nil || len(args) < 2 || args[0] != "mcpcheck" || args[1] != "run" {
		t.Fatalf("%q is no command of ours: %v", command, err)
	}
	return args[2:]
}

// told is a verdict and its cause, but for the numbers of requests, which are never the same.
func told(x *reports.Result) string {
	return numbers.ReplaceAllString(fmt.Sprintf("%s in %s on %s: %s %s\n\tcause: %s", x.ID, x.Revision,
		x.Transport, x.Verdict, x.Reason, x.Cause), "N")
}

var numbers = regexp.MustCompile(`\b[0-9]{3,}\b`)

// TestRerunKeeps: a repetition takes over what shapes a run, and nothing of what is written
// where.
func TestRerunKeeps(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"": "mcpcheck run --only X-01 --label-filter rev:2025-06-18 " +
			"--transport http",
		"--revision 2025-06-18": "mcpcheck run --only X-01 --revision 2025-06-18 " +
			"--transport http",
		"--revision 2025-06-18,2026-07-28": "mcpcheck run --only X-01 --label-filter rev:2025-06-18 " +
			"--revision 2025-06-18 --revision 2026-07-28 --transport http",
		"--config t.yaml --json x --only Y": "mcpcheck run --only X-01 --label-filter rev:2025-06-18 " +
			"--transport http --config t.yaml",
		"--label-filter area:PAGE --rate 2": "mcpcheck run --only X-01 --label-filter rev:2025-06-18 " +
			"--transport http --rate 2",
		"--transport sse --no-security-probes": "mcpcheck run --only X-01 --label-filter rev:2025-06-18 " +
			"--transport http --no-security-probes",
	} {
		c := (&program{}).runCommandWith(&runFlags{})
		if err := c.ParseFlags(strings.Fields(given)); err != nil {
			t.Fatal(err)
		}
		if got := rerun(c, nil, func(s string) string {
			return s
		})("X-01", "2025-06-18", "http"); got != want {
			t.Errorf("%q is repeated by\n%s\ninstead of\n%s", given, got, want)
		}
	}
	// Over stdio no processes are started to ask for revisions on which nothing depends.
	for at, want := range map[[3]string]string{
		{"PAGE-02", "2025-06-18",
			"stdio"}: "mcpcheck run --only PAGE-02 --revision 2025-06-18 --transport stdio --rate 2",
		{"PAGE-02", "2026-07-28", "stdio"}: "mcpcheck run --only PAGE-02 --label-filter rev:2026-07-28 " +
			"--revision 2025-06-18 --revision 2026-07-28 --transport stdio --rate 2",
		{"LIFE-05", "2025-06-18", "stdio"}: "mcpcheck run --only LIFE-05 --label-filter rev:2025-06-18 " +
			"--revision 2025-06-18 --revision 2026-07-28 --transport stdio --rate 2",
	} {
		c := (&program{}).runCommandWith(&runFlags{})
		if err := c.ParseFlags([]string{"--revision", "2025-06-18,2026-07-28", "--rate", "2"}); err != nil {
			t.Fatal(err)
		}
		if got := rerun(c, nil, func(s string) string { return s })(at[0], at[1], at[2]); got != want {
			t.Errorf("%v is repeated by\n%s\ninstead of\n%s", at, got, want)
		}
	}
	whole := (&program{}).runCommandWith(&runFlags{})
	if err := whole.ParseFlags([]string{"--only", "PAGE", "--rate", "2", "--json", "x.json", "--header",
		"X-Key: secret"}); err != nil {
		t.Fatal(err)
	}
	const want = "mcpcheck run --only PAGE --header 'X-Key: …' --rate 2 -- ./server"
	if got := rerun(whole, []string{"./server"}, func(s string) string {
		return s
	})("", "", ""); got != want {
		t.Errorf("the run is repeated by %s", got)
	}
	for _, name := range slices.Concat(picking, writing) {
		if (&program{}).runCommandWith(&runFlags{}).Flags().Lookup(name) == nil {
			t.Errorf("there is no flag --%s", name)
		}
	}
}
