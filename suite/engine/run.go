package engine

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Take is what was recorded in one combination.
type Take struct {
	Facts      *recording.Facts
	Recordings map[recording.Name]*recording.Recording
	// Sessions are those that scripts shared, Retried the handshakes that were tried
	// a second time.
	Sessions []*recording.Session
	Retried  []recording.Retried
	// Took is how long each scenario was played; in a repetition, those that were repeated.
	Took map[recording.Name]time.Duration
	// Unfinished are the scenarios of a repetition over which the time for the whole run ended, or
	// before which it did.
	Unfinished map[recording.Name]bool
	// Early says of a round of an earlier version that other scripts were played beside it: it confirms, and
	// refutes nothing.
	Early bool
	// sessions are those of a trace, which are judged one by one.
	sessions []*clientcheck.Served
}

// Execute plays the scenarios, judges them and confirms red verdicts. It ends
// early when the context does, or when the budget is spent; what is known then
// is judged, and the rest is blocked. It returns when no process and no
// connection of the run is left.
func (r *Run) Execute(ctx context.Context) {
	r.Start(ctx, r.Rows())
	<-r.done
}

// Start is [Run.Execute] for some of the rows, beside the caller: [Run.Await] waits for a
// verdict, [Run.Done] for the end. A run is started once, whoever comes first.
func (r *Run) Start(ctx context.Context, rows []Row) {
	r.begun.Do(func() {
		r.choose(rows)
		r.results.expect(r.rows)
		go r.execute(ctx)
	})
}

func (r *Run) execute(ctx context.Context) {
	defer close(r.done)
	defer r.stopServers()
	defer func() { r.took = time.Since(r.began) }()
	bounded, cancel := r.bounded(ctx)
	defer cancel()
	playing, played := context.WithDeadlineCause(bounded, r.Deadline().Add(-r.cfg.Budget/kept), ErrBudget)
	defer played()
	var judged func()
	r.judging, judged = lasting(bounded)
	defer judged()
	p := &player{run: r, plans: map[*pool.Pool][]*scenario.Scenario{}}
	for _, st := range r.stages {
		p.plans[st] = r.catalogue.scenariosFor(r.rows, st.Combination)
		p.total += len(p.plans[st])
		r.takes[st.Combination] = newTake(st.Facts)
	}
	early := r.begin(p.plans)
	p.heard = func(rec *recording.Recording) { early[rec.Combination].played(rec) }
	p.ahead = func() { r.ahead(playing, early) }
	p.over = func(st *pool.Pool) {
		r.close(early, st)
		r.judgeLeft(st.Combination)
	}
	p.share(r.stages)
	p.phases(playing, r.stages)
	p.withoutDeaths(playing)
	ended := context.Cause(playing)
	r.close(early, slices.DeleteFunc(slices.Clone(r.stages), independent)...)
	r.abandon()
	r.noteGone(bounded, r.stages, r.all()...)
	r.cfg.Progress(Event{Kind: Judging, Done: p.total, Total: p.total})
	r.ended = cmp.Or(ended, context.Cause(bounded))
	r.judge(bounded)
}

// kept is the part of the time for the whole run in which no scenario is played for the first
// time, one in so many: it is for repeating what was seen red, as nobody is accused without that.
const kept = 3

// close ends the sessions of combinations that were played, and completes what was recorded.
func (r *Run) close(early map[requirement.Combination]*early, stages ...*pool.Pool) {
	closeStages(stages, r.takes)
	for _, st := range stages {
		r.gather(r.takes[st.Combination], early[st.Combination].end())
	}
}

// closeStages ends the sessions that scripts shared, all at the same time: some
// targets have to be waited for.
func closeStages(stages []*pool.Pool, takes round) {
	var wg sync.WaitGroup
	for _, st := range stages {
		take := takes[st.Combination]
		wg.Go(func() { take.Sessions, take.Retried = st.Close(), st.Retried() })
	}
	wg.Wait()
}

func newTake(facts *recording.Facts) *Take {
	return &Take{Facts: facts, Recordings: map[recording.Name]*recording.Recording{},
		Took: map[recording.Name]time.Duration{}, Unfinished: map[recording.Name]bool{}}
}

// exchanges lists what was said in scenarios, in the order of their names, each with its recording.
func (t *Take) exchanges() iter.Seq2[*recording.Recording, *recording.Exchange] {
	return func(yield func(*recording.Recording, *recording.Exchange) bool) {
		for _, name := range slices.Sorted(maps.Keys(t.Recordings)) {
			for _, x := range t.Recordings[name].Exchanges {
				if !yield(t.Recordings[name], x) {
					return
				}
			}
		}
	}
}

