package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// Row is one requirement in one combination: what one verdict is about.
type Row struct {
	Requirement *requirement.Requirement
	Combination requirement.Combination
	// Area is that of the requirement.
	Area *requirement.Area
}

// catalogue is the areas that are judged.
type catalogue struct {
	*area.Set
	// quick leaves destructive scenarios out of what is put together from all of them.
	quick bool
}

// candidates lists the transports that an endpoint may speak, in the order in which they
// are tried; none if it is not wanted.
func (c Config) candidates(e *target.Endpoint) []requirement.Transport {
	wanted := c.revisions(e)
	legacy := slices.ContainsFunc(wanted, func(r requirement.Revision) bool { return !r.Modern() })
	return slices.DeleteFunc(e.Candidates(), func(t requirement.Transport) bool {
		return len(wanted) == 0 || len(c.Transports) > 0 && !slices.Contains(c.Transports, t) ||
			t == requirement.SSE && !legacy
	})
}

// revisions lists those that an endpoint is asked for.
func (c Config) revisions(e *target.Endpoint) []requirement.Revision {
	return slices.DeleteFunc(requirement.Revisions(), func(r requirement.Revision) bool {
		return !c.Target.Wants(e, r)
	})
}

// Possible lists the rows that a run may have, whatever the target turns out to speak.
// Nothing is sent.
func Possible(c Config) []Row {
	c = c.withDefaults()
	var combinations []requirement.Combination
	for i := range c.Target.Endpoints {
		e := &c.Target.Endpoints[i]
		for _, t := range c.candidates(e) {
			for _, rev := range c.revisions(e) {
				if at := (requirement.Combination{Revision: rev, Transport: t}); !slices.Contains(
					combinations, at) {
					combinations = append(combinations, at)
				}
			}
		}
	}
	sortCombinations(combinations)
	return catalogue{Set: c.Areas}.list(combinations, c.Select)
}

// list lists the rows of the combinations, in the order of the catalogue.
func (c catalogue) list(combinations []requirement.Combination, want func(Row) bool) []Row {
	var all []Row
	requirements := c.Requirements()
	for i := range requirements {
		for _, at := range combinations {
			row := Row{Requirement: &requirements[i], Combination: at, Area: c.Area(requirements[i].Area())}
			if row.Requirement.Names(at) && (want == nil || want(row)) {
				all = append(all, row)
			}
		}
	}
	return all
}

// sortCombinations puts combinations into the order of the grid; those outside
// of it follow their revision.
func sortCombinations(all []requirement.Combination) {
	rank := func(t requirement.Transport) int { return slices.Index(requirement.Transports(), t) }
	slices.SortFunc(all, func(a, b requirement.Combination) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(rank(a.Transport), rank(b.Transport)))
	})
}

// scenariosFor lists the scenarios that the checks of the rows judge, with all
// that they build on, in the order in which they are to be played.
func (c catalogue) scenariosFor(rows []Row, at requirement.Combination) []*scenario.Scenario {
	needed := map[recording.Name]bool{}
	for _, row := range rows {
		if row.Combination != at {
			continue
		}
		if k, ok := c.Check(row.Requirement.ID); ok {
			for _, name := range k.Inputs() {
				c.need(needed, name)
			}
		}
	}
	return c.inOrder(needed)
}

// need adds a scenario and what it builds on. What is put together from all scenarios is
// so whoever else is judged: a verdict does not depend on the other rows of a run.
func (c catalogue) need(needed map[recording.Name]bool, name recording.Name) {
	if name == recording.Everything || name == recording.Every {
		for _, s := range c.Scenarios() {
			if !c.quick || s.Phase != scenario.Destructive {
				needed[s.Name] = true
			}
		}
		return
	}
	if needed[name] {
		return
	}
	needed[name] = true
	if s, ok := c.Scenario(name); ok {
		for _, earlier := range s.After {
			c.need(needed, earlier)
		}
	}
}

// watching names the scenarios that watch silence, and what they build on.
func (c catalogue) watching() map[recording.Name]bool {
	names := map[recording.Name]bool{}
	for _, s := range c.Scenarios() {
		if watches(s) {
			c.need(names, s.Name)
		}
	}
	return names
}

// watches reports whether a scenario watches silence most of the time.
func watches(s *scenario.Scenario) bool { return s.Waits || s.Phase == scenario.Quiet }

