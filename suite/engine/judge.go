package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Judgement is the verdict on one row.
type Judgement struct {
	Row
	verdict.Result
}

// judge judges all rows that are left and confirms the red ones. Red and blocked verdicts
// are given when all of them are known: how they look depends on one another.
func (r *Run) judge(ctx context.Context) {
	var red, late []*Judgement
	for _, c := range r.Combinations() {
		for _, j := range r.rest(c) {
			switch {
			case j.Outcome.Red():
				red, late = append(red, j), append(late, j)
			case j.Outcome == verdict.Blocked:
				late = append(late, j)
			default:
				r.results.give(j)
			}
		}
	}
	if len(red) > 0 && context.Cause(ctx) == nil {
		r.confirm(ctx, slices.DeleteFunc(red, func(j *Judgement) bool { return r.takes[j.Combination].Facts.Notes[recording.FactGone] != "" }))
		r.ended = context.Cause(ctx)
	}
	for _, j := range late {
		r.results.give(j)
	}
}

// rest judges the rows of a combination that have no verdict yet.
func (r *Run) rest(c requirement.Combination) (all []*Judgement) {
	take := r.takes[c]
	for _, row := range r.rows {
		if row.Combination == c && r.results.given(row) == nil {
			all = append(all, r.row(row, take))
		}
	}
	for _, rec := range take.Recordings {
		rec.Forget()
	}
	return all
}

// row judges one row on what was recorded, in the light of how the run ended.
func (r *Run) row(row Row, take *Take) *Judgement {
	j := &Judgement{Row: row, Result: r.verdict(row, take)}
	if result, gone := endedBlocked(j, take); gone {
		j.Result = result
	}
	if why := unprovoked(take); why != "" && j.Outcome.Red() && restsOnLoss(j, take) {
		j.Result = verdict.Result{Outcome: verdict.Blocked, Code: recording.CodeDied, From: j.From, Frames: j.Frames,
			Reason: "the target also ends when nothing is wrong with what it was sent: " + why}
	}
	if j.Outcome == verdict.Blocked && j.Code == recording.CodeInterrupted {
		switch {
		case errors.Is(r.ended, ErrBudget):
			j.Code, j.Reason = recording.CodeBudget, ErrBudget.Error()
		case errors.Is(r.ended, ErrVolume):
			j.Code, j.Reason = recording.CodeVolume, ErrVolume.Error()
		}
	}
	return j
}

// unprovoked is how a process of the target ended in a session in which it was
// sent nothing out of order; empty if none did. What it cannot bear is then not
// to be told from what it would have died of anyway.
func unprovoked(take *Take) string {
	if !take.Facts.Owned {
		return "" // sessions are not processes of their own
	}
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		for _, s := range take.Recordings[name].Sessions {
			if s.Kind == recording.Clean && s.Lost != "" {
				return s.Lost
			}
		}
	}
	return ""
}

// restsOnLoss reports whether the evidence of a verdict is nothing but probes over
// which a session was lost.
func restsOnLoss(j *Judgement, take *Take) bool {
	lost := false
	for _, name := range j.From {
		rec := take.Recordings[name]
		if rec == nil {
			continue
		}
		for _, x := range rec.Exchanges {
			gone := x.Fatal || x.Outcome == recording.Lost || x.Outcome == recording.Unsent
			if len(j.Frames) == 0 { // what could not be sent left no frame
				lost = lost || gone
				continue
			}
			if !slices.ContainsFunc(x.Evidence(), func(n int) bool { return slices.Contains(j.Frames, n) }) {
				continue
			}
			if x.Outcome == recording.Replied || gone && x.Kind == recording.Clean {
				return false // that correct messages cost the session is itself the finding
			}
			lost = lost || gone
		}
	}
	return lost
}

// verdict is the verdict on a row by what was recorded in its combination. It
// depends on nothing else, so that a recorded run can be judged again.
func (r *Run) verdict(row Row, take *Take) verdict.Result {
	req := row.Requirement
	if why, ok := r.cfg.Target.OptedOut(req.ID); ok {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeOptedOut, Reason: "opted out in the target file: " + why}
	}
	if req.Untestable != "" {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeUntestable, Reason: req.Untestable}
	}
	if req.GradeIn(row.Combination.Revision) == requirement.Control {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodePermission, Reason: "a permission: there is nothing to violate"}
	}
	k, ok := r.check(req.ID)
	if !ok {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeNoCheck, Reason: "this release has no check for it"}
	}
	return verdict.Evaluate(k, req, take.Facts, take.Recordings)
}

