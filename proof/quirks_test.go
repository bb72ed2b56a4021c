package proof

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// rows are the verdicts of a run by requirement and combination.
type rows map[string]*reports.Result

// plain is what the plain reference gets.
func plain(t *testing.T, cfg suite.Config) rows {
	all := rows{}
	synctest.Test(t, func(t *testing.T) {
		report := judge(t, reference.Options{}, cfg)
		for i := range report.Results {
			x := &report.Results[i]
			all[rowName(x)] = x
		}
	})
	return all
}

func rowName(x *reports.Result) string {
	return x.ID + " " + x.Revision + " " + x.Transport
}

// TestQuirks: no unusual but legal behaviour is held against a server, and none
// keeps anything from being judged but what it says itself.
func TestQuirks(t *testing.T) {
	was := plain(t, suite.Config{})
	for i, q := range quirk.All() {
		if testing.Short() && i%10 != 0 {
			continue // a sample, for slow runs such as those with the race detector
		}
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			if q.Needs.Process {
				t.Skip("it shows in a process only")
			}
			cfg := suite.Config{}
			for _, transport := range q.Needs.Transports {
				cfg.Transports = append(cfg.Transports, requirement.Transport(transport))
			}
			tolerate(t, was, cfg, q)
		})
	}
}

// forgotten says what the target file must not promise with some quirks.
var forgotten = map[string]func(s *target.Subjects){
	"nothing-listed": func(s *target.Subjects) { s.Complete = nil },
	"no-templates": func(s *target.Subjects) {
		s.CompleteTemplates, s.Templates, s.Completions = nil, nil, nil
	},
}

// tolerate judges a reference server with the quirks against what it gets without
// them.
func tolerate(t *testing.T, was rows, cfg suite.Config, quirks ...quirk.Quirk) {
	t.Helper()
	o := reference.Options{}
	declared := map[string]bool{}
	for _, q := range quirks {
		o.Quirks = append(o.Quirks, q.Name)
		if size := q.Needs.PageSize; size != 0 && (o.PageSize == 0 || size < o.PageSize) {
			o.PageSize = size
		}
		for _, id := range q.Idles {
			declared[id] = true
		}
	}
	idle, judged := map[string]bool{}, map[string]bool{}
	synctest.Test(t, func(t *testing.T) {
		report := judge(t, o, cfg, func(described *target.Target) {
			for _, q := range quirks {
				if forget := forgotten[q.Name]; forget != nil {
					forget(&described.Subjects)
				}
			}
		})
		for i := range report.Results {
			x := &report.Results[i]
			before := was[rowName(x)]
			switch {
			case x.Verdict.Red() || x.Verdict == reports.Blocked:
				t.Error(describe(x))
			case x.Verdict == reports.NotApplicable && before != nil && before.Verdict == reports.Pass:
				if !declared[x.ID] {
					t.Error("no longer judged: " + describe(x))
				}
				idle[x.ID] = true
			case x.Verdict == reports.Pass && declared[x.ID]:
				judged[x.ID] = true
			}
		}
	})
	for id := range judged {
		if !idle[id] && len(quirks) == 1 {
			t.Errorf("%s is judged, although the quirk says that it has no occasion", id)
		}
	}
}

// TestQuirksOfProcesses: what shows only in a process is tolerated as well.
func TestQuirksOfProcesses(t *testing.T) {
	built = true
	server := filepath.Join(t.TempDir(), "mockserver")
	if out, err := exec.Command("go", "build", "-o", server, "github.com/mcpcheck/mcpcheck/cmd/mockserver").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, q := range quirk.All() {
		if !q.Needs.Process {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			o := run(t, nil, "--label-filter", "area:STDIO || area:LIFE || area:LIST", "--quiet", "--", server, "--stdio", "--quirk", q.Name)
			if o.status != 0 {
				t.Errorf("exit status %d\n%s%s", o.status, o.stdout, o.stderr)
			}
			for i := range o.report.Results {
				if x := &o.report.Results[i]; x.Verdict.Red() || x.Verdict == reports.Blocked {
					t.Error(describe(x))
				}
			}
		})
	}
}

// How many sets of quirks are tried, and the environment variable that asks for
// another number.
const (
	someSets = 40
	envSets  = "PROOF_QUIRK_SETS"
)

// TestQuirkSets: neither do several quirks at once. Each set is judged in one
// combination, so that there is time for many.
func TestQuirkSets(t *testing.T) {
	was := map[requirement.Combination]rows{}
	for _, c := range requirement.Grid() {
		was[c] = plain(t, in(c))
	}
	n := someSets
	if testing.Short() {
		n = 4
	}
	if s := os.Getenv(envSets); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatalf("%s: %v", envSets, err)
		}
	}
	for seed := range n {
		t.Run(fmt.Sprint("seed-", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			set := pick(rng)
			grid := requirement.Grid()
			c := grid[rng.IntN(len(grid))]
			t.Log(strings.Join(names(set), ","), c.Revision, c.Transport)
			tolerate(t, was[c], in(c), set...)
		})
	}
}

// in narrows a run down to a combination.
func in(c requirement.Combination) suite.Config {
	return suite.Config{Transports: []requirement.Transport{c.Transport}, Revisions: []requirement.Revision{c.Revision}}
}

// pick takes two to five quirks that go together.
func pick(rng *rand.Rand) []quirk.Quirk {
	all := slices.DeleteFunc(quirk.All(), func(q quirk.Quirk) bool { return q.Needs.Process })
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var set []quirk.Quirk
	taken := map[string]bool{}
	for _, q := range all[:2+rng.IntN(4)] {
		if q.Aspect == "" || !taken[q.Aspect] {
			taken[q.Aspect] = true
			set = append(set, q)
		}
	}
	return set
}

func names(set []quirk.Quirk) []string {
	var all []string
	for _, q := range set {
		all = append(all, q.Name)
	}
	return all
}
