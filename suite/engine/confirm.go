package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// confirm plays the scenarios of red verdicts, of blocked ones that a repetition may heal, and of
// passes on a sample once more, on sessions of their own, and judges again: nobody is accused of
// what happens once. A red verdict that was confirmed while the run went on is settled.
func (r *Run) confirm(ctx context.Context, late []*Judgement) {
	early := recording.Keep(late, r.seenEarly)
	late = recording.Keep(late, func(j *Judgement) bool { return !r.seenEarly(j) })
	if repeated := recording.Keep(late, r.repeatable); len(repeated) > 0 {
		if context.Cause(ctx) == nil {
			r.cfg.Progress(Event{Kind: Confirming, Total: len(repeated)})
			r.again = r.replay(ctx, repeated, r.quickest)
			r.further(ctx, repeated)
			r.onceMore(ctx, repeated)
		}
		if slices.ContainsFunc(repeated, func(j *Judgement) bool {
			again := r.again[j.Combination]
			return again == nil || len(again.Unfinished) > 0
		}) { // while it was judged or repeated, the time for the whole run may have ended
			r.ended = cmp.Or(r.ended, context.Cause(ctx))
		}
	}
	r.repeatAccidents(ctx, slices.Concat(early, late))
	for _, j := range slices.Concat(early, late) {
		r.conclude(j)
	}
}

// further plays what red verdicts on all frames rest on beside what was repeated first, as long as
// this has not shown the same again: most often one scenario does.
func (r *Run) further(ctx context.Context, repeated []*Judgement) {
	differs := func(j *Judgement) bool {
		again := r.again[j.Combination]
		return j.Outcome.Red() && again != nil && slices.Contains(j.From, recording.Everything) && r.row(j.Row, again).Outcome != j.Outcome
	}
	const single = 6 // scenarios that are tried by themselves: what shows nothing takes no time
	open := repeated
	for n := 1; n <= single; n++ {
		if open = recording.Keep(open, differs); len(open) == 0 || context.Cause(ctx) != nil {
			break
		}
		choose := r.quickest
		if n == single {
			choose = r.left
		}
		for c, more := range r.replay(ctx, open, choose) {
			r.again[c].join(more)
		}
	}
	for _, j := range recording.Keep(open, differs) {
		r.left(r.again[j.Combination].Unfinished, j, r.takes[j.Combination])
	}
}

// join adds what was repeated further.
func (t *Take) join(more *Take) {
	for name, took := range more.Took {
		t.Recordings[name], t.Took[name] = more.Recordings[name], took
		if more.Unfinished[name] {
			t.Unfinished[name] = true
		}
	}
	if more.Unfinished[recording.Everything] {
		return
	}
	all := &recording.Recording{Scenario: recording.Everything, Combination: t.Facts.Combination, Facts: t.Facts}
	for _, some := range []*recording.Recording{t.Recordings[recording.Everything], more.Recordings[recording.Everything]} {
		if some != nil {
			all.Sessions, all.Exchanges = append(all.Sessions, some.Sessions...), append(all.Exchanges, some.Exchanges...)
			all.Frames, all.Retried = append(all.Frames, some.Frames...), append(all.Retried, some.Retried...)
		}
	}
	if len(all.Frames) > 0 {
		sortFrames(all)
		t.Recordings[recording.Everything] = all
	}
}

// onceMore plays once more, and no more than that, what red verdicts rest on whose repetition was not
// answered in time: it neither confirms nor refutes them, as is usual on a busy machine.
func (r *Run) onceMore(ctx context.Context, repeated []*Judgement) {
	open := recording.Keep(repeated, func(j *Judgement) bool {
		again := r.again[j.Combination]
		if !j.Outcome.Red() || again == nil || slices.Contains(j.From, recording.Everything) {
			return false
		}
		second := r.row(j.Row, again)
		return second.Outcome == verdict.Blocked && second.Code == recording.CodeNoAnswer
	})
	if len(open) == 0 || context.Cause(ctx) != nil {
		return
	}
	for c, third := range r.replay(ctx, open, r.repeat) {
		for name := range third.Took {
			if !third.Unfinished[name] {
				r.again[c].Recordings[name] = third.Recordings[name]
			}
		}
	}
}

