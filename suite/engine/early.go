package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// early gives the verdicts of a combination while the run goes on: see the documentation of the package for
// which of them, and why no others.
type early struct {
	run   *Run
	stage *pool.Pool
	over  chan struct{} // closed when everything was played and every session was closed
	busy  sync.WaitGroup

	mu       sync.Mutex
	complete *Take // recordings that cannot change any more
	waiting  []*waitingRow
	judged   []chan struct{} // for each recording: closed when what can be judged on it was judged
	red      []*Judgement    // so far
}

// waitingRow is a row whose recordings are not complete yet.
type waitingRow struct {
	Row
	missing []recording.Name
}

// begin gives the verdicts for which nothing has to be played, and notes what the other
// rows wait for, by combination.
func (r *Run) begin(plans map[*pool.Pool][]*scenario.Scenario) map[requirement.Combination]*early {
	all := map[requirement.Combination]*early{}
	played := map[requirement.Combination][]recording.Name{}
	for st, plan := range plans {
		all[st.Combination] = &early{run: r, stage: st, over: make(chan struct{}),
			complete: newTake(st.Facts)}
		for _, sc := range plan {
			played[st.Combination] = append(played[st.Combination], sc.Name)
		}
	}
	for _, row := range r.rows {
		k, ok := r.catalogue.Check(row.Requirement.ID)
		e := all[row.Combination]
		mortal := e.stage.Endpoint.Server() != nil // what is played may be dropped: see withoutDeaths
		switch {
		case !ok || r.settled(row, k):
			e.judge(row, e.complete)
		case selfContained(k) && !mortal:
			missing := slices.DeleteFunc(k.Inputs(), func(name recording.Name) bool {
				return !slices.Contains(played[row.Combination], name)
			})
			if len(missing) == 0 {
				e.judge(row, e.complete)
				continue
			}
			e.waiting = append(e.waiting, &waitingRow{row, missing})
		}
	}
	return all
}

// settled reports whether there is nothing to judge in a row, whatever is recorded.
func (r *Run) settled(row Row, k *verdict.Check) bool {
	facts := r.takes[row.Combination].Facts
	_, out := r.cfg.Target.OptedOut(row.Requirement.ID)
	return out || row.Requirement.Untestable != "" ||
		row.Requirement.GradeIn(row.Combination.Revision) == requirement.Control ||
		slices.ContainsFunc(k.Needs, func(g verdict.Gate) bool { return g(facts) != nil })
}

// played takes note of a recording. As soon as it cannot change any more, the rows for
// which it is the last one are judged.
func (e *early) played(rec *recording.Recording) {
	shared, ok := e.shared(rec)
	if !ok {
		return
	}
	judged := make(chan struct{})
	e.mu.Lock()
	e.judged = append(e.judged, judged)
	e.mu.Unlock()
	e.busy.Go(func() {
		defer close(judged)
		for _, s := range slices.Concat(rec.Sessions, shared) {
			select {
			case <-s.Completed():
			case <-e.over:
				return // it has no end, as there was no connection
			}
		}
		e.run.frames(rec, shared)
		ready, take := e.add(rec)
		for _, row := range ready {
			e.judge(row, take)
		}
	})
}

// selfContained reports whether what a check looks at is recorded by single scenarios, and
// not put together from all of them.
func selfContained(k *verdict.Check) bool {
	return !slices.ContainsFunc(k.Inputs(), func(name recording.Name) bool {
		return name == recording.Everything || name == recording.Every
	})
}

// shared lists the sessions that scripts shared in which something of a recording happened. It
// reports whether they, and all others in it, end before the run does, with nothing left under way.
func (e *early) shared(rec *recording.Recording) (all []*recording.Session, ok bool) {
	for _, x := range rec.Exchanges {
		switch {
		case x.Outcome == "":
			return nil, false
		case rec.Session(x.Session) != nil || slices.ContainsFunc(all, func(s *recording.Session) bool {
			return s.ID == x.Session
		}):
			continue
		}
		if !cheap(e.stage) {
			return nil, false // they are in use until then
		}
		used := e.stage.Used()
		i := slices.IndexFunc(used, func(s *recording.Session) bool { return s.ID == x.Session })
		if i < 0 {
			return nil, false
		}
		all = append(all, used[i])
	}
	return all, true
}

// add notes that a recording is complete. It returns the rows for which it was the last
// one, and all that is complete in the combination.
func (e *early) add(rec *recording.Recording) (ready []Row, take *Take) {
	e.mu.Lock()
	defer e.mu.Unlock()
	take = &Take{Facts: e.stage.Known(), Recordings: maps.Clone(e.complete.Recordings)}
	take.Recordings[rec.Scenario] = rec
	e.complete = take
	for _, w := range e.waiting {
		if i := slices.Index(w.missing, rec.Scenario); i >= 0 {
			if w.missing = slices.Delete(w.missing, i, i+1); len(w.missing) == 0 {
				ready = append(ready, w.Row)
			}
		}
	}
	return ready, take
}

// judge gives the verdict on a row if it does not depend on how the run ends: only what
// may be repeated does.
func (e *early) judge(row Row, take *Take) {
	j := &Judgement{Row: row, Result: e.run.verdict(row, take)}
	if !repeats(j, take) {
		e.run.results.give(j)
	} else if j.Outcome.Red() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.red = append(e.red, j)
	}
}

// ahead plays rounds for what is red so far, before scenarios are played that may cost a target which nobody
// here can start again. They take no more than a part of the time that is left.
func (r *Run) ahead(ctx context.Context, all map[requirement.Combination]*early) {
	const part = 4
	deadline, _ := ctx.Deadline()
	bounded, stop := context.WithTimeout(ctx, time.Until(deadline)/part)
	defer stop()
	var red []*Judgement
	beside := false // others are played meanwhile
	for _, st := range r.stages {
		beside = beside || independent(st)
		if !independent(st) {
			found := all[st.Combination].await(bounded)
			if cheap(st) {
				red = append(red, found...)
			}
		}
	}
	if bounded.Err() != nil {
		return
	}
	r.confirm(bounded, red)
	for _, round := range r.rounds {
		for _, take := range round {
			take.Early = beside
		}
	}
}

// await waits until what was played so far is judged, as far as sessions have ended, and returns what is red.
func (e *early) await(ctx context.Context) []*Judgement {
	e.mu.Lock()
	all := slices.Clone(e.judged)
	e.mu.Unlock()
	for _, judged := range all {
		select {
		case <-judged:
		case <-ctx.Done():
			return nil
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.red)
}

// cheap reports whether sessions may come and go beside others: they are no processes of ours, their
// number is not limited, and nothing is made to change that would show in all of them.
func cheap(st *pool.Pool) bool {
	return !st.Facts.Owned && !st.Limited() && st.Endpoint.Server() == nil &&
		st.Target.Triggers == (target.Triggers{})
}

// end waits until nothing is judged any more, once every session was closed. framed tells then which
// recordings have their frames.
func (e *early) end() (framed func(*recording.Recording) bool) {
	close(e.over)
	e.busy.Wait()
	return func(rec *recording.Recording) bool { return e.complete.Recordings[rec.Scenario] == rec }
}