// confirm plays the scenarios of red verdicts once more, on sessions of their
// own, and judges again. Where the two disagree the milder verdict stands and
// the disagreement is an observation: nobody is accused of what happens once.
func (r *Run) confirm(ctx context.Context, red []*Judgement) {
	if len(red) == 0 {
		return
	}
	r.cfg.Progress(Event{Kind: Confirming, Total: len(red)})
	if again := r.replay(ctx, red); again != nil {
		r.again = again
		r.settleAll(red, again)
	}
}

// settleAll settles red verdicts by takes that repeat them.
func (r *Run) settleAll(red []*Judgement, takes map[requirement.Combination]*Take) {
	for _, j := range red {
		if take := takes[j.Combination]; take != nil && j.Outcome.Red() {
			settle(j, r.row(j.Row, take))
		}
	}
}

// replay plays the scenarios of red verdicts again, on new stages, and returns what
// was recorded, together with what else was recorded before; nil if it settles
// nothing.
//
// Copies of a program may be in each other's way: they fight over a port or a lock. So
// where we start them, no more stand at once than a script needs.
func (r *Run) replay(ctx context.Context, red []*Judgement) map[requirement.Combination]*Take {
	r.hurry(red)
	again, plans := map[requirement.Combination]*Take{}, map[*pool.Pool][]*scenario.Scenario{}
	var stages, alone []*pool.Pool
	turns := map[*endpoint]*pool.Limit{}
	p := &player{run: r}
	for _, st := range r.stages {
		before := r.takes[st.Combination]
		take, needed := r.retake(red, st.Combination, before)
		if len(needed) == 0 {
			continue
		}
		e, plan := r.endpointOf(st), r.inOrder(needed)
		limit, to := e.limit, &stages
		if e.Owned() && limit == nil {
			if turns[e] == nil {
				turns[e] = pool.Turns()
			}
			limit, to = turns[e], &alone
			cleanFirst(plan, before)
		}
		second := r.newStage(e, limit, st.Facts)
		*to = append(*to, second)
		again[st.Combination], plans[second] = take, plan
		p.total += len(plan)
	}
	p.phases(ctx, stages, plans, again)
	for _, st := range alone { // else they would take each other's processes away
		p.phases(ctx, []*pool.Pool{st}, plans, again)
	}
	stages = append(stages, alone...)
	closeStages(stages, again)
	r.noteGone(ctx, stages, again)
	if context.Cause(ctx) != nil {
		return nil // half a repetition settles nothing, nor is it recorded
	}
	for c, take := range again {
		if take.Facts.Notes[recording.FactGone] != "" {
			// Neither does one that the target did not live to see.
			delete(again, c)
			delete(take.Facts.Notes, recording.FactGone)
		}
	}
	r.gatherAgain(again, plans)
	return again
}

// retake names the scenarios that have to be played again in a combination. The take holds
// what was recorded before of all others.
func (r *Run) retake(red []*Judgement, c requirement.Combination, before *Take) (take *Take, needed map[recording.Name]bool) {
	needed = map[recording.Name]bool{}
	for _, j := range red {
		if j.Combination == c {
			r.repeat(needed, j, before)
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

// cleanFirst puts scenarios that needed a clean session before those of their phase that only
// borrowed one, so that those which share a session follow one another. What sent nothing, and
// what others build on, stays in front.
func cleanFirst(plan []*scenario.Scenario, before *Take) {
	probes := func(sc *scenario.Scenario) int {
		rec := before.Recordings[sc.Name]
		if rec == nil || len(rec.Exchanges) == 0 || slices.ContainsFunc(plan, func(other *scenario.Scenario) bool { return slices.Contains(other.After, sc.Name) }) {
			return 0
		}
		if slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return x.Kind == recording.Clean }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(plan, func(a, b *scenario.Scenario) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), probes(a)-probes(b), rank(a)-rank(b))
	})
}

// hurry has processes that were seen not to exit for the end of their input terminated
// sooner, while verdicts are repeated that do not look at that: the scenarios of some are
// repeated one after the other, each with a process that would have to be waited for.
func (r *Run) hurry(red []*Judgement) {
	looks := slices.ContainsFunc(red, func(j *Judgement) bool {
		k, ok := r.check(j.Requirement.ID)
		return ok && k.Endings
	})
	for _, e := range r.endpoints {
		if p, ok := e.dialer.(interface{ Hurry(on bool) }); ok {
			p.Hurry(!looks && r.stays(e))
		}
	}
}

