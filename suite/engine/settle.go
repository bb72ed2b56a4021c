package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// conclude settles a verdict that is red, blocked or given on a sample by its repetition. A red one without a
// repetition is not confirmed.
func (r *Run) conclude(j *Judgement) {
	first, again := r.takes[j.Combination], r.again[j.Combination]
	erratic := first.Facts.Notes[recording.FactErratic+j.Requirement.ID]
	switch {
	case r.seenEarly(j):
		if erratic != "" {
			unconfirmed(j, erratic)
		}
	case j.Outcome.Red() && again != nil:
		second, cut := r.row(j.Row, again), cutOff(j.From, first, again)
		short := r.cutShort(j, second, again)
		_, silent := saysNothing(second, cut)
		seen := 0
		if short || second.Outcome != j.Outcome {
			seen = r.seen(j)
		}
		switch {
		case seen > 2 || seen == 2 && (short || silent):
		case short:
			unconfirmed(j, r.unrepeated(first))
		case erratic != "" && second.Outcome.Red():
			unconfirmed(j, erratic)
		default:
			settle(j, second, cut)
		}
	case j.Outcome.Red() && !isTheEnd(j, first) && !(r.recorded != nil && r.whole(first)) && r.seen(j) < 2:
		first.Facts.Notes[recording.FactUnrepeated] = r.unrepeated(first) // for whoever judges the recording again
		unconfirmed(j, first.Facts.Notes[recording.FactUnrepeated])
	case again != nil && sampled(j, first):
		complete(j, r.row(j.Row, again))
	case again != nil && healable(j):
		heal(j, r.row(j.Row, again))
	}
}

// cutShort reports whether a red verdict is not settled by its repetition since the time for the whole
// run ended over it. What was seen in all frames and is in some of them is seen again, unless it
// depends on how sessions end, and that was hastened.
func (r *Run) cutShort(first, second *Judgement, again *Take) bool {
	if len(again.Unfinished) == 0 {
		return false
	}
	if slices.Contains(first.From, recording.Everything) {
		k, ok := r.catalogue.Check(first.Requirement.ID)
		return second.Outcome != first.Outcome || again.Unfinished[recording.Everything] && ok && k.Endings
	}
	return slices.ContainsFunc(first.From, func(name recording.Name) bool { return again.Unfinished[name] })
}

// seen is how often a red verdict on all frames was seen in the first play: how many sessions lead to it, each by itself and for the same
// cause, at different times. Two confirm it where its repetition is missing, was cut off or gave no occasion for it, three also where that
// shows nothing: what happens now and then, a short repetition may miss. What one session shows many times was seen once, and so was what several
// show within a window of silence: one event may reach them all. What rests on time, or on the loss of sessions, may come of a busy machine.
func (r *Run) seen(j *Judgement) (n int) {
	first := r.takes[j.Combination]
	all := first.Recordings[recording.Everything]
	k, ok := r.catalogue.Check(j.Requirement.ID)
	if !ok || all == nil || !slices.Contains(j.From, recording.Everything) || r.restsOnTime(j, first) || restsOnLoss(j, first) {
		return 0
	}
	var times []time.Duration
	for _, s := range all.Sessions {
		take := newTake(first.Facts)
		for _, name := range k.With {
			take.Recordings[name] = first.Recordings[name]
		}
		one := &recording.Recording{Scenario: all.Scenario, Combination: all.Combination, Facts: all.Facts, Sessions: []*recording.Session{s},
			Exchanges: recording.Keep(all.Exchanges, func(x *recording.Exchange) bool { return x.Session == s.ID }),
			Frames:    recording.Keep(all.Frames, func(f wire.Frame) bool { return f.Session == s.ID })}
		take.Recordings[recording.Everything] = one
		seen := r.verdict(j.Row, take)
		if seen.Outcome != j.Outcome || cmp.Or(seen.Cause, seen.Expected) != cmp.Or(j.Cause, j.Expected) || len(seen.Frames) == 0 {
			continue
		}
		if f := one.Frame(slices.Max(seen.Frames)); f != nil {
			times = append(times, f.At)
		}
	}
	slices.Sort(times)
	for i, last := 0, time.Duration(0); i < len(times); i++ {
		if n == 0 || times[i]-last > r.cfg.QuietWindow {
			n, last = n+1, times[i]
		}
	}
	return n
}

// whole reports whether nothing kept a take from being repeated: one that was recorded had
// nothing red then, and what is red in it now cannot be repeated any more.
func (r *Run) whole(take *Take) bool {
	return r.ended == nil && take.Facts.Notes[recording.FactGone] == "" && take.Facts.Notes[recording.FactUnrepeated] == ""
}

