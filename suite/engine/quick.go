package engine

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/transport"
)

// discover finds out which of the revisions asked for a target speaks. In a quick run it
// is asked for the newest of each era first, and for older ones only if it knows neither.
func (r *Run) discover(ctx context.Context, dialer transport.Dialer, opts session.Options, ask []requirement.Revision, instances int) (*session.Found, error) {
	if !r.cfg.Quick {
		return session.Detect(ctx, dialer, opts, ask, instances, r.nextID)
	}
	newest, older := newestOfEachEra(ask)
	found, err := session.Detect(ctx, dialer, opts, newest, instances, r.nextID)
	// Servers say in many ways that they do not know a revision: with another one, with an
	// error, by silence, by ending. Only one that cannot be reached is not asked again.
	if err != nil && len(older) > 0 && scenario.Code(err) != recording.CodeUnreachable && context.Cause(ctx) == nil {
		return session.Detect(ctx, dialer, opts, older, instances, r.nextID)
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
	r.endpoints = slices.DeleteFunc(r.endpoints, func(e *endpoint) bool { return e != best && e.found != nil })
	best.only = newest(best)
	kept := best.found.Open[best.only]
	delete(best.found.Open, best.only)
	best.found.Close()
	if kept != nil {
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

// Destructive reports whether the check of a requirement judges what is sent in the destructive phase, so that
// a quick run leaves it out.
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
	return &reports.Quick{Revision: string(c.Revision), Transport: string(c.Transport), LeftOut: len(r.leftOut), LeftOutIDs: r.leftOut}
}