// stays reports whether the processes of an endpoint had to be terminated when they were
// waited for in full, and none exited by itself.
func (r *Run) stays(e *endpoint) bool {
	ends := map[string]int{}
	for _, st := range r.stages {
		take := r.takes[st.Combination]
		if st.Endpoint != e.Endpoint || take == nil || take.Recordings[recording.Everything] == nil {
			continue
		}
		for _, s := range take.Recordings[recording.Everything].Sessions {
			if end := s.Ending; end != nil && end.By == "us" && end.Reason == "" {
				ends[end.How]++
			}
		}
	}
	return ends["exited"] == 0 && ends["terminated"]+ends["killed"] > 0
}

// gatherAgain is gather for the second takes: recordings that were taken over
// from the first one have their frames.
func (r *Run) gatherAgain(again map[requirement.Combination]*Take, plans map[*pool.Pool][]*scenario.Scenario) {
	for st, plan := range plans {
		take := again[st.Combination]
		if take == nil {
			continue
		}
		fresh := newTake(take.Facts)
		fresh.Sessions, fresh.Retried = take.Sessions, take.Retried
		for _, sc := range plan {
			fresh.Recordings[sc.Name] = take.Recordings[sc.Name]
		}
		r.gather(map[requirement.Combination]*Take{st.Combination: fresh}, func(*recording.Recording) bool { return false })
		for name, rec := range fresh.Recordings {
			take.Recordings[name] = rec
		}
	}
}

// repeat names the scenarios that have to be played again for a red verdict.
// Where a check judges all frames they are those in which its evidence occurred,
// and, for what came unasked on a session that scripts share, those that were
// talking in that session at the time; if none was, all of them. How processes end
// shows in a few scenarios as well as in all.
func (r *Run) repeat(needed map[recording.Name]bool, j *Judgement, take *Take) {
	if few := r.endings(j, take); len(few) > 0 {
		for _, name := range few {
			needed[name] = true
		}
		return
	}
	for _, name := range j.From {
		if name != recording.Everything {
			if sc, ok := r.scenario(name); ok {
				needed[sc.Name] = true
			}
			continue
		}
		around := map[recording.Name]bool{}
		for other, rec := range take.Recordings {
			if other != recording.Everything && slices.ContainsFunc(j.Frames, func(n int) bool { return r.around(rec, n) }) {
				around[other] = true
			}
		}
		for other := range take.Recordings {
			if sc, ok := r.scenario(other); ok && (around[other] || len(around) == 0 && sc.Phase <= scenario.Quiet) {
				needed[other] = true
			}
		}
	}
}

// endings names some scenarios with a process of their own that did not end with its
// input, if that is all that a verdict rests on: else there are none.
func (r *Run) endings(j *Judgement, take *Take) []recording.Name {
	k, ok := r.check(j.Requirement.ID)
	if !ok || !k.Endings || len(j.Frames) > 0 {
		return nil
	}
	const some = 2
	var names []recording.Name
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		sc, ok := r.scenario(name)
		if ok && sc.Phase <= scenario.Quiet && len(names) < some && slices.ContainsFunc(take.Recordings[name].Sessions, stayed) {
			names = append(names, name)
		}
	}
	return names
}

// stayed reports whether the process of a clean session had to be terminated.
func stayed(s *recording.Session) bool {
	end := s.Ending
	return s.Kind == recording.Clean && end != nil && end.By == "us" && end.Reason == "" && end.How != "exited"
}

// around reports whether a frame belongs to a recording, or came in a session
// while the recorded script awaited an answer there or had just got one.
func (r *Run) around(rec *recording.Recording, number int) bool {
	if rec.Frame(number) != nil {
		return true
	}
	f, ok := r.transcript.Frame(number)
	return ok && slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == f.Session && x.Sent <= f.At && f.At <= x.Sent+x.Took+r.cfg.QuietWindow
	})
}

func (r *Run) endpointOf(st *pool.Pool) *endpoint {
	for _, e := range r.endpoints {
		if e.Endpoint == st.Endpoint {
			return e
		}
	}
	return nil
}

// settle settles a red verdict by its repetition.
func settle(first, second *Judgement) {
	if first.Outcome == second.Outcome {
		return
	}
	told := verdict.Observation{
		ID:     "inconsistent",
		Detail: fmt.Sprintf("the first time: %s (%s); the second time: %s%s", first.Outcome, first.Actual, second.Outcome, inBrackets(second)),
		Frames: append(slices.Clone(first.Frames), second.Frames...),
	}
	observations := append(first.Observations, told)
	if first.Outcome == verdict.Warn && second.Outcome == verdict.Fail {
		first.Observations = observations
		return
	}
	first.Result = second.Result
	first.Observations = observations
}

func inBrackets(j *Judgement) string {
	switch {
	case j.Actual != "":
		return " (" + j.Actual + ")"
	case j.Reason != "":
		return " (" + j.Reason + ")"
	}
	return ""
}