// unrepeated is why nothing was repeated.
func (r *Run) unrepeated(take *Take) string {
	switch {
	case take.Facts.Notes[recording.FactUnrepeated] != "":
		return take.Facts.Notes[recording.FactUnrepeated]
	case take.Facts.Notes[recording.FactGone] != "":
		return take.Facts.Notes[recording.FactGone]
	case r.ended != nil:
		_, cause := endedBy(r.ended)
		return cause.Error()
	}
	return "the target could not be reached any more"
}

// isTheEnd reports whether a verdict is about the message after which the target was gone for
// good. That it was gone has been looked at several times.
func isTheEnd(j *Judgement, take *Take) bool {
	last, err := strconv.Atoi(take.Facts.Notes[recording.FactLastFrame])
	return err == nil && take.Facts.Notes[recording.FactLastAlone] == "true" && slices.Contains(j.Frames, last)
}

// cutOff is why a repetition shows less than the first play: a script broke off that had been
// played to its end, fewer of many probes were sent, or a message was lost that had been
// answered; empty if it does not.
func cutOff(names []recording.Name, first, second *Take) string {
	for _, name := range names {
		was, is := first.Recordings[name], second.Recordings[name]
		if was == nil || is == nil {
			continue
		}
		if is.Broken != nil && was.Broken == nil && is.Broken.Code != recording.CodeOptedOut {
			return is.Broken.Reason
		}
		if is.Cut != nil && (was.Cut == nil || is.Cut.Tried < was.Cut.Tried) {
			return is.Cut.String()
		}
		for _, x := range is.Exchanges {
			switch x.Outcome {
			case recording.Lost, recording.Unsent, recording.Canceled, recording.Refused:
				if y := was.Step(x.Step); y != nil && y.Outcome == recording.Replied {
					return x.Reason
				}
			}
		}
	}
	return ""
}

// saysNothing reports whether, and why, a repetition, which may have been cut off, says nothing about a red verdict.
func saysNothing(second *Judgement, cut string) (why string, nothing bool) {
	switch {
	case second.Code == recording.CodeCombination: // none of its recordings was made again
		return "its repetition left nothing to judge it by", true
	case second.Outcome == verdict.Blocked || second.Outcome == verdict.NotApplicable:
		return second.Reason, true
	}
	return cut, !second.Outcome.Red() && cut != ""
}

// settle settles a red verdict by its repetition, which may have been cut off. Where the two
// disagree the milder verdict stands and the disagreement is an observation; where the second
// one could not be given, or there was no occasion for it, nothing is confirmed.
func settle(first, second *Judgement, cut string) {
	if first.Outcome == second.Outcome {
		return
	}
	if why, silent := saysNothing(second, cut); silent {
		unconfirmed(first, why)
		return
	}
	observations := append(first.Observations, inconsistent(first, second))
	if first.Outcome == verdict.Warn && second.Outcome == verdict.Fail {
		first.Observations = observations
		return
	}
	first.Result = second.Result
	first.Observations = observations
}

// complete replaces a pass on a sample by the verdict of its repetition, for which there was more
// time: one that is red was seen once.
func complete(first, second *Judgement) {
	if second.Outcome == verdict.Pass {
		first.Result = second.Result
		return
	}
	heal(first, second)
}

// heal replaces a blocked verdict by that of its repetition, if this could be given. One that
// is red was seen once.
func heal(first, second *Judgement) {
	if second.Outcome == verdict.Blocked {
		return
	}
	why, observations := first.Reason, append(first.Observations, inconsistent(first, second))
	first.Result = second.Result
	first.Observations = observations
	if second.Outcome.Red() {
		unconfirmed(first, "the other time it could not be judged: "+why)
	}
}

// inconsistent is the observation that a repetition has led to another verdict.
func inconsistent(first, second *Judgement) verdict.Observation {
	return verdict.Observation{
		ID:     "inconsistent",
		Detail: fmt.Sprintf("the first time: %s%s; the second time: %s%s", first.Outcome, inBrackets(first), second.Outcome, inBrackets(second)),
		Frames: slices.Concat(first.Frames, second.Frames),
	}
}

// unconfirmed turns a red verdict into one that could not be established, since it was not
// seen a second time.
func unconfirmed(j *Judgement, why string) {
	seen := cmp.Or(j.Actual, j.Reason)
	j.Result = verdict.Result{
		Outcome: verdict.Blocked, Code: recording.CodeUnconfirmed, From: j.From, Frames: j.Frames, Observations: j.Observations,
		Expected: j.Expected, Actual: j.Actual,
		Reason: fmt.Sprintf("seen once (%s, %s) and not confirmed: %s", j.Outcome, seen, why),
	}
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
