package engine

import (
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// prompt repeats what is red as soon as it was recorded, beside what is still played for the
// first time, where sessions are cheap. That confirms a verdict. One that is not seen
// again is left to the repetition at the end, when nothing else goes on, and so is what rests on time, and
// what was recorded by scenarios that change the target or may cost it.
type prompt struct {
	first  *player // plays everything for the first time
	player *player // repeats
	ctx    context.Context
	takes  map[requirement.Combination]*Take // of the first play
	busy   sync.WaitGroup

	mu sync.Mutex // guards the plans
	of map[requirement.Combination]*repetition
}

// prompt prepares the repetitions; ctx is that of the first play.
func (r *Run) prompt(ctx context.Context, first *player) *prompt {
	a := &prompt{first: first, player: &player{run: r, silent: true}, ctx: ctx, takes: maps.Clone(r.takes), of: map[requirement.Combination]*repetition{}}
	for _, st := range r.stages {
		if e := r.endpointOf(st); cheap(st) {
			x := &repetition{stage: r.newStage(e, e.limit, st.Facts), take: newTake(st.Facts)}
			x.stage.Limits.Patience = slowly
			a.of[st.Combination] = x
		}
	}
	return a
}

// cheap reports whether sessions may come and go beside others: they are no processes of ours, their
// number is not limited, and nothing is made to change that would show in all of them.
func cheap(st *pool.Pool) bool {
	return !st.Facts.Owned && !st.Limited() && st.Endpoint.Server() == nil && st.Target.Triggers == (target.Triggers{})
}

// repeat plays again what a verdict rests on, unless that was done.
func (a *prompt) repeat(j *Judgement, take *Take) {
	r, x := a.player.run, a.of[j.Combination]
	if x == nil || !j.Outcome.Red() || r.restsOnTime(j, take) {
		return
	}
	var plan []*scenario.Scenario
	for _, name := range j.From {
		sc, ok := r.catalogue.Scenario(name)
		if !ok || sc.Phase > scenario.Quiet {
			return
		}
		plan = append(plan, sc)
	}
	earlier := a.first.recorded(a.takes[j.Combination])
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, sc := range plan {
		if !slices.Contains(x.plan, sc) {
			x.plan = append(x.plan, sc)
			a.busy.Go(func() { a.play(x, sc, earlier) })
		}
	}
}

// play plays a scenario again, after those that it builds on.
func (a *prompt) play(x *repetition, sc *scenario.Scenario, earlier map[recording.Name]*recording.Recording) {
	a.player.mu.Lock()
	for _, name := range sc.After {
		if x.take.Recordings[name] == nil {
			x.take.Recordings[name] = earlier[name]
		}
	}
	a.player.mu.Unlock()
	a.player.play(a.ctx, x.stage, sc, x.take)
}

// end waits for what is repeated, and for the end of its sessions. It is called when nothing is judged early any more.
func (a *prompt) end() map[requirement.Combination]*Take {
	a.busy.Wait()
	var stages []*pool.Pool
	takes := map[requirement.Combination]*Take{}
	for c, x := range a.of {
		stages, takes[c] = append(stages, x.stage), x.take
	}
	closeStages(stages, takes)
	return takes
}

// repeated is what was repeated to its end, together with what else was recorded.
func (a *prompt) repeated() map[requirement.Combination]*Take {
	r, again := a.player.run, map[requirement.Combination]*Take{}
	for c, x := range a.of {
		first := r.takes[c]
		x.plan = slices.DeleteFunc(x.plan, func(sc *scenario.Scenario) bool { return x.take.Unfinished[sc.Name] })
		for name := range x.take.Unfinished {
			delete(x.take.Took, name)
		}
		clear(x.take.Unfinished)
		if len(x.plan) == 0 || first.Facts.Notes[recording.FactGone] != "" {
			continue
		}
		r.gatherAgain(x)
		take := newTake(first.Facts)
		maps.Copy(take.Recordings, first.Recordings)
		delete(take.Recordings, recording.Everything)
		take.join(x.take)
		again[c] = take
	}
	return again
}

// seenAgain reports whether what was repeated promptly led to a red verdict once more.
func (r *Run) seenAgain(j *Judgement) bool {
	again := r.again[j.Combination]
	if again == nil || !j.Outcome.Red() || r.restsOnTime(j, r.takes[j.Combination]) {
		return false
	}
	for _, name := range j.From {
		if name == recording.Everything {
			if again.Recordings[name] == nil {
				return false
			}
		} else if _, repeated := again.Took[name]; !repeated {
			return false
		}
	}
	return r.row(j.Row, again).Outcome == j.Outcome
}

// forget drops what was repeated promptly of what a verdict rests on, and did not lead to it once more: it
// settles nothing.
func (r *Run) forget(j *Judgement) {
	again, first := r.again[j.Combination], r.takes[j.Combination]
	if again == nil {
		return
	}
	needed := map[recording.Name]bool{}
	r.repeat(needed, j, first)
	for name := range needed {
		if _, repeated := again.Took[name]; repeated {
			delete(again.Took, name)
			again.Recordings[name] = first.Recordings[name]
		}
	}
}
