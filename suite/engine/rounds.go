package engine

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// round is what was played, by combination: for the first time, or again, one scenario after the other while
// nothing else was under way.
type round = map[requirement.Combination]*Take

// twice is how many times as long a round waits as the first play.
const twice = 2

// confirm plays rounds for as long as verdicts lack sightings, and there is time: nobody is accused of what
// happens once.
func (r *Run) confirm(ctx context.Context, late []*Judgement) {
	r.judged, r.tried, r.answers = map[judgedOn]*Judgement{}, map[key]int{}, map[*Take]*takeAnswers{}
	open := func() []*Judgement { return recording.Keep(late, r.lacks) }
	if n := len(open()); n > 0 && context.Cause(ctx) == nil {
		r.cfg.Progress(Event{Kind: Confirming, Total: n})
	}
	const most = 20 // no verdict is tried as often
	for range most {
		if len(open()) == 0 || context.Cause(ctx) != nil {
			break
		}
		r.rounds = append(r.rounds, round{})
		for _, st := range slices.Backward(r.stages) { // siblings of the newest revision need fewer
			if these := recording.Keep(open(), func(j *Judgement) bool {
				return j.Combination == st.Combination
			}); len(these) > 0 {
				r.replay(ctx, st, these)
			}
		}
	}
}

// lacks reports whether a round may change a verdict: one that is red and was not seen often enough, one that
// is blocked by what may come of an accident, or a pass on a sample. A quick run does without the rest of a
// sample: it says that it is one.
func (r *Run) lacks(j *Judgement) bool {
	const rounds, idle = 3, 2
	take, tried := r.takes[j.Combination], r.tried[keyOf(j.Row)]
	switch {
	case take.Facts.Notes[recording.FactGone] != "" || take.Facts.Notes[recording.FactUnrepeated] != "":
		return false
	case !j.Outcome.Red():
		return tried == 0 && r.ended == nil && (!r.cfg.Quick && sampled(j, take) || healable(j) && r.speaks())
	}
	need := r.need(j)
	if _, missing := weigh(need, false, r.sightings(j, j.Outcome)); missing == 0 {
		return false
	}
	without := 0 // rounds in succession that gave no occasion
	for n := range r.rounds {
		if again := r.rounds[n][j.Combination]; again != nil && r.replayed(j, again) {
			without++
			if _, why := r.told(j, n); why == "" {
				without = 0
			}
		}
	}
	if j.onAllFrames() {
		return tried < rounds
	}
	return without < idle && tried < max(rounds, need+idle)
}

// replay plays again what some verdicts of a combination lack, in sessions and processes that no other stands
// beside.
func (r *Run) replay(ctx context.Context, st *pool.Pool, these []*Judgement) {
	needed, side := map[recording.Name]bool{}, false
	for _, j := range these {
		tried := r.tried[keyOf(j.Row)]
		r.pick(needed, j, tried > 1)
		r.tried[keyOf(j.Row)] = tried + 1
		side = side || r.misdelivered(j, r.takes[j.Combination])
	}
	if len(needed) == 0 {
		return
	}
	e, first := r.endpointOf(st), r.takes[st.Combination]
	e.habits.Forget()
	stage := r.calmStage(ctx, e, st, these)
	take, plan := newTake(st.Facts), r.catalogue.inOrder(needed)
	p := &player{run: r, total: len(plan), earlier: first.Recordings}
	if side = side && !stage.Limited(); side {
		_, _ = stage.Shared(ctx) // scripts that need it find out why there is none
		var wg sync.WaitGroup
		for _, sc := range plan {
			wg.Go(func() { p.play(ctx, stage, sc, take) })
		}
		wg.Wait()
		plan = nil
	}
	if !e.Owned() {
		slices.SortStableFunc(plan, func(a, b *scenario.Scenario) int {
			return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(first.Took[a.Name], first.Took[b.Name]))
		})
	}
	for _, sc := range plan {
		if p.play(ctx, stage, sc, take); !e.Owned() {
			stage.Retire() // the sessions of one script may be in the way of the next
		}
	}
	closeStages([]*pool.Pool{stage}, round{st.Combination: take})
	r.keep(ctx, stage, take)
}

// calmStage is a stage for a round: waits take longer than at first, and the end of clean sessions, too, if
// that is looked at.
func (r *Run) calmStage(ctx context.Context, e *endpoint, st *pool.Pool, these []*Judgement) *pool.Pool {
	limit := e.limit
	if e.Owned() && limit == nil {
		limit = pool.Turns()
	}
	stage := r.newStage(e, limit, st.Facts)
	stage.Limits.Patience = twice
	if !e.Owned() { // processes of ours have more time for as long as they are at work
		stage.Limits.Timeout *= twice
	}
	endings := recording.Keep(these, func(j *Judgement) bool {
		k, ok := r.catalogue.Check(j.Requirement.ID)
		return ok && k.Endings
	})
	stage.Hasten = stage.Hasten && len(endings) == 0
	if slices.ContainsFunc(endings, func(j *Judgement) bool { return len(j.Frames) > 0 }) {
		stage.Linger = func(s *session.Session) {
			const times = 3
			// an answer that comes meanwhile is slow, and not held back until the input ends
			if s.Kind() == recording.Clean {
				s.AwaitLate(ctx, times*r.cfg.Timeout)
			}
		}
	}
	return stage
}

