package engine

import (
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// early gives verdicts while the run goes on: see the documentation of the package for
// which of them, and why no others.
type early struct {
	run  *Run
	over chan struct{}           // closed when everything was played and every session was closed
	red  func(*Judgement, *Take) // is told of verdicts that are red so far
	busy sync.WaitGroup

	stages map[requirement.Combination]*pool.Pool

	mu       sync.Mutex
	complete map[requirement.Combination]*Take // recordings that cannot change any more
	waiting  map[requirement.Combination][]*waitingRow
}

// waitingRow is a row whose recordings are not complete yet.
type waitingRow struct {
	Row
	missing []recording.Name
}

// begin gives the verdicts for which nothing has to be played, and notes what the other
// rows wait for.
func (r *Run) begin(plans map[*pool.Pool][]*scenario.Scenario, red func(*Judgement, *Take)) *early {
	e := &early{run: r, over: make(chan struct{}), red: red, stages: map[requirement.Combination]*pool.Pool{}, complete: map[requirement.Combination]*Take{}, waiting: map[requirement.Combination][]*waitingRow{}}
	played := map[requirement.Combination][]recording.Name{}
	mortal := map[requirement.Combination]bool{} // what is played may be dropped: see withoutDeaths
	for st, plan := range plans {
		mortal[st.Combination] = st.Endpoint.Server() != nil
		e.stages[st.Combination] = st
		e.complete[st.Combination] = newTake(st.Facts)
		for _, sc := range plan {
			played[st.Combination] = append(played[st.Combination], sc.Name)
		}
	}
	for _, row := range r.rows {
		k, ok := r.catalogue.Check(row.Requirement.ID)
		c := row.Combination
		switch {
		case !ok || r.settled(row, k):
			e.judge(row, e.complete[c])
		case selfContained(k) && !mortal[c]:
			missing := slices.DeleteFunc(k.Inputs(), func(name recording.Name) bool { return !slices.Contains(played[c], name) })
			if len(missing) == 0 {
				e.judge(row, e.complete[c])
				continue
			}
			e.waiting[c] = append(e.waiting[c], &waitingRow{row, missing})
		}
	}
	return e
}

// settled reports whether there is nothing to judge in a row, whatever is recorded.
func (r *Run) settled(row Row, k *verdict.Check) bool {
	facts := r.takes[row.Combination].Facts
	_, out := r.cfg.Target.OptedOut(row.Requirement.ID)
	return out || row.Requirement.Untestable != "" || row.Requirement.GradeIn(row.Combination.Revision) == requirement.Control ||
		slices.ContainsFunc(k.Needs, func(g verdict.Gate) bool { return g(facts) != nil })
}

// played takes note of a recording. As soon as it cannot change any more, the rows for
// which it is the last one are judged.
func (e *early) played(rec *recording.Recording) {
	shared, ok := e.shared(rec)
	if !ok {
		return
	}
	e.busy.Go(func() {
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
	return !slices.ContainsFunc(k.Inputs(), func(name recording.Name) bool { return name == recording.Everything || name == recording.Every })
}

// shared lists the sessions that scripts shared in which something of a recording happened. It
// reports whether they, and all others in it, end before the run does, with nothing left under way.
func (e *early) shared(rec *recording.Recording) (all []*recording.Session, ok bool) {
	for _, x := range rec.Exchanges {
		switch {
		case x.Outcome == "":
			return nil, false
		case rec.Session(x.Session) != nil || slices.ContainsFunc(all, func(s *recording.Session) bool { return s.ID == x.Session }):
			continue
		}
		st := e.stages[rec.Combination]
		if !cheap(st) {
			return nil, false // they are in use until then
		}
		used := st.Used()
		i := slices.IndexFunc(used, func(s *recording.Session) bool { return s.ID == x.Session })
		if i < 0 {
			return nil, false
		}
		all = append(all, used[i])
	}
	return all, true
}

// add notes that a recording is complete. It returns the rows for which it was the last
// one, and all that is complete in its combination.
func (e *early) add(rec *recording.Recording) (ready []Row, take *Take) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := rec.Combination
	before := e.complete[c]
	take = &Take{Facts: e.stages[c].Known(), Recordings: maps.Clone(before.Recordings)}
	take.Recordings[rec.Scenario] = rec
	e.complete[c] = take
	for _, w := range e.waiting[c] {
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
		e.red(j, take)
	}
}

// end waits until nothing is judged any more. framed tells then which recordings have
// their frames.
func (e *early) end() (framed func(*recording.Recording) bool) {
	close(e.over)
	e.busy.Wait()
	return func(rec *recording.Recording) bool {
		take := e.complete[rec.Combination]
		return take != nil && take.Recordings[rec.Scenario] == rec
	}
}
