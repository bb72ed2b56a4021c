package engine

import (
	"cmp"
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Asked is an endpoint that was asked what it speaks.
type Asked struct {
	*target.Endpoint
	Transport requirement.Transport
	// Served are the revisions that it serves, oldest first. Reasons says why others are not
	// served, as far as that was told.
	Served  []requirement.Revision
	Reasons map[requirement.Revision]string
	// Unreachable is why it could not be reached; nil if it was.
	Unreachable error
}

// Asked lists the endpoints that were asked what they speak, in the order of the target.
func (r *Run) Asked() []Asked {
	var all []Asked
	for _, e := range r.endpoints {
		a := Asked{Endpoint: e.Endpoint, Transport: e.transport, Reasons: e.reasons, Unreachable: e.cause}
		if e.found != nil {
			a.Served = e.found.Served
		}
		all = append(all, a)
	}
	return all
}

// Play plays scenarios of the caller's in a combination, one after the other, in place of
// [Run.Execute]: nothing is judged. earlier holds the recordings that they build on, and gets
// those that are made.
func (r *Run) Play(
	ctx context.Context, at requirement.Combination, earlier map[recording.Name]*recording.Recording,
	plan ...*scenario.Scenario,
) {
	ctx, cancel := r.bounded(ctx)
	defer cancel()
	st := r.stageOf(at)
	take := newTake(st.Facts)
	take.Recordings = earlier
	p := &player{run: r, total: len(plan)}
	for _, sc := range plan {
		p.play(ctx, st, sc, take)
	}
	r.ended = cmp.Or(r.ended, context.Cause(ctx))
}

// Ended is why the run had to end early; nil if it did not.
func (r *Run) Ended() error { return r.ended }

// stageOf is the stage of a combination.
func (r *Run) stageOf(at requirement.Combination) *pool.Pool {
	return r.stages[slices.IndexFunc(r.stages, func(st *pool.Pool) bool { return st.Combination == at })]
}

// Renew ends the sessions in which scenarios were played in a combination, and forgets what
// was not answered in them.
func (r *Run) Renew(at requirement.Combination) {
	st := r.stageOf(at)
	st.Retire()
	r.endpointOf(st).habits.Forget()
}

// Close ends what is left of a run that was not executed.
func (r *Run) Close() {
	if len(r.rows) == 0 {
		return // as [Prepare] has done
	}
	for _, st := range r.stages {
		st.Close()
	}
	r.abandon()
	r.stopServers()
}
