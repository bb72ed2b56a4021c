package proof

import (
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/control"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/operation"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// TestKill: every fault turns the requirement red that it breaks, and its whole
// effect is known: testdata/kill has a golden file for each area, and a README that
// says how to read them. A run of the whole package judges one fault of each requirement;
// package sample says how to have all judged, also in all combinations.
//
//	go test ./proof -run TestKill/PAGE -update
//
// writes that of one area anew.
func TestKill(t *testing.T) {
	areas := map[string][]fault.Fault{}
	chosen := sample.One(fault.All(), func(f fault.Fault) string {
		return f.Requirement
	}, func(f fault.Fault) string { return f.Name })
	for _, f := range fault.All() {
		area, _, _ := strings.Cut(f.Requirement, "-")
		switch {
		case testing.Short() && (len(areas[area]) > 0 || f.Needs.Process):
			continue // one of each area, for slow runs such as those with the race detector
		case !sample.Whole() && !*update && !chosen(f):
			continue
		}
		areas[area] = append(areas[area], f)
	}
	for _, area := range slices.Sorted(maps.Keys(areas)) {
		faults := areas[area]
		t.Run(area, func(t *testing.T) {
			t.Parallel()
			table := &killTable{area: area, effects: map[string][]string{}}
			t.Cleanup(func() { table.compare(t) })
			for _, f := range faults {
				t.Run(f.Name, func(t *testing.T) {
					t.Parallel()
					table.add(f.Name, kill(t, f))
				})
			}
		})
	}
}

// conditions are those under which a fault, and what it is compared with, runs.
type conditions struct {
	pageSize      int
	served        string // revisions, separated by blanks; empty means all
	authorization bool
	only          string // the one requirement that is judged; empty means all
}

func conditionsOf(f fault.Fault) conditions {
	return conditions{pageSize: f.Needs.PageSize, served: strings.Join(f.Needs.Served, " "),
		authorization: f.Needs.Authorization}
}

// run judges a reference server under the conditions, in the combinations that
// within admits.
func (c conditions) run(t *testing.T, within func(requirement.Combination) bool,
	faults ...string) *reports.Report {
	o := reference.Options{Faults: faults, PageSize: c.pageSize, Revisions: strings.Fields(c.served)}
	var adjust []func(*target.Target)
	if c.authorization {
		adjust = append(adjust, embedded.Authorize)
		if len(faults) == 0 {
			o.Hooks = hook.RequireBearer() // such faults bring it along
		}
	}
	cfg := suite.Config{Filter: only(within)}
	if slices.ContainsFunc(faults, func(name string) bool { return slices.Contains(mixing, name) }) {
		cfg.Jobs = 1
	}
	if c.only != "" {
		cfg.Only = []string{c.only}
		cfg.Transports = slices.DeleteFunc(requirement.Transports(), func(one requirement.Transport) bool {
			return !slices.ContainsFunc(requirement.Grid(), func(c requirement.Combination) bool {
				return c.Transport == one && within(c)
			})
		})
	}
	var report *reports.Report
	synctest.Test(t, func(t *testing.T) { report = judge(t, o, cfg, adjust...) })
	return report
}

// only is a filter that picks combinations.
func only(within func(requirement.Combination) bool) func(labels []string) bool {
	return func(labels []string) bool {
		c := requirement.Combination{}
		for _, l := range labels {
			switch key, value, _ := strings.Cut(l, ":"); key {
			case "rev":
				c.Revision = requirement.Revision(value)
			case "transport":
				c.Transport = requirement.Transport(value)
			}
		}
		return within(c)
	}
}

// mixing are faults that show between two messages of a client unless another client says
// something in between, or takes the connection: with them one scenario is played at a time.
var mixing = []string{
	"sess-09-last-version", "disc-18-cursor-of-a-connection", "rpc-17-mixes-up-reads",
	"rpc-17-mixes-up-texts", "page-08-hidden-position", "page-12-hidden-position",
}

// faultless is what servers without fault get, by the conditions. Whoever needs it first
// judges it, and keeps nobody waiting that needs another one.
var faultless sync.Map // of *judgedOnce

type judgedOnce struct {
	sync.Mutex
	report *reports.Report
}

// faultlessUnder is what a server without fault gets; it is judged once.
func faultlessUnder(t *testing.T, c conditions) *reports.Report {
	t.Helper()
	made, _ := faultless.LoadOrStore(c, &judgedOnce{})
	once := made.(*judgedOnce)
	once.Lock()
	defer once.Unlock()
	if once.report == nil {
		once.report = c.run(t, func(requirement.Combination) bool { return true })
	}
	return once.report
}

// kill judges a server with the fault in all combinations in which the fault can
// show, against all requirements, and returns the lines of its effect.
func kill(t *testing.T, f fault.Fault) []string {
	c := conditionsOf(f)
	var before, report *reports.Report
	if f.Needs.Process {
		before, report = inProcess(t, f), inProcess(t, f, "--fault", f.Name)
	} else {
		within := sampled(f)
		if testing.Short() { // that one combination, and not all for the sake of it
			before = c.run(t, within)
		} else {
			before = faultlessUnder(t, c)
		}
		report = c.run(t, within, f.Name)
	}
	for i := range report.Results {
		if x := &report.Results[i]; x.Verdict.Red() && x.Hint == "" {
			t.Errorf("nobody is told what to change: %s", describe(x))
		}
	}
	e := effectOf(f, before, report)
	if len(e.killed) == 0 {
		for i := range report.Results {
			if x := &report.Results[i]; x.ID == f.Requirement {
				t.Log(describe(x))
			}
		}
		for _, e := range report.Target.Endpoints {
			t.Log(e.Transport, e.Revisions, e.Unreachable)
		}
		t.Errorf("the fault %s (%s) did not turn %s red", f.Name, f.Summary, f.Requirement)
	}
	if os.Getenv(envDetails) != "" {
		for _, x := range e.notable {
			t.Log(describe(x))
		}
	}
	return e.lines()
}

// envDetails is the environment variable that asks for all that is wrong, in full.
const envDetails = "PROOF_DETAILS"

// inAll reports whether faults are judged in all combinations in which they can show:
// the golden file knows them all.
func inAll() bool { return *update || sample.InAll() }

// sampled is the filter of the combinations in which a fault is judged. Unless all are
// asked for, or the golden file is written, or knows nothing of the fault, this is
// one in which the fault is known to kill, chosen by the fault's name: over all faults
// every combination has its share. Where all faults are judged, a third of them is
// judged in another one as well, where it may have another effect or none.
func sampled(f fault.Fault) func(requirement.Combination) bool {
	admitted := admits(f.Needs)
	if inAll() {
		return admitted
	}
	killed := knownToKill(f)
	if len(killed) == 0 {
		return admitted // the comparison will say so
	}
	var others []requirement.Combination
	for _, c := range requirement.Grid() {
		if admitted(c) {
			others = append(others, c)
		}
	}
	n := sample.Hash(f.Name)
	chosen := []requirement.Combination{killed[n%len(killed)]}
	if n/7%3 == 0 && sample.Whole() {
		chosen = append(chosen, others[n/21%len(others)])
	}
	return func(c requirement.Combination) bool { return slices.Contains(chosen, c) }
}

// knownToKill lists the combinations in which a fault kills, as its golden file has it.
func knownToKill(f fault.Fault) (killed []requirement.Combination) {
	area, _, _ := strings.Cut(f.Requirement, "-")
	known, err := readEffects(filepath.Join("testdata", "kill", area+".golden"))
	if err != nil {
		return nil
	}
	for _, line := range known[f.Name] {
		for _, one := range single(line) {
			what := one[strings.LastIndex(one, " | ")+len(" | "):]
			if strings.HasPrefix(what, f.Requirement+" ") && !strings.HasSuffix(what, " pass") &&
				!strings.HasSuffix(what, string(reports.Blocked)) {
				killed = append(killed, places(strings.Split(one, " | ")[1])...)
			}
		}
	}
	return killed
}

// admits is the filter of the combinations in which a fault can show.
func admits(n fault.Needs) func(requirement.Combination) bool {
	return func(c requirement.Combination) bool {
		return (len(n.Revisions) == 0 || slices.Contains(n.Revisions, string(c.Revision))) &&
			(len(n.Transports) == 0 || slices.Contains(n.Transports, string(c.Transport)))
	}
}

// inProcess judges a mock server that is a process of its own, as far as this makes
// a difference: unless all is asked for, in the revisions of the sample.
func inProcess(t *testing.T, f fault.Fault, args ...string) *reports.Report {
	server, err := mockserver()
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"--label-filter", "area:STDIO || area:LIFE || area:LIST", "--quiet"}
	for _, c := range requirement.Grid() {
		if c.Transport == requirement.Stdio && sampled(f)(c) && !inAll() {
			all = append(all, "--revision", string(c.Revision))
		}
	}
	all = append(all, "--", server, "--stdio")
	// In real time, on a machine that may be busy: what is slow must not look like silence.
	return runWithin(t, 5*time.Minute, nil, append(all, args...)...).report
}

// TestLateReplay: a server that takes its time to resume a stream is heard out.
func TestLateReplay(t *testing.T) {
	t.Parallel()
	delay, err := control.ParseDelay("400ms")
	if err != nil {
		t.Fatal(err)
	}
	late := control.Rule{Do: []operation.Operation{{On: "http-request",
		When: []operation.Test{{At: "verb", Is: http.MethodGet}}, Delay: delay}}}
	for want, rules := range map[reports.Verdict][]control.Rule{reports.Pass: {late},
		reports.Fail: {late, {Fault: "sse-07-of-other-sessions"}}} {
		synctest.Test(t, func(t *testing.T) {
			report := judge(t, reference.Options{Rules: rules}, suite.Config{Only: []string{"SSE-07"},
				Revisions:  []requirement.Revision{requirement.R20251125},
				Transports: []requirement.Transport{requirement.HTTP}})
			if len(report.Results) != 1 || report.Results[0].Verdict != want {
				t.Errorf("%d rules: %+v", len(rules), report.Results)
			}
		})
	}
}
