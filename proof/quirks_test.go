package proof

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/quirk"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// rows are the verdicts of a run by requirement and combination.
type rows map[string]*reports.Result

// plainOnce is what the plain reference gets, for several tests, of which the first one
// judges.
func plainOnce(cfg suite.Config) func(*testing.T) rows {
	var once sync.Mutex
	var all rows
	return func(t *testing.T) rows {
		once.Lock()
		defer once.Unlock()
		if all == nil {
			synctest.Test(t, func(t *testing.T) { all = rowsOf(judge(t, reference.Options{}, cfg)) })
		}
		return all
	}
}

func rowsOf(report *reports.Report) rows {
	all := rows{}
	for i := range report.Results {
		all[rowName(&report.Results[i])] = &report.Results[i]
	}
	return all
}

func rowName(x *reports.Result) string {
	return x.ID + " " + x.Revision + " " + x.Transport
}

// TestQuirks: no unusual but legal behaviour is held against a server, and none
// keeps anything from being judged but what it says itself. Each is judged in one
// combination of each era, in a sample in one of them, or in all.
func TestQuirks(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: TestComplete judges as much")
	}
	for _, q := range quirk.All() {
		t.Run(q.Name, func(t *testing.T) {
			t.Parallel()
			if q.Needs.Process {
				t.Skip("it shows in a process only")
			}
			if !sample.Share(q.Name, 2) {
				t.Skip("not in the sample")
			}
			cfg := suite.Config{}
			for _, transport := range q.Needs.Transports {
				cfg.Transports = append(cfg.Transports, requirement.Transport(transport))
			}
			cfg.Filter = only(admits(q.Needs))
			sampled := cfg
			if !sample.InAll() {
				sampled.Filter = only(someOf(q))
			}
			tolerate(t, rowsOf(faultlessUnder(t, conditions{})), sampled, cfg, q)
		})
	}
}

// someOf is the filter of the combinations in which a quirk alone is judged: one of each
// era, or of either in a sample, chosen by the quirk's name among those in which it can show.
// [TestQuirkSets] puts every quirk into many more.
func someOf(q quirk.Quirk) func(requirement.Combination) bool {
	var legacy, modern []requirement.Combination
	admitted := admits(q.Needs)
	for _, c := range requirement.Grid() {
		switch {
		case !admitted(c):
		case c.Revision.Modern():
			modern = append(modern, c)
		default:
			legacy = append(legacy, c)
		}
	}
	n := sample.Hash(q.Name)
	if !sample.Whole() {
		legacy, modern = slices.Concat(legacy, modern), slices.Concat(legacy, modern)
	}
	return func(c requirement.Combination) bool {
		all := legacy
		if c.Revision.Modern() {
			all = modern
		}
		return len(all) > 0 && c == all[n%len(all)]
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
//
// A difference counts if it repeats, the second time in all combinations: what a server with several quirks
// does in which order is up to the scheduler, and a verdict may lack its occasion once, or in a sample.
func tolerate(t *testing.T, was rows, cfg, whole suite.Config, quirks ...quirk.Quirk) {
	t.Helper()
	first := differences(t, was, cfg, quirks)
	if len(first) == 0 {
		return
	}
	again := map[string]bool{}
	for _, d := range differences(t, was, whole, quirks) {
		again[d.row] = true
	}
	for _, d := range first {
		if again[d.row] {
			t.Error(d.text)
		} else {
			t.Log("once in two runs:", d.text)
		}
	}
}

// difference is what a quirk changed about a row.
type difference struct{ row, text string }

// differences judges a server with quirks and lists what is red, blocked or no longer judged.
func differences(t *testing.T, was rows, cfg suite.Config, quirks []quirk.Quirk) []difference {
	t.Helper()
	var found []difference
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
				found = append(found, difference{rowName(x), describe(x)})
			case x.Verdict == reports.NotApplicable && before != nil && before.Verdict == reports.Pass:
				if !declared[x.ID] && !idleTogether(quirks, x) {
					found = append(found, difference{rowName(x), "no longer judged: " + describe(x)})
				}
				idle[x.ID] = true
			case x.Verdict == reports.Pass && declared[x.ID] && len(quirks) == 1 &&
				admits(quirks[0].Needs)(at(x)):
				judged[x.ID] = true
			}
		}
	})
	for id := range judged {
		if !idle[id] {
			found = append(found,
				difference{id, id + " is judged, although the quirk says that it has no occasion"})
		}
	}
	return found
}

// at is the combination of a result.
func at(x *reports.Result) requirement.Combination {
	return requirement.Combination{Revision: requirement.Revision(x.Revision),
		Transport: requirement.Transport(x.Transport)}
}