// player plays scenarios, as many at once as there are jobs.
type player struct {
	run *Run
	// plans are what is played in each combination.
	plans map[*pool.Pool][]*scenario.Scenario
	heard func(*recording.Recording) // is told of each recording
	ahead func()                     // is called before what may cost targets that nobody can start again
	over  func(*pool.Pool)           // is told which combinations that need not wait for others are over
	// once are the scenarios that are played for several combinations.
	once map[once]*onlyPlay
	// earlier is what was recorded before anything is played.
	earlier map[recording.Name]*recording.Recording

	mu          sync.Mutex
	done, total int
}

// phases plays everything, phase by phase. Combinations that have processes of their own, in
// which nothing is made to change, need not wait for each other.
func (p *player) phases(ctx context.Context, stages []*pool.Pool) {
	var groups [][]*pool.Pool
	var rest []*pool.Pool
	for _, st := range stages {
		if independent(st) {
			groups = append(groups, []*pool.Pool{st})
		} else {
			rest = append(rest, st)
		}
	}
	var wg sync.WaitGroup
	for _, group := range append(groups, rest) {
		wg.Go(func() {
			var quiet sync.WaitGroup
			for _, phase := range scenario.Phases() {
				if phase == scenario.Destructive && p.ahead != nil && slices.ContainsFunc(group, cheap) {
					retire(group)
					p.ahead()
				}
				p.phase(ctx, group, phase, &quiet)
			}
			if p.over != nil && len(group) > 0 && independent(group[0]) {
				p.over(group[0])
			}
		})
	}
	wg.Wait()
}

// retire ends the sessions that scripts shared, where another one costs little: what happened in them
// can be judged, and repeated, before the last phase.
func retire(stages []*pool.Pool) {
	var wg sync.WaitGroup
	for _, st := range stages {
		if cheap(st) {
			wg.Go(st.Retire)
		}
	}
	wg.Wait()
}

// independent reports whether a combination has processes of its own, in which nothing is made
// to change.
func independent(st *pool.Pool) bool {
	return st.Facts.Owned && st.OnStdio() && !st.Limited() &&
		st.Target.Triggers == (target.Triggers{})
}

// due is the phase in which a scenario is played.
func due(st *pool.Pool, sc *scenario.Scenario) scenario.Phase {
	apart := sc.In == scenario.Own || sc.In == scenario.Unopened
	if apart && (independent(st) || sc.Phase == scenario.Quiet && !st.Limited()) {
		return scenario.Read
	}
	return sc.Phase
}

// phase plays the scenarios of a phase in all combinations: at most as many at
// once as there are jobs; those that change the target one after the other, and so where
// connections are limited and scenarios take turns: in this order they have the least to close.
// What is quiet, which may have begun with the phase before, is over when the quiet phase is.
func (p *player) phase(ctx context.Context, stages []*pool.Pool, phase scenario.Phase,
	quiet *sync.WaitGroup) {
	var wg sync.WaitGroup
	var talkers []func() // they fit into the windows of those that watch silence, which begin first
	inTurn := map[*pool.Limit][]func(){}
	for _, st := range stages {
		played := map[recording.Name]chan struct{}{}
		for _, sc := range p.plans[st] {
			if due(st, sc) == phase {
				played[sc.Name] = make(chan struct{})
			}
		}
		for i, sc := range p.plans[st] {
			if played[sc.Name] == nil {
				continue
			}
			var first []chan struct{}
			for j, other := range p.plans[st] {
				if c := played[other.Name]; c != nil && follows(st, sc, other, j < i) {
					first = append(first, c)
				}
			}
			play := func() {
				defer close(played[sc.Name])
				for _, c := range first {
					select {
					case <-c:
					case <-ctx.Done():
					}
				}
				p.play(ctx, st, sc, p.run.takes[st.Combination])
			}
			switch {
			case phase == scenario.Mutate:
				play()
			case st.Limited():
				inTurn[st.Limit] = append(inTurn[st.Limit], play)
			case sc.Phase == scenario.Quiet:
				quiet.Go(play)
			case p.run.watching[sc.Name]:
				wg.Go(play)
			default:
				talkers = append(talkers, play)
			}
		}
	}
	for _, play := range talkers {
		wg.Go(play)
	}
	for _, plays := range inTurn {
		wg.Go(func() {
			for _, play := range plays {
				play()
			}
		})
	}
	wg.Wait()
	if phase == scenario.Quiet {
		quiet.Wait()
	}
}

// follows reports whether a scenario is played when another one of its phase is over. Where sessions are
// cheap, or scenarios take turns in the order of the plan, only what it builds on counts. behind is their
// order there.
func follows(st *pool.Pool, sc, other *scenario.Scenario, behind bool) bool {
	if slices.Contains(sc.After, other.Name) {
		return true
	}
	if sc == other || st.Limited() || !st.OnStdio() {
		return false
	}
	switch sc.In {
	case scenario.Opening, scenario.Unopened: // what one leaves is for the next
		return behind && other.In == sc.In
	case scenario.Expendable:
		return other.In == scenario.Opening
	case scenario.Closing:
		return behind
	}
	return false
}