// repeats reports whether a repetition may lead to another verdict.
func repeats(j *Judgement, take *Take) bool {
	return j.Outcome.Red() || j.Outcome == verdict.Blocked || sampled(j, take)
}

// sampled reports whether a pass rests on fewer probes than there are because their time was up: on
// how many depends on how busy the machine was.
func sampled(j *Judgement, take *Take) bool {
	return slices.ContainsFunc(j.Observations, func(o verdict.Observation) bool { return o.ID == verdict.ObservationCut }) &&
		slices.ContainsFunc(j.From, func(name recording.Name) bool {
			rec := take.Recordings[name]
			return rec != nil && rec.Cut != nil && rec.Cut.Reason == recording.CutSlow
		})
}

// repeatable reports whether to play again what a verdict rests on. What is left when the time for
// playing is spent is for red ones, and a quick run does without the rest of a sample: it says that it is one.
func (r *Run) repeatable(j *Judgement) bool {
	switch {
	case r.takes[j.Combination].Facts.Notes[recording.FactGone] != "":
		return false
	case j.Outcome.Red():
		return true
	}
	return r.ended == nil && (!r.cfg.Quick && sampled(j, r.takes[j.Combination]) || healable(j) && r.speaks())
}

// healable reports whether a verdict is blocked by what may come of a busy machine, or of an
// accident.
func healable(j *Judgement) bool {
	return j.Outcome == verdict.Blocked && slices.ContainsFunc(j.From, func(name recording.Name) bool { return name != recording.Everything }) &&
		slices.Contains([]recording.Code{recording.CodeNoAnswer, recording.CodeNoHandshake, recording.CodeDied, recording.CodeUnreachable}, j.Code)
}

// speaks reports whether some requirement was met. Where none was, the target is not held up
// by an accident, and to repeat everything would take as long again.
func (r *Run) speaks() bool {
	return slices.ContainsFunc(r.rows, func(row Row) bool {
		j := r.results.given(row)
		return j != nil && j.Outcome == verdict.Pass
	})
}

// restsOnTime reports whether a verdict could be another one if there were more time: it
// comes of silence, of how long processes take to end, or of what did not come while it was
// waited for.
func (r *Run) restsOnTime(j *Judgement, take *Take) bool {
	k, ok := r.catalogue.Check(j.Requirement.ID)
	if j.Outcome == verdict.Blocked || ok && k.Endings || sampled(j, take) {
		return true
	}
	for _, name := range j.From {
		if sc, found := r.catalogue.Scenario(name); found && (sc.Phase == scenario.Quiet || sc.Phase == scenario.Mutate) && !(ok && k.Timeless) {
			return true
		}
		if rec := take.Recordings[name]; rec != nil && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
			return x.Outcome == recording.Silent && slices.Contains(j.Frames, x.Request)
		}) {
			return true
		}
	}
	return false
}

// repetition is what is to be played again in a combination.
type repetition struct {
	stage *pool.Pool
	plan  []*scenario.Scenario
	take  *Take
	// alone says that no other may be under way, gathered that the recordings have their
	// frames, shared that the session which scripts share stands from the beginning on, as at first.
	alone, gathered, shared bool
	talking                 sync.Map // for an early one: by the name of a script, func() for the first time when it is silent
}

// replay plays the scenarios of verdicts again, on new stages, and returns what was
// recorded, together with what else was recorded before; nil if it settles nothing.
//
// Copies of a program may be in each other's way: they fight over a port or a lock. So where
// we start them, what is red is first repeated with no more copies than a script needs: in the
// combinations with verdicts that rest on time, which nothing else may disturb, or else in the
// one with most to repeat. If all is red again neither the copies nor the load are the reason, and the other
// combinations, and those where the same requirements rest on time, are repeated side by side; else one after the other as well.
func (r *Run) replay(ctx context.Context, red []*Judgement, choose choice) map[requirement.Combination]*Take {
	r.hurry(red)
	for _, e := range r.endpoints {
		e.habits.Forget()
	}
	elsewhere, owned := r.repetitions(ctx, red, choose)
	p := &player{run: r}
	for _, x := range slices.Concat(elsewhere, owned) {
		p.total += len(x.plan)
	}
	apart := func(all []*repetition) (alone, others []*repetition) {
		return recording.Keep(all, func(x *repetition) bool { return x.alone }), recording.Keep(all, func(x *repetition) bool { return !x.alone })
	}
	alone, others := apart(elsewhere)
	p.repeat(ctx, others...)
	for _, x := range alone {
		p.repeat(ctx, x)
	}
	alone, others = apart(owned)
	alone, others = r.repeatAlone(ctx, p, red, alone, others)
	if r.agree(ctx, red, alone) {
		var wg sync.WaitGroup
		for _, x := range others {
			wg.Go(func() { p.repeat(ctx, x) })
		}
		wg.Wait()
	} else {
		for _, x := range others {
			p.repeat(ctx, x)
		}
	}
	return r.repeated(ctx, slices.Concat(elsewhere, owned))
}