// TestQuirksOfProcesses: what shows only in a process is tolerated as well.
func TestQuirksOfProcesses(t *testing.T) {
	server, err := mockserver()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range quirk.All() {
		if !q.Needs.Process {
			continue
		}
		t.Run(q.Name, func(t *testing.T) {
			// In real time, on a machine that may be busy: what is slow must not look like silence.
			o := runWithin(t, 5*time.Minute, nil, "--label-filter", "area:STDIO || area:LIFE || area:LIST",
				"--quiet", "--", server, "--stdio", "--quirk", q.Name)
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

// TestQuirkSets: neither do several quirks at once. Each set is judged in one
// combination, so that there is time for many: 200, in a sample 40.
func TestQuirkSets(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: TestComplete judges as much")
	}
	grid := requirement.Grid()
	was := map[requirement.Combination]func(*testing.T) rows{}
	for _, c := range grid {
		was[c] = plainOnce(in(c))
	}
	n := 40
	switch {
	case sample.InAll():
		n = 1000
	case sample.Whole():
		n = 200
	}
	for seed := range n {
		t.Run(fmt.Sprint("seed-", seed), func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(uint64(seed), 1))
			set := pick(rng)
			c := grid[rng.IntN(len(grid))]
			set = slices.DeleteFunc(set, func(q quirk.Quirk) bool { return !permitted(q, c) })
			t.Log(strings.Join(names(set), ","), c.Revision, c.Transport)
			tolerate(t, was[c](t), in(c), in(c), set...)
		})
	}
}

// in narrows a run down to a combination.
func in(c requirement.Combination) suite.Config {
	return suite.Config{Transports: []requirement.Transport{c.Transport},
		Revisions: []requirement.Revision{c.Revision}}
}

// pick takes two to five quirks that go together.
func pick(rng *rand.Rand) []quirk.Quirk {
	all := slices.DeleteFunc(quirk.All(), func(q quirk.Quirk) bool { return q.Needs.Process })
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var set []quirk.Quirk
	for _, q := range all[:2+rng.IntN(4)] {
		if !slices.ContainsFunc(set, func(p quirk.Quirk) bool {
			return q.Aspect != "" && p.Aspect == q.Aspect || contrary(p, q)
		}) {
			set = append(set, q)
		}
	}
	return set
}

// permitted reports whether a quirk is legal in the revision of a combination: some are in
// some revisions only. On transports where it does not show it does no harm.
func permitted(q quirk.Quirk, c requirement.Combination) bool {
	return len(q.Needs.Revisions) == 0 || slices.Contains(q.Needs.Revisions, string(c.Revision))
}

func names(set []quirk.Quirk) []string {
	var all []string
	for _, q := range set {
		all = append(all, q.Name)
	}
	return all
}

// contrary reports whether quirks are no legal server together: session ids that stand on
// event streams are issued still, and who issues them knows the version; and who has answers fetched
// later keeps the session as long. An empty first page that gets a new entry with every look is another
// one each time, of which PAGE-08 warns.
func contrary(p, q quirk.Quirk) bool {
	names := []string{p.Name, q.Name}
	for _, pair := range [][]string{{"broken-streams", "short-sessions"},
		{"empty-first-page", "moving-list"}} {
		if slices.Contains(names, pair[0]) && slices.Contains(names, pair[1]) {
			return true
		}
	}
	const demanded = "version-header-demanded"
	streams := []string{"broken-streams", "event-stream-answers", "modern-event-ids",
		"priming-in-all-revisions"}
	return p.Name == demanded && slices.Contains(streams, q.Name) || q.Name == demanded &&
		slices.Contains(streams, p.Name)
}

// inCompany lists, by quirk, requirements that lose their occasion only where other
// quirks join it: lists that are turned around with every look cannot be compared when
// there are more looks, and where nothing is listed little is left that could carry
// metadata. A server without session ids that serves one revision cannot serve a request
// without a version.
var inCompany = map[string][]string{
	"no-session-ids": {"HTTP-14"},
	"changing-order": {"DISC-17"},
	"nothing-listed": {"META-01", "META-02", "META-04", "HTTP-22", "HTTP-23", "HTTP-24", "HTTP-25", "PAGE-07",
		"PAGE-13"},
}

// idleTogether reports whether a set of quirks may take a requirement its occasion.
func idleTogether(quirks []quirk.Quirk, x *reports.Result) bool {
	return len(quirks) > 1 && slices.ContainsFunc(quirks, func(q quirk.Quirk) bool {
		return slices.Contains(inCompany[q.Name], x.ID) || q.Name == "nothing-listed" &&
			x.ReasonCode == reports.CodeNeedsSubject
	})
}
