package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/check"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Judgement is the verdict on one row.
type Judgement struct {
	Row
	check.Result
	Took time.Duration
}

// judge judges all rows and confirms the red ones.
func (r *Run) judge(ctx context.Context) {
	var red []*Judgement
	for _, row := range r.rows {
		j := r.row(row, r.takes[row.Combination])
		r.out[key{row.Requirement.ID, row.Combination}] = j
		if j.Outcome.Red() {
			red = append(red, j)
		}
	}
	if len(red) > 0 && context.Cause(ctx) == nil {
		r.confirm(ctx, red)
	}
	if r.ended == nil {
		r.ended = context.Cause(ctx)
	}
}

// row judges one row on what was recorded.
func (r *Run) row(row Row, take *Take) *Judgement {
	j := &Judgement{Row: row}
	j.Result = Judge(row, take, r.cfg.Target)
	if why := unprovoked(take); why != "" && j.Outcome.Red() && restsOnLoss(j, take) {
		j.Result = check.Result{Outcome: check.Blocked, Code: recording.CodeDied, From: j.From, Frames: j.Frames,
			Reason: "the target also ends when nothing is wrong with what it was sent: " + why}
	}
	if k, ok := check.Find(row.Requirement.ID); ok {
		for _, name := range k.From {
			j.Took += take.Took[name]
		}
	}
	if j.Outcome == check.Blocked && j.Code == recording.CodeInterrupted {
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

// Judge is the verdict on a row by what was recorded in its combination. It
// depends on nothing else, so that a recorded run can be judged again.
func Judge(row Row, take *Take, t *target.Target) check.Result {
	req := row.Requirement
	if t != nil {
		if why, ok := t.OptedOut(req.ID); ok {
			return check.Result{Outcome: check.NotApplicable, Code: recording.CodeOptedOut, Reason: "opted out in the target file: " + why}
		}
	}
	if req.Untestable != "" {
		return check.Result{Outcome: check.NotApplicable, Code: recording.CodeUntestable, Reason: req.Untestable}
	}
	if req.GradeIn(row.Combination.Revision) == requirement.Control {
		return check.Result{Outcome: check.NotApplicable, Code: recording.CodePermission, Reason: "a permission: there is nothing to violate"}
	}
	k, ok := check.Find(req.ID)
	if !ok {
		return check.Result{Outcome: check.NotApplicable, Code: recording.CodeNoCheck, Reason: "this release has no check for it"}
	}
	return check.Evaluate(k, req, take.Facts, take.Recordings)
}

// confirm plays the scenarios of red verdicts once more, on sessions of their
// own, and judges again. Where the two disagree the milder verdict stands and
// the disagreement is an observation: nobody is accused of what happens once.
func (r *Run) confirm(ctx context.Context, red []*Judgement) {
	r.cfg.Progress(Event{Kind: Confirming, Total: len(red)})
	again := map[requirement.Combination]*Take{}
	plans := map[*scenario.Stage][]*scenario.Scenario{}
	var stages []*scenario.Stage
	for _, st := range r.stages {
		needed := map[recording.Name]bool{}
		for _, j := range red {
			if j.Combination == st.Combination {
				r.repeat(needed, j)
			}
		}
		if len(needed) == 0 {
			continue
		}
		second := r.newStage(r.endpointOf(st), st.Facts)
		take := newTake(st.Facts)
		for name, rec := range r.takes[st.Combination].Recordings {
			if !needed[name] && name != recording.Everything {
				take.Recordings[name] = rec
			}
		}
		again[st.Combination], plans[second] = take, inOrder(needed)
		stages = append(stages, second)
	}
	total := 0
	for _, plan := range plans {
		total += len(plan)
	}
	b := &board{run: r, slots: make(chan struct{}, r.cfg.Jobs), total: total}
	for _, phase := range scenario.Phases() {
		b.phase(ctx, stages, plans, again, phase)
	}
	closeStages(stages, again)
	if context.Cause(ctx) != nil {
		return // half a repetition settles nothing, nor is it recorded
	}
	r.gatherAgain(again, plans)
	r.again = again
	for _, j := range red {
		if take := again[j.Combination]; take != nil {
			settle(j, r.row(j.Row, take))
		}
	}
}

// gatherAgain is gather for the second takes: recordings that were taken over
// from the first one have their frames.
func (r *Run) gatherAgain(again map[requirement.Combination]*Take, plans map[*scenario.Stage][]*scenario.Scenario) {
	for st, plan := range plans {
		take := again[st.Combination]
		fresh := newTake(take.Facts)
		fresh.Sessions = take.Sessions
		for _, sc := range plan {
			fresh.Recordings[sc.Name] = take.Recordings[sc.Name]
		}
		r.gather(map[requirement.Combination]*Take{st.Combination: fresh})
		for name, rec := range fresh.Recordings {
			take.Recordings[name] = rec
		}
	}
}

// repeat names the scenarios that have to be played again for a red verdict.
// Where a check judges all frames they are those in which its evidence occurred,
// and, for what came unasked on a session that scripts share, those that were
// talking in that session at the time; if none was, all of them.
func (r *Run) repeat(needed map[recording.Name]bool, j *Judgement) {
	take := r.takes[j.Combination]
	for _, name := range j.From {
		if name != recording.Everything {
			if sc, ok := scenario.Find(name); ok {
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
			if sc, ok := scenario.Find(other); ok && (around[other] || len(around) == 0 && sc.Phase <= scenario.Quiet) {
				needed[other] = true
			}
		}
	}
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

func (r *Run) endpointOf(st *scenario.Stage) *endpoint {
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
	told := check.Observation{
		ID:     "inconsistent",
		Detail: fmt.Sprintf("the first time: %s (%s); the second time: %s%s", first.Outcome, first.Actual, second.Outcome, inBrackets(second)),
		Frames: append(slices.Clone(first.Frames), second.Frames...),
	}
	observations := append(first.Observations, told)
	if first.Outcome == check.Warn && second.Outcome == check.Fail {
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

// Await waits for the verdict on a row; ok is false if the context ends first.
func (r *Run) Await(ctx context.Context, row Row) (j *Judgement, ok bool) {
	select {
	case <-r.done:
		return r.out[key{row.Requirement.ID, row.Combination}], true
	case <-ctx.Done():
		return nil, false
	}
}
