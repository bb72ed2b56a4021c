package engine

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// earlyRepetition repeats what is red as soon as it was recorded, beside what is still played for the
// first time, where sessions are cheap. What rests on an error that a busy target gives it repeats
// when nothing else is played or repeated any more, except for scripts that watch silence, before what may cost
// the target and at the end, one script after the other. That confirms a verdict. One that is not seen
// again is left to the repetition at the end, when nothing else goes on, and so is what rests on time, and
// what was recorded by scenarios that change the target or may cost it.
type earlyRepetition struct {
	first   *player // plays everything for the first time
	player  *player // repeats
	ctx     context.Context
	takes   map[requirement.Combination]*Take // of the first play
	playing sync.WaitGroup
	talking sync.WaitGroup // for those of them that do not watch silence yet

	// turn has a place for whoever begins repetitions, or waits for them. Unlike a mutex it lets time pass in a testing/synctest bubble.
	turn      chan struct{}
	of        map[requirement.Combination]*repetition
	postponed map[requirement.Combination][]*scenario.Scenario // for when the target is not busy any more
}

// repeatEarly prepares the repetitions; ctx is that of the first play.
func (r *Run) repeatEarly(ctx context.Context, first *player) *earlyRepetition {
	a := &earlyRepetition{first: first, player: &player{run: r, silent: true}, ctx: ctx, turn: make(chan struct{}, 1), takes: maps.Clone(r.takes), of: map[requirement.Combination]*repetition{}, postponed: map[requirement.Combination][]*scenario.Scenario{}}
	for _, st := range r.stages {
		if e := r.endpointOf(st); cheap(st) {
			x := &repetition{stage: r.newStage(e, e.limit, st.Facts), take: newTake(st.Facts)}
			x.stage.Limits.Patience = slowly
			x.stage.OnSilence = x.silent
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

// repeat plays again what a verdict rests on, unless that was done, or notes that it is to be done.
func (a *earlyRepetition) repeat(j *Judgement, take *Take) {
	r, x := a.player.run, a.of[j.Combination]
	if x == nil || !r.repeatsEarly(j, take) {
		return
	}
	var plan []*scenario.Scenario
	for _, name := range j.From {
		sc, _ := r.catalogue.Scenario(name)
		plan = append(plan, sc)
	}
	a.turn <- struct{}{}
	defer func() { <-a.turn }()
	if r.restsOnOverload(j) {
		a.postponed[j.Combination] = append(a.postponed[j.Combination], plan...)
		return
	}
	for _, sc := range plan {
		a.begin(x, sc)
	}
}

// begin begins to play a scenario again, unless that was done before; it is the caller's turn. over is closed at its end.
func (a *earlyRepetition) begin(x *repetition, sc *scenario.Scenario) (over <-chan struct{}, begun bool) {
	if slices.Contains(x.plan, sc) {
		return nil, false
	}
	x.plan = append(x.plan, sc)
	earlier := a.first.recorded(a.takes[x.stage.Combination])
	a.talking.Add(1)
	x.talking.Store(sc.Name, sync.OnceFunc(a.talking.Done))
	done := make(chan struct{})
	a.playing.Go(func() {
		defer close(done)
		defer x.silent(sc.Name)
		a.play(x, sc, earlier)
	})
	return done, true
}

// silent notes that a script that is repeated early watches silence, or has ended.
func (x *repetition) silent(name recording.Name) {
	if noted, ok := x.talking.Load(name); ok {
		noted.(func())()
	}
}

// repeatsEarly reports whether a verdict may be confirmed before the repetition at the end: it is red for what single
// scenarios recorded that neither change the target nor may cost it, and does not rest on time.
func (r *Run) repeatsEarly(j *Judgement, take *Take) bool {
	return j.Outcome.Red() && !r.restsOnTime(j, take) && !r.expelled(j) &&
		!slices.ContainsFunc(j.From, func(name recording.Name) bool {
			sc, ok := r.catalogue.Scenario(name)
			return !ok || sc.Phase > scenario.Quiet
		})
}

// restsOnOverload reports whether a verdict rests on what may be the answer of a target that is asked too much at once.
func (r *Run) restsOnOverload(j *Judgement) bool { return slices.ContainsFunc(j.Frames, r.overload) }

// overload reports whether a frame may be such an answer: an HTTP status that says so, or an error of the server's own.
func (r *Run) overload(number int) bool {
	f, ok := r.transcript.Frame(number)
	if !ok || f.Dir != wire.In {
		return false
	}
	const notFound = -32002 // of resources
	code := gjson.GetBytes(f.Raw, "error.code").Int()
	return f.HTTP != nil && (f.HTTP.Status == http.StatusTooManyRequests || f.HTTP.Status >= http.StatusInternalServerError) ||
		code == -32603 || code >= -32099 && code <= -32000 && code != notFound
}

// play plays a scenario again, after those that it builds on.
func (a *earlyRepetition) play(x *repetition, sc *scenario.Scenario, earlier map[recording.Name]*recording.Recording) {
	a.player.mu.Lock()
	for _, name := range sc.After {
		if x.take.Recordings[name] == nil {
			x.take.Recordings[name] = earlier[name]
		}
	}
	a.player.mu.Unlock()
	a.player.play(a.ctx, x.stage, sc, x.take)
}

// ahead repeats what was seen red so far before scenarios are played that may cost the target, which nobody here can start again. What
// takes a large part of the time that is left goes on beside these.
func (a *earlyRepetition) ahead(all map[requirement.Combination]*early) {
	const part = 4
	deadline, _ := a.ctx.Deadline()
	bounded, stop := context.WithTimeout(a.ctx, time.Until(deadline)/part)
	defer stop()
	over := make(chan struct{})
	go func() {
		defer close(over)
		for c := range a.of {
			all[c].await(bounded)
		}
		a.calm()
	}()
	select {
	case <-over:
	case <-bounded.Done():
	}
}

// calm waits until all that is repeated watches silence, or has ended, and repeats what was left until the target is not busy any
// more; then it waits for the end of all. What another script sent something beside is not taken as repeated calmly.
func (a *earlyRepetition) calm() {
	a.turn <- struct{}{} // nothing begins meanwhile
	defer func() { <-a.turn }()
	a.talking.Wait()
	r := a.player.run
	for _, st := range r.stages {
		x := a.of[st.Combination]
		for _, sc := range a.postponed[st.Combination] {
			before := r.transcript.Len()
			if over, begun := a.begin(x, sc); begun {
				<-over
				x.take.Calm[sc.Name] = r.alone(x.take.Recordings[sc.Name], before)
				x.stage.Retire() // the sessions of one combination may be in the way of the next
			}
		}
	}
	a.playing.Wait()
}

// alone reports whether nobody but a script asked for anything over HTTP after a frame. That another session is ended meanwhile,
// as by scripts that have watched silence, keeps no target busy.
func (r *Run) alone(rec *recording.Recording, after int) bool {
	own := map[string]bool{}
	for _, s := range rec.Sessions {
		own[s.ID] = true
	}
	for _, x := range rec.Exchanges {
		own[x.Session] = true
	}
	return !slices.ContainsFunc(r.transcript.Since(after), func(f wire.Frame) bool {
		return f.HTTP != nil && f.Dir == wire.Out && f.HTTP.Method != http.MethodDelete && !own[f.Session]
	})
}

// end repeats what is left, and waits for the end of the sessions of all that was repeated. It is called when everything was played and
// nothing is judged early any more.
func (a *earlyRepetition) end() map[requirement.Combination]*Take {
	a.calm()
	var stages []*pool.Pool
	takes := map[requirement.Combination]*Take{}
	for c, x := range a.of {
		stages, takes[c] = append(stages, x.stage), x.take
	}
	closeStages(stages, takes)
	return takes
}

// repeated is what was repeated to its end, together with what else was recorded.
func (a *earlyRepetition) repeated() map[requirement.Combination]*Take {
	r, again := a.player.run, map[requirement.Combination]*Take{}
	for c, x := range a.of {
		first := r.takes[c]
		x.plan = slices.DeleteFunc(x.plan, func(sc *scenario.Scenario) bool { return x.take.Unfinished[sc.Name] })
		for name := range x.take.Unfinished {
			delete(x.take.Took, name)
		}
		clear(x.take.Unfinished)
		if first.Facts.Notes[recording.FactGone] != "" { // what was repeated to its end before settles something
			x.plan = slices.DeleteFunc(x.plan, func(sc *scenario.Scenario) bool {
				lost := loses(x.take.Recordings[sc.Name])
				if lost {
					delete(x.take.Took, sc.Name)
				}
				return lost
			})
		}
		if len(x.plan) == 0 {
			continue
		}
		r.gatherAgain(x)
		take := newTake(first.Facts)
		take.Calm = x.take.Calm
		maps.Copy(take.Recordings, first.Recordings)
		delete(take.Recordings, recording.Everything)
		take.join(x.take)
		again[c] = take
	}
	return again
}

// seenEarly reports whether what was repeated early led to a red verdict once more.
func (r *Run) seenEarly(j *Judgement) bool {
	again := r.repeatedEarly[j.Combination]
	if again == nil || !r.repeatsEarly(j, r.takes[j.Combination]) {
		return false
	}
	calmly := r.restsOnOverload(j)
	for _, name := range j.From {
		if _, repeated := again.Took[name]; !repeated || calmly && !again.Calm[name] {
			return false
		}
	}
	return r.row(j.Row, again).Outcome == j.Outcome
}

// loses reports whether a script was broken off, or a message of it was lost.
func loses(rec *recording.Recording) bool {
	return rec.Broken != nil || slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
		return x.Outcome == recording.Lost || x.Outcome == recording.Unsent
	})
}
