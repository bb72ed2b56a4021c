package reports

import (
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/safe"
)

// consistent says in which member the summary says something else than the results; nil if it does not. An
// outcome may be held back, as that of a client which did nothing is; it says no more than the verdicts do.
func (r *Report) consistent() error {
	s, strict := &r.Summary, r.Config.Strict
	counted := r.counted()
	for i, x := range r.Rows() {
		if !x.gravityFits() {
			return fmt.Errorf("results[%d].gravity is %q on a verdict that is %q", i,
				safe.Clean(string(x.Gravity), 40), x.Verdict)
		}
	}
	if err := s.Counts.differ("summary", counted.Counts); err != nil {
		return err
	}
	for _, n := range []struct {
		name      string
		says, are int
	}{
		{"security.fail", s.Security.Fail, counted.Security.Fail}, {"security.warn", s.Security.Warn,
			counted.Security.Warn},
		{"excused", s.Excused, counted.Excused}, {"observations", s.Observations, counted.Observations},
	} {
		if n.says != n.are {
			return contradiction("summary."+n.name, n.says, n.are)
		}
	}
	if seen := outcome(r.Rows(), strict); !s.Outcome.within(seen) {
		return contradiction("summary.outcome", s.Outcome, seen)
	}
	if by := r.Narrowed(1); s.Scope == Full && by != "" {
		if s.Revisions != nil {
			return contradiction("summary.scope", s.Scope, string(Partial)+by)
		}
		s.Scope, s.Conformant = Partial, false // an earlier version wrote the report, and called it full
	}
	if is := s.Outcome == Conformant && s.Scope == Full; s.Conformant != is {
		return contradiction("summary.conformant", s.Conformant, is)
	}
	return r.consistentParts(strict)
}

// consistentParts is [Report.consistent] of the results by combination and by revision.
func (r *Report) consistentParts(strict bool) error {
	combinations := r.combinations(SummaryOptions{Strict: strict})
	if len(combinations) != len(r.Summary.Combinations) {
		return contradiction("summary.combinations has so many members", len(r.Summary.Combinations),
			len(combinations))
	}
	for i, c := range combinations {
		path, says := fmt.Sprintf("summary.combinations[%d]", i), &r.Summary.Combinations[i]
		if says.Revision != c.Revision || says.Transport != c.Transport {
			return contradiction(path, says.Revision+" on "+says.Transport, c.Revision+" on "+c.Transport)
		}
		if err := says.Counts.differ(path, c.Counts); err != nil {
			return err
		}
		if !says.Outcome.within(c.Outcome) {
			return contradiction(path+".outcome", says.Outcome, c.Outcome)
		}
	}
	revisions := r.revisions(strict)
	if r.Summary.Revisions == nil { // an earlier version wrote the report
		r.Summary.Revisions = revisions
	}
	if !slices.EqualFunc(r.Summary.Revisions, revisions, func(says, seen RevisionSummary) bool {
		return says.Revision == seen.Revision && says.Outcome.within(seen.Outcome) &&
			slices.Equal(says.By, seen.By)
	}) {
		return contradiction("summary.revisions", byRevision(r.Summary.Revisions, Full),
			byRevision(revisions, Full))
	}
	return nil
}

// contradiction says what a member says, and what follows from the results.
func contradiction(member string, says, follows any) error {
	return fmt.Errorf("%s: it says %q, and by the results it is %q", member,
		safe.Clean(fmt.Sprint(says), maxTitle), safe.Clean(fmt.Sprint(follows), maxTitle))
}

// differ says which of some counts is another one.
func (c Counts) differ(path string, counted Counts) error {
	for _, v := range Verdicts() {
		if says, is := c.Of(v), counted.Of(v); says != is {
			return fmt.Errorf("%s counts %d verdicts that are %q, and there are %d", path, says, v, is)
		}
	}
	return nil
}

// within reports whether an outcome says no more than one that follows from verdicts.
func (o Outcome) within(seen Outcome) bool {
	return o == seen || o == NoResources && seen != NotEstablished || o == NotEstablished &&
		seen == Conformant
}

// gravityFits reports whether the gravity of a result is one that its verdict can have.
func (x *Result) gravityFits() bool {
	switch x.Gravity {
	case "":
		return true
	case GravityBasic:
		return x.Verdict == Fail
	case GravitySecurity, GravityCodes:
		return x.Verdict.Red()
	}
	newer := x.Gravity != GravityFailure && x.Gravity != GravityWarning // and not known here
	return x.Gravity == GravityOf(x.Verdict) || newer && x.Verdict.Red()
}