// repeatAlone plays repetitions one after the other, those first in which most rests on time, and returns which. Those in which nothing
// rests on time but what was shown again by such a one, of the same requirement, need not be played so: they join the others.
func (r *Run) repeatAlone(ctx context.Context, p *player, red []*Judgement, alone, others []*repetition) (played, left []*repetition) {
	timed := func(x *repetition) []*Judgement {
		return recording.Keep(red, func(j *Judgement) bool {
			return j.Combination == x.stage.Combination && r.restsOnTime(j, r.takes[j.Combination])
		})
	}
	slices.SortStableFunc(alone, func(a, b *repetition) int { return len(timed(b)) - len(timed(a)) })
	type shows struct{ endpoint, requirement string }
	shown := map[shows]bool{}
	for _, x := range alone {
		known := func(j *Judgement) bool { return shown[shows{x.stage.Endpoint.Name, j.Requirement.ID}] }
		if all := timed(x); x.stage.Target.Triggers == (target.Triggers{}) && len(all) > 0 && len(recording.Keep(all, known)) == len(all) {
			others = append(others, x)
			continue
		}
		p.repeat(ctx, x)
		played = append(played, x)
		if context.Cause(ctx) == nil {
			r.gatherAgain(x)
		}
		for _, j := range timed(x) {
			if j.Outcome.Red() && context.Cause(ctx) == nil && r.row(j.Row, x.take).Outcome == j.Outcome {
				shown[shows{x.stage.Endpoint.Name, j.Requirement.ID}] = true
			}
		}
	}
	return played, others
}

// repetitions lists what is to be played again at URLs, and with processes of ours.
func (r *Run) repetitions(ctx context.Context, red []*Judgement, choose choice) (elsewhere, owned []*repetition) {
	var witness *repetition // the one with most to repeat, unless some are alone anyway
	some, few := false, r.fewAtATime()
	for _, st := range r.stages {
		before := r.takes[st.Combination]
		take, needed := retake(red, st.Combination, before, choose)
		if len(needed) == 0 {
			continue
		}
		e := r.endpointOf(st)
		x := &repetition{plan: r.catalogue.inOrder(needed), take: take}
		timed := slices.ContainsFunc(red, func(j *Judgement) bool { return j.Combination == st.Combination && r.restsOnTime(j, before) })
		if !e.Owned() || e.limit != nil {
			x.stage = r.newStage(e, e.limit, st.Facts)
			if e.limit == nil && slices.ContainsFunc(red, func(j *Judgement) bool { return j.Combination.Transport == st.Combination.Transport && r.expelled(j) }) {
				x.stage = few(e, st)
			}
			x.alone = timed
			elsewhere = append(elsewhere, x)
		} else {
			x.stage = r.newStage(e, pool.Turns(), st.Facts)
			cleanFirst(x.plan, before)
			x.alone = timed || st.Target.Triggers != (target.Triggers{})
			some = some || x.alone
			if witness == nil || len(x.plan) > len(witness.plan) {
				witness = x
			}
			owned = append(owned, x)
		}
		x.stage.Limits.Patience = slowly
		if !e.Owned() && slices.ContainsFunc(red, func(j *Judgement) bool {
			return j.Combination == st.Combination && j.Outcome.Red() && r.restsOnTime(j, before)
		}) { // processes of ours have more time for as long as they are at work
			x.stage.Limits.Timeout *= slowly
		}
		x.shared = !x.stage.Limited() && slices.ContainsFunc(red, func(j *Judgement) bool { return j.Combination == st.Combination && r.misdelivered(j, before) })
		if slices.ContainsFunc(red, func(j *Judgement) bool { return j.Combination == st.Combination && r.freedByTheEnd(j) }) {
			x.stage.Linger = r.linger(ctx)
		}
	}
	if !some && witness != nil {
		witness.alone = true
	}
	return elsewhere, owned
}

