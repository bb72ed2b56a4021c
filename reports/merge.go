package reports

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// Merge joins reports about one target, such as those of runs that were split by
// revision or label over several machines. Frames are numbered anew and sessions
// are told apart. It refuses reports of different targets, of different catalogues,
// and two different verdicts on one requirement in one combination; where two agree
// the first is kept.
//
// The summary is computed anew from all results; it is of a full run only if one of
// the reports is: what none of them judged, such as a revision that nobody asked for,
// stands in no report. The profile of a requirement comes from the function.
//
// Reports that were judged with a baseline must have been with the same one. What
// became of its entries is found anew from the verdicts of all.
func Merge(list []*Report, profile func(id string) string) (*Report, error) {
	if len(list) == 0 {
		return nil, fmt.Errorf("there is no report to merge")
	}
	// what it says narrows nothing
	config := list[max(0, slices.IndexFunc(list, func(r *Report) bool {
		return r.Summary.Scope == Full
	}))].Config
	m := &merger{into: New(list[0].Tool, Target{Name: list[0].Target.Name, Embedded: list[0].Target.Embedded},
		config), rows: map[rowKey]*Result{}}
	var took time.Duration
	var began time.Time // of the first run
	var interrupted []string
	strict, full := false, false
	for i, r := range list {
		if err := cmp.Or(m.same(list[0], r), m.add(r, i+1)); err != nil {
			return nil, fmt.Errorf("report %d: %w", i+1, err)
		}
		took = max(took, time.Duration(r.Summary.DurationMS*float64(time.Millisecond)))
		if at, err := time.Parse(time.RFC3339, r.Summary.Started); err == nil &&
			(began.IsZero() || at.Before(began)) {
			began = at
		}
		if s := r.Summary.Interrupted; s != "" {
			interrupted = append(interrupted, fmt.Sprintf("report %d: %s", i+1, s))
		}
		if r.Config.Command != config.Command {
			m.into.Config.Command = "" // none of them repeats all
		}
		full = full || r.Summary.Scope == Full
		strict = strict || r.Config.Strict
		if q := r.Config.Quick; q == nil || m.into.Config.Quick != nil &&
			(q.Revision != m.into.Config.Quick.Revision || q.Transport != m.into.Config.Quick.Transport) {
			m.into.Config.Quick = nil // together they are about more than that
		}
	}
	m.into.Config.Strict = strict
	m.into.Sort()
	m.into.Summary.Baseline = m.baseline(list, !full || len(m.into.Unreachable()) > 0)
	m.into.Summarize(SummaryOptions{
		Strict: strict, Partial: !full, Interrupted: strings.Join(interrupted, "; "), Started: began,
		Duration: took,
		Profile:  profile, Profiles: DefaultProfiles(), Offered: offeredIn(list),
	})
	return m.into, nil
}

type merger struct {
	into *Report
	rows map[rowKey]*Result
	// listed is what the first report with a baseline says of it.
	listed *BaselineSummary
}

// same refuses to join what does not belong together.
func (m *merger) same(first, r *Report) error {
	switch {
	case r.Target.Name != first.Target.Name:
		return fmt.Errorf("it is about the target %q, the first about %q", safe.Clean(r.Target.Name, 200),
			safe.Clean(first.Target.Name, 200))
	case r.Tool.Catalogue != first.Tool.Catalogue:
		return fmt.Errorf("it was made with the catalogue %q, the first with %q",
			safe.Clean(r.Tool.Catalogue, 80), safe.Clean(first.Tool.Catalogue, 80))
	}
	return m.sameBaseline(r)
}

// sameBaseline refuses to join what was judged with several baselines. Machines may
// keep the same file in different places.
func (m *merger) sameBaseline(r *Report) error {
	b := r.Summary.Baseline
	if b == nil {
		return nil
	}
	if m.listed == nil {
		m.listed = b
		m.into.Config.Baseline = r.Config.Baseline
	}
	name := func(b *BaselineSummary) string { return path.Base(filepath.ToSlash(b.File)) }
	if name(b) != name(m.listed) || b.Entries != m.listed.Entries {
		return fmt.Errorf("it was judged with the baseline %q of %s, an earlier one with %q of %s: judge "+
			"all with one baseline",
			safe.Clean(b.File, 200), plural.Count(b.Entries, "line"), safe.Clean(m.listed.File, 200),
			plural.Count(m.listed.Entries, "line"))
	}
	return nil
}