// inOrder lists scenarios by phase, each after those that it builds on. In a phase those that borrow a
// session, and what builds on them, come after the others, so that those which share one follow one another.
func (c catalogue) inOrder(needed map[recording.Name]bool) []*scenario.Scenario {
	var order []*scenario.Scenario
	rank := map[recording.Name]int{}
	var place func(*scenario.Scenario)
	place = func(s *scenario.Scenario) {
		if rank[s.Name] != 0 {
			return
		}
		rank[s.Name] = 1 + map[scenario.Session]int{scenario.Expendable: 1, scenario.Closing: 2}[s.In]
		for _, name := range s.After {
			if earlier, ok := c.Scenario(name); ok && needed[name] {
				place(earlier)
				rank[s.Name] = max(rank[s.Name], rank[name])
			}
		}
		order = append(order, s)
	}
	for _, s := range c.Scenarios() {
		if needed[s.Name] {
			place(s)
		}
	}
	slices.SortStableFunc(order, func(a, b *scenario.Scenario) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), rank[a.Name]-rank[b.Name])
	})
	return order
}

// discover finds out which of the revisions asked for a target speaks. In a quick run it
// is asked for the newest of each era first, and for older ones only if it knows neither.
func (r *Run) discover(ctx context.Context, dialer transport.Dialer, opts session.Options,
	ask []requirement.Revision, instances int) (*session.Found, error) {
	if !r.cfg.Quick {
		return session.Detect(ctx, dialer, opts, ask, instances)
	}
	newest, older := newestOfEachEra(ask)
	opts.Spare = instances == 0
	found, err := session.Detect(ctx, dialer, opts, newest, instances)
	// Servers say in many ways that they do not know a revision: with another one, with an
	// error, by silence, by ending. Only one that cannot be reached is not asked again.
	if err != nil && len(older) > 0 && scenario.Code(err) != recording.CodeUnreachable &&
		context.Cause(ctx) == nil {
		return session.Detect(ctx, dialer, opts, older, instances)
	}
	return found, err
}

// newestOfEachEra splits revisions, which are sorted, into the newest of each era and the others.
func newestOfEachEra(all []requirement.Revision) (newest, older []requirement.Revision) {
	for i, rev := range all {
		if i+1 == len(all) || all[i+1].Modern() != rev.Modern() {
			newest = append(newest, rev)
		} else {
			older = append(older, rev)
		}
	}
	return newest, older
}

// newestOnly leaves one combination of all that were found: the newest revision, at the
// first endpoint that serves it. What was not found stays, to be told.
func (r *Run) newestOnly() {
	var best *endpoint
	newest := func(e *endpoint) requirement.Revision { return e.found.Served[len(e.found.Served)-1] }
	for _, e := range r.endpoints {
		if e.found != nil && (best == nil || newest(e) > newest(best)) {
			best = e
		}
	}
	if best == nil {
		return
	}
	for _, e := range r.endpoints {
		if e != best && e.found != nil {
			e.found.Close()
		}
	}
	r.endpoints = slices.DeleteFunc(r.endpoints, func(e *endpoint) bool {
		return e != best && e.found != nil
	})
	best.only = newest(best)
	kept, spare := best.found.Open[best.only], best.found.Spare
	delete(best.found.Open, best.only)
	best.found.Spare = nil
	best.found.Close()
	if best.found.Spare = spare; kept != nil {
		best.found.Open[best.only] = kept
	}
}

// withoutDestructive leaves out the rows whose checks judge what is sent in the destructive
// phase, and names the requirements of those that were asked for; nil asks for all.
func (c catalogue) withoutDestructive(rows []Row, asked func(Row) bool) (kept []Row, left []string) {
	kept = slices.DeleteFunc(rows, func(row Row) bool {
		if !Destructive(c.Set, row.Requirement.ID) {
			return false
		}
		if asked == nil || asked(row) {
			left = append(left, row.Requirement.ID)
		}
		return true
	})
	return kept, slices.Compact(left)
}

// Destructive reports whether the check of a requirement judges what is sent in the destructive phase, so
// that a quick run leaves it out.
func Destructive(areas *area.Set, id string) bool {
	k, ok := areas.Check(id)
	if !ok {
		return false
	}
	c, needed := catalogue{areas, true}, map[recording.Name]bool{}
	for _, name := range k.Inputs() {
		c.need(needed, name)
	}
	for name := range needed {
		if s, ok := c.Scenario(name); ok && s.Phase == scenario.Destructive {
			return true
		}
	}
	return false
}

// quick says in a report what a quick run was about; nil for others.
func (r *Run) quick() *reports.Quick {
	if !r.cfg.Quick || len(r.stages) == 0 {
		return nil
	}
	c := r.stages[0].Combination
	return &reports.Quick{Revision: string(c.Revision), Transport: string(c.Transport),
		LeftOut: len(r.leftOut), LeftOutIDs: r.leftOut}
}