// play plays one scenario when there is a place for it.
func (p *player) play(ctx context.Context, st *pool.Pool, sc *scenario.Scenario, take *Take) {
	if p.take(ctx, st, sc, take) {
		return
	}
	defer st.Limit.Turn()()
	places := p.run.jobs
	if !st.Facts.Owned && p.run.watching[sc.Name] {
		places = p.run.watches
	}
	places <- struct{}{}
	defer func() { <-places }()
	p.tell(Event{Kind: Playing, Combination: st.Combination, Title: sc.Title}, 0)
	earlier := p.recorded(take)
	began := time.Now()
	rec := perform(ctx, st, sc, earlier)
	if only := p.once[once{st.Endpoint, sc.Name}]; only != nil && only.by == st {
		only.rec = rec
		close(only.played)
	}
	if context.Cause(ctx) != nil {
		p.mu.Lock()
		take.Unfinished[sc.Name] = true
		p.mu.Unlock()
	}
	p.note(st, sc, take, rec, time.Since(began))
}

// note adds what was recorded.
func (p *player) note(st *pool.Pool, sc *scenario.Scenario, take *Take, rec *recording.Recording,
	took time.Duration) {
	p.mu.Lock()
	take.Recordings[sc.Name], take.Took[sc.Name] = rec, took
	p.mu.Unlock()
	if p.heard != nil {
		p.heard(rec)
	}
	p.tell(Event{Kind: Played, Combination: st.Combination, Title: sc.Title}, 1)
}

// once names a scenario that is played once at an endpoint.
type once struct {
	*target.Endpoint
	recording.Name
}

// onlyPlay is its recording, which is there when it was played.
type onlyPlay struct {
	by     *pool.Pool
	played chan struct{}
	rec    *recording.Recording
}

// share finds out which scenarios are played for several combinations, and in which: the newest one that has
// them.
func (p *player) share(stages []*pool.Pool) {
	p.once = map[once]*onlyPlay{}
	for _, st := range slices.Backward(stages) {
		for _, sc := range p.plans[st] {
			at := once{st.Endpoint, sc.Name}
			first := sc.In == scenario.Unopened && p.once[at] == nil
			if first && independent(st) && !st.Modern() {
				p.once[at] = &onlyPlay{by: st, played: make(chan struct{})}
			}
		}
	}
}

// take waits for the recording of a scenario that is played in another combination, and takes it over; false
// if there is none.
func (p *player) take(ctx context.Context, st *pool.Pool, sc *scenario.Scenario, take *Take) bool {
	only := p.once[once{st.Endpoint, sc.Name}]
	if only == nil || only.by == st || st.Modern() {
		return false
	}
	p.tell(Event{Kind: Playing, Combination: st.Combination, Title: sc.Title}, 0)
	rec := &recording.Recording{Scenario: sc.Name, Combination: st.Combination, Facts: st.Facts}
	select {
	case <-only.played:
		was := only.rec
		for _, s := range was.Sessions { // what comes when they end belongs to it as well
			select {
			case <-s.Completed():
			case <-ctx.Done():
			}
		}
		rec.Sessions, rec.Exchanges, rec.Marks, rec.Parts = was.Sessions, was.Exchanges, was.Marks, was.Parts
		rec.Broken, rec.Skipped, rec.Cut = was.Broken, was.Skipped, was.Cut
	case <-ctx.Done():
		rec = perform(ctx, st, sc, nil)
	}
	p.note(st, sc, take, rec, 0)
	return true
}

// recorded is what was recorded so far, or else before.
func (p *player) recorded(take *Take) map[recording.Name]*recording.Recording {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(take.Recordings)
	for name, rec := range p.earlier {
		if all[name] == nil {
			all[name] = rec
		}
	}
	return all
}

// perform plays a scenario, unless the run is over.
func perform(ctx context.Context, st *pool.Pool, sc *scenario.Scenario,
	earlier map[recording.Name]*recording.Recording) *recording.Recording {
	if cause := context.Cause(ctx); cause != nil {
		return &recording.Recording{Scenario: sc.Name, Combination: st.Combination, Facts: st.Facts,
			Broken: &recording.Broken{Code: recording.CodeInterrupted, Reason: cause.Error()}}
	}
	return scenario.Perform(ctx, st.Stage, sc, earlier)
}

// tell reports progress, one event at a time.
func (p *player) tell(e Event, step int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done += step
	e.Done, e.Total = p.done, p.total
	p.run.cfg.Progress(e)
}

// Take is what was recorded in a combination; nil if nothing was. It may be
// called once Execute has returned.
func (r *Run) Take(c requirement.Combination) *Take { return r.takes[c] }

// Combinations lists the combinations of the run, in the order of the grid.
func (r *Run) Combinations() []requirement.Combination {
	var all []requirement.Combination
	for _, st := range r.stages {
		all = append(all, st.Combination)
	}
	if r.recorded != nil {
		all = slices.Collect(maps.Keys(r.takes))
		sortCombinations(all)
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