// keep adds what was played again to the round. Of what was not played to its end only the sessions count
// that had ended, and so of what was lost to a target that is gone for good, or may be: nobody could look.
func (r *Run) keep(ctx context.Context, stage *pool.Pool, take *Take) {
	c, cause := stage.Combination, context.Cause(ctx)
	deadline, bounded := ctx.Deadline()
	r.noteGone(ctx, []*pool.Pool{stage}, round{c: take})
	gone := take.Facts.Notes[recording.FactGone]
	// those that were neither lost nor hastened
	whole := func(sessions []*recording.Session) []*recording.Session {
		return recording.Keep(sessions, func(s *recording.Session) bool {
			return (gone == "" || s.Lost == "") && (cause == nil || bounded && s.Closing > 0 &&
				s.Closing < deadline.Sub(r.began))
		})
	}
	take.Sessions = whole(take.Sessions)
	if gone != "" {
		delete(take.Facts.Notes, recording.FactGone)
		take.Facts.Notes[recording.FactUnrepeated] = gone
	}
	for name, rec := range take.Recordings {
		if (gone != "" || cause != nil && !take.Facts.Owned) && loses(rec) || take.Unfinished[name] {
			delete(take.Took, name)
			take.Unfinished[name] = true
			rec.Sessions = whole(rec.Sessions)
		}
	}
	if cause != nil && cause != ErrBudget && cause != context.DeadlineExceeded {
		return // where not everything was kept nothing is settled
	}
	r.gather(take, func(*recording.Recording) bool { return false })
	maps.DeleteFunc(take.Recordings, func(name recording.Name, _ *recording.Recording) bool {
		return take.Unfinished[name]
	})
	r.rounds[len(r.rounds)-1][c] = take
}

// loses reports whether a script was broken off, or a message of it was lost.
func loses(rec *recording.Recording) bool {
	return rec.Broken != nil || slices.ContainsFunc(rec.Exchanges, (*recording.Exchange).Gone)
}

// all lists the first play and the rounds.
func (r *Run) all() []round { return append([]round{r.takes}, r.rounds...) }

// played lists all that was recorded: first what was played first.
func (r *Run) played() iter.Seq[*Take] {
	return func(yield func(*Take) bool) {
		for _, takes := range r.all() {
			for _, c := range r.Combinations() {
				if take := takes[c]; take != nil && !yield(take) {
					return
				}
			}
		}
	}
}

// sameEndpoint reports whether two combinations are spoken at one endpoint.
func (r *Run) sameEndpoint(a, b requirement.Combination) bool {
	return a.Transport == b.Transport && r.takes[a].Facts.Endpoint == r.takes[b].Facts.Endpoint
}

func (r *Run) endpointOf(st *pool.Pool) *endpoint {
	for _, e := range r.endpoints {
		if e.Endpoint == st.Endpoint {
			return e
		}
	}
	return nil
}

// repeats reports whether a round may lead to another verdict.
func repeats(j *Judgement, take *Take) bool {
	return j.Outcome.Red() || j.Outcome == verdict.Blocked || sampled(j, take)
}

// sampled reports whether a pass rests on fewer probes than there are because their time was up: on
// how many depends on how busy the machine was.
func sampled(j *Judgement, take *Take) bool {
	return slices.ContainsFunc(j.Observations, func(o verdict.Observation) bool {
		return o.ID == verdict.ObservationCut
	}) &&
		slices.ContainsFunc(j.From, func(name recording.Name) bool {
			rec := take.Recordings[name]
			return rec != nil && rec.Cut != nil && rec.Cut.Reason == recording.CutSlow
		})
}

// healable reports whether a verdict is blocked by what may come of a busy machine, or of an
// accident.
func healable(j *Judgement) bool {
	return j.Outcome == verdict.Blocked && slices.ContainsFunc(j.From, func(name recording.Name) bool {
		return name != recording.Everything
	}) &&
		slices.Contains([]recording.Code{recording.CodeNoAnswer, recording.CodeNoHandshake,
			recording.CodeDied, recording.CodeUnreachable}, j.Code)
}

// speaks reports whether some requirement was met. Where none was, the target is not held up
// by an accident, and to repeat everything would take as long again.
func (r *Run) speaks() bool {
	return slices.ContainsFunc(r.rows, func(row Row) bool {
		j := r.results.given(row)
		return j != nil && j.Outcome == verdict.Pass
	})
}