// baseline says what became of the entries over all reports; nil if there was no
// baseline. Entries that no report lists excuse something in each, and nothing that
// passes: they are only counted.
func (m *merger) baseline(list []*Report, partial bool) *BaselineSummary {
	if m.listed == nil {
		return nil
	}
	b := &BaselineSummary{File: m.listed.File, Entries: m.listed.Entries}
	type state struct {
		BaselineEntry
		expired, narrowed bool
	}
	found := map[int]*state{} // by line
	note := func(entries []BaselineEntry, expired, narrowed bool) {
		for _, e := range entries {
			if found[e.Line] == nil {
				found[e.Line] = &state{BaselineEntry: e}
			}
			s := found[e.Line]
			s.expired, s.narrowed = s.expired || expired, s.narrowed || narrowed
		}
	}
	for _, r := range list {
		if old := r.Summary.Baseline; old != nil {
			note(old.Expired, true, false)
			note(old.NotJudged, false, partial)
			note(slices.Concat(old.Stale, old.TooWide, old.Missing), false, false)
		}
	}
	for _, line := range slices.Sorted(maps.Keys(found)) {
		s := found[line]
		s.Verdicts = m.into.about(&s.BaselineEntry)
		b.Note(s.BaselineEntry, s.expired, s.narrowed)
	}
	// Reports of earlier releases only count what is outside of their plan. Outside of all
	// plans is at most what is outside of each, and nothing that some verdict is about.
	lists, most := true, b.Entries-len(found)+len(b.Missing)
	for _, r := range list {
		if old := r.Summary.Baseline; old != nil {
			lists = lists && len(old.Missing) >= old.OutsidePlan
			most = min(most, old.OutsidePlan)
		}
	}
	if !lists {
		b.OutsidePlan = max(b.OutsidePlan, most)
	}
	return b
}

// about lists the verdicts that an entry is about.
func (r *Report) about(e *BaselineEntry) []BaselineVerdict {
	var list []BaselineVerdict
	for _, x := range r.Only(e.Matches) {
		list = append(list, BaselineVerdict{x.Revision, x.Transport, x.Verdict})
	}
	return list
}

// add appends one report.
func (m *merger) add(r *Report, number int) error {
	last := 0
	if n := len(m.into.Frames); n > 0 {
		last = m.into.Frames[n-1].Number
	}
	for _, f := range r.Frames {
		f.Number += last
		if number > 1 && f.Session != "" {
			f.Session += fmt.Sprintf(" of report %d", number)
		}
		m.into.Frames = append(m.into.Frames, f)
	}
	shift := func(numbers []int) []int {
		numbers = slices.Clone(numbers)
		for i := range numbers {
			numbers[i] += last
		}
		return numbers
	}
	for _, x := range r.Results {
		if was := m.rows[x.key()]; was != nil {
			if was.Verdict != x.Verdict {
				return fmt.Errorf("%s in %s on %s is %s, in an earlier report %s: shards must not overlap",
					safe.Clean(x.ID, 40),
					safe.Clean(x.Revision, 40), safe.Clean(x.Transport, 40), x.Verdict, was.Verdict)
			}
			continue
		}
		x.Evidence = shift(x.Evidence)
		m.rows[x.key()] = &x
		m.into.Results = append(m.into.Results, x)
	}
	key := func(o *Observation) [5]string {
		return [5]string{o.ID, o.Requirement, o.Revision, o.Transport, o.Detail}
	}
	was := map[[5]string]bool{} // earlier reports may hold the same verdicts
	for i := range m.into.Observations {
		was[key(&m.into.Observations[i])] = true
	}
	for _, o := range r.Observations {
		if was[key(&o)] {
			continue
		}
		o.Evidence = shift(o.Evidence)
		m.into.Observations = append(m.into.Observations, o)
	}
	for _, e := range r.Target.Endpoints {
		m.endpoint(e)
	}
	return nil
}

// endpoint joins endpoints with the same transport, address and command.
func (m *merger) endpoint(e Endpoint) {
	list := m.into.Target.Endpoints
	i := slices.IndexFunc(list, func(x Endpoint) bool {
		return x.Transport == e.Transport && x.Address == e.Address && x.Started == e.Started
	})
	if i < 0 {
		m.into.Target.Endpoints = append(list, e)
		return
	}
	join := func(a, b []string) []string {
		a = append(slices.Clone(a), b...)
		slices.Sort(a)
		return slices.Compact(a)
	}
	to := &list[i]
	to.Revisions = join(to.Revisions, e.Revisions)
	to.Unanswered = join(to.Unanswered, e.Unanswered)
	to.WithoutResources = join(to.WithoutResources, e.WithoutResources)
	to.Server = cmp.Or(to.Server, e.Server)
	to.OneAtATime, to.Hung = cmp.Or(to.OneAtATime, e.OneAtATime), cmp.Or(to.Hung, e.Hung)
	for _, f := range e.Profile {
		if !slices.Contains(to.Profile, f) {
			to.Profile = append(to.Profile, f)
		}
	}
	if to.Unreachable == "" {
		to.Unreachable, to.Reached = e.Unreachable, e.Reached
	}
}

// offeredIn says from summaries what the target declares: a profile is offered in a
// combination unless a report that judged it there says that it is not.
func offeredIn(list []*Report) func(profile, revision, transport string) bool {
	type place struct {
		profile string
		Combination
	}
	not := map[place]bool{}
	for _, r := range list {
		for _, c := range r.Summary.Combinations {
			for _, name := range c.NotOffered {
				not[place{name, Combination{c.Revision, c.Transport}}] = true
			}
		}
	}
	return func(profile, revision, transport string) bool {
		return !not[place{profile, Combination{revision, transport}}]
	}
}
