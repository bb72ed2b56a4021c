package engine

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Judgement is the verdict on one row.
type Judgement struct {
	Row
	verdict.Result
}

// judgeTime is how long what is known may be judged once a run has to end.
const judgeTime = 5 * time.Second

// lasting is a context for judging: it ends some time after that for playing, unless all is
// judged before.
func lasting(ctx context.Context) (judging context.Context, judged func()) {
	judging, end := context.WithCancelCause(context.WithoutCancel(ctx))
	over := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-time.After(judgeTime):
			end(context.Cause(ctx))
		case <-over:
		}
	})
	return judging, func() { stop(); close(over) }
}

// judge judges all rows that are left and confirms those that may be repeated. These are given
// when all of them are known: how they look depends on one another.
func (r *Run) judge(ctx context.Context) {
	var late []*Judgement
	for _, c := range r.Combinations() {
		late = append(late, r.judgeLeft(c)...)
	}
	if cause := context.Cause(r.judging); cause != nil {
		r.ended = cause // not everything could be judged
	}
	r.confirm(ctx, late)
	if slices.ContainsFunc(late, r.lacks) { // while it was judged or repeated, the time for the whole run may have ended
		r.ended = cmp.Or(r.ended, context.Cause(ctx))
	}
	r.conclude(late)
	for take := range r.played() {
		take.forget()
	}
	for _, j := range late {
		r.results.give(j)
	}
}

// judgeLeft judges the rows of a combination that have no verdict yet, and gives those that a repetition
// does not change; the others it returns.
func (r *Run) judgeLeft(c requirement.Combination) (late []*Judgement) {
	take := r.takes[c]
	for _, row := range r.rows {
		if row.Combination != c || r.results.given(row) != nil {
			continue
		}
		if j := r.row(row, take); repeats(j, take) {
			late = append(late, j)
		} else {
			r.results.give(j)
		}
	}
	take.forget()
	return late
}

// forget drops what was worked out to judge a take.
func (t *Take) forget() {
	for _, rec := range t.Recordings {
		rec.Forget()
	}
}

// row judges one row on what was recorded, in the light of how the run ended.
func (r *Run) row(row Row, take *Take) *Judgement {
	j := &Judgement{Row: row, Result: r.verdict(row, take)}
	if result, gone := endedBlocked(j, take); gone {
		j.Result = result
	}
	if j.Outcome.Red() && restsOnLoss(j, take) {
		if why := r.unprovoked(take); why != "" {
			j.Result = verdict.Result{Outcome: verdict.Blocked, Code: recording.CodeDied, From: j.From, Frames: j.Frames,
				Reason: "the target also fails where nothing is wrong with what it was sent: " + why}
		}
	}
	if j.Outcome == verdict.Blocked && j.Code == recording.CodeInterrupted {
		if code, cause := endedBy(cmp.Or(r.ended, context.Cause(r.judging))); cause == ErrBudget || cause == ErrVolume {
			j.Code, j.Reason = code, cause.Error()
		}
	}
	return j
}

// unprovoked is how a process of the target ended in a session in which it was
// sent nothing out of order, or a connection was lost without that; empty if none was. What it cannot bear is then not
// to be told from what it would have died of anyway.
func (r *Run) unprovoked(take *Take) string {
	if !take.Facts.Owned { // sessions are not processes of their own
		return cmp.Or(killedServer(take), r.ordinaryLoss(take.Facts.Combination))
	}
	for _, name := range slices.Sorted(maps.Keys(take.Recordings)) {
		if why := verdict.Unprovoked(take.Recordings[name]); why != "" {
			return why
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
	k, ok := r.catalogue.Check(req.ID)
	if !ok {
		return verdict.Result{Outcome: verdict.NotApplicable, Code: recording.CodeNoCheck, Reason: "this release has no check for it"}
	}
	return verdict.EvaluateUntil(r.judging, k, req, take.Facts, take.Recordings)
}