// slowly is how many times as long a repetition waits as the first play, where scripts choose
// for themselves how long that is, and at a URL for every answer, if a red verdict rests on time.
const slowly = 2

// freedByTheEnd reports whether a verdict rests on what came when a session was ended.
func (r *Run) freedByTheEnd(j *Judgement) bool {
	k, ok := r.catalogue.Check(j.Requirement.ID)
	return ok && k.Endings && len(j.Frames) > 0
}

// linger keeps clean sessions with pending answers open for several times as long as these were
// waited for: one that comes meanwhile is slow, and not held back until the input ends.
func (r *Run) linger(ctx context.Context) func(*session.Session) {
	const times = 3
	return func(s *session.Session) {
		if s.Kind() == recording.Clean {
			s.AwaitLate(ctx, times*r.cfg.Timeout)
		}
	}
}

// repeat plays what is to be played again in some combinations, and ends their sessions.
func (p *player) repeat(ctx context.Context, all ...*repetition) {
	var stages []*pool.Pool
	plans, takes := map[*pool.Pool][]*scenario.Scenario{}, map[requirement.Combination]*Take{}
	for _, x := range all {
		stages = append(stages, x.stage)
		plans[x.stage], takes[x.stage.Combination] = x.plan, x.take
		if x.shared {
			_, _ = x.stage.Shared(ctx) // scripts that need it find out why there is none
		}
	}
	p.phases(ctx, stages, plans, takes)
	closeStages(stages, takes)
	if context.Cause(ctx) != nil {
		for _, x := range all {
			x.take.Unfinished[recording.Everything] = true
		}
	}
}

// agree reports whether repetitions have led to the verdicts that there were before.
func (r *Run) agree(ctx context.Context, red []*Judgement, all []*repetition) bool {
	if context.Cause(ctx) != nil {
		return false
	}
	for _, x := range all {
		r.gatherAgain(x)
		for _, j := range red {
			if j.Combination == x.stage.Combination && j.Outcome.Red() && j.Outcome != r.row(j.Row, x.take).Outcome {
				return false
			}
		}
	}
	return true
}

// repeated is what came of repetitions, by combination.
func (r *Run) repeated(ctx context.Context, all []*repetition) map[requirement.Combination]*Take {
	again := map[requirement.Combination]*Take{}
	var stages []*pool.Pool
	for _, x := range all {
		stages, again[x.stage.Combination] = append(stages, x.stage), x.take
	}
	r.noteGone(ctx, stages, again)
	cause := context.Cause(ctx)
	if cause != nil && cause != ErrBudget {
		return nil // where not everything was kept nothing is settled
	}
	for _, x := range all {
		if x.take.Facts.Notes[recording.FactGone] != "" || cause != nil && !x.take.Facts.Owned {
			// Neither is it by one that the target did not live to see, which may not have been found out.
			delete(again, x.stage.Combination)
			delete(x.take.Facts.Notes, recording.FactGone)
			continue
		}
		r.gatherAgain(x)
	}
	return again
}

// retake names the scenarios that have to be played again in a combination. The take holds
// what was recorded before of all others.
func retake(red []*Judgement, c requirement.Combination, before *Take, choose choice) (take *Take, needed map[recording.Name]bool) {
	needed = map[recording.Name]bool{}
	for _, j := range red {
		if j.Combination == c {
			choose(needed, j, before)
		}
	}
	take = newTake(before.Facts)
	for name, rec := range before.Recordings {
		if !needed[name] && name != recording.Everything {
			take.Recordings[name] = rec
		}
	}
	return take, needed
}

// gatherAgain is gather for what was played again, once: recordings that were taken over
// from the first take have their frames.
func (r *Run) gatherAgain(x *repetition) {
	if x.gathered {
		return
	}
	x.gathered = true
	fresh := newTake(x.take.Facts)
	fresh.Sessions, fresh.Retried = x.take.Sessions, x.take.Retried
	for _, sc := range x.plan {
		fresh.Recordings[sc.Name] = x.take.Recordings[sc.Name]
	}
	r.gather(fresh, func(*recording.Recording) bool { return false })
	maps.Copy(x.take.Recordings, fresh.Recordings)
}
