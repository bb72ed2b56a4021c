package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// conclude settles verdicts by what the rounds have shown. What the sightings of one are depends on its
// siblings as they were at first, so none is changed before all are known.
func (r *Run) conclude(late []*Judgement) {
	r.judged = map[judgedOn]*Judgement{}
	results, notes := make([]verdict.Result, len(late)), map[requirement.Combination]string{}
	for i, j := range late {
		results[i] = r.concluded(j, notes)
	}
	for i, j := range late {
		j.Result = results[i]
	}
	for c, why := range notes { // for whoever judges the recording again
		r.takes[c].Facts.Notes[recording.FactUnrepeated] = why
	}
}

// concluded is what becomes of a verdict.
func (r *Run) concluded(j *Judgement, notes map[requirement.Combination]string) verdict.Result {
	first := r.takes[j.Combination]
	r.excuse(j, first, r.played()) // by what was lost in the rounds as well
	switch {
	case j.Outcome.Red() && !isTheEnd(j, first):
		return r.settle(j, notes)
	case sampled(j, first), healable(j):
		for n := range r.rounds {
			if again := r.rounds[n][j.Combination]; again != nil && !again.Early && r.replayed(j, again) {
				return healed(j, r.again(j.Row, again))
			}
		}
	}
	return j.Result
}

// settle is what becomes of a red verdict by its sightings. Where a calm one shows otherwise, and too few
// others are against it, the milder verdict stands; that one has shown otherwise is an observation in any
// case. Why nothing was repeated is noted.
func (r *Run) settle(j *Judgement, notes map[requirement.Combination]string) verdict.Result {
	first := r.takes[j.Combination]
	seen, other, why := r.occasions(j, j.Outcome, "")
	over := !r.whole(first)
	standing, _ := weigh(r.need(j), over, r.sightings(j, j.Outcome))
	result := j.Result
	switch doubt := first.Facts.Notes[recording.FactErratic+j.Requirement.ID]; {
	case doubt != "": // in a recording of an earlier version
		return unconfirmed(j, doubt)
	case standing == Confirmed && other == nil:
		return result
	case standing == Refuted && other != nil:
		milder, _ := weigh(r.need(j), over, r.sightings(j, other.Outcome))
		if other.Outcome == verdict.Fail || other.Outcome == verdict.Warn && milder != Confirmed {
			return unconfirmed(j, "its repetition showed something else than was seen at first")
		}
		result = other.Result
	case standing != Confirmed && len(seen) > 0:
		return unconfirmed(j,
			"it was repeated, and did not show often enough, or not of the same message each time")
	case standing != Confirmed && why != "":
		return unconfirmed(j, why)
	case standing != Confirmed && r.recorded != nil && !over:
		return result // nothing was red when this was recorded
	case standing != Confirmed:
		why = r.unrepeated(first)
		notes[j.Combination] = why
		return unconfirmed(j, why)
	}
	result.Observations = append(slices.Clone(j.Observations), inconsistent(j, other))
	return result
}

// healed is a verdict that was blocked, or a pass on a sample, by its repetition, if this could be judged.
// One that is red was seen once.
func healed(j, second *Judgement) verdict.Result {
	switch {
	case second.Outcome == verdict.Blocked:
		return j.Result
	case j.Outcome == verdict.Pass && second.Outcome == verdict.Pass:
		return second.Result
	}
	result := second.Result
	result.Observations = append(slices.Clone(j.Observations), inconsistent(j, second))
	if second.Outcome.Red() {
		return unconfirmed(&Judgement{Row: j.Row, Result: result}, "the other time it could not be judged: "+
			j.Reason)
	}
	return result
}

// whole reports whether nothing kept a take from being repeated: one that was recorded had
// nothing red then, and what is red in it now cannot be repeated any more.
func (r *Run) whole(take *Take) bool {
	return r.ended == nil && take.Facts.Notes[recording.FactGone] == "" &&
		take.Facts.Notes[recording.FactUnrepeated] == ""
}

// unrepeated is why nothing was repeated.
func (r *Run) unrepeated(take *Take) string {
	why := cmp.Or(take.Facts.Notes[recording.FactUnrepeated], take.Facts.Notes[recording.FactGone])
	if _, cause := endedBy(r.ended); why == "" && cause != nil {
		why = cause.Error()
	}
	return cmp.Or(why, "the target could not be reached any more")
}

// isTheEnd reports whether a verdict is about the message after which the target was gone for
// good. That it was gone has been looked at several times.
func isTheEnd(j *Judgement, take *Take) bool {
	last, err := strconv.Atoi(take.Facts.Notes[recording.FactLastFrame])
	return err == nil && take.Facts.Notes[recording.FactLastAlone] == "true" &&
		slices.Contains(j.Frames, last)
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

// inconsistent is the observation that a repetition has led to another verdict.
func inconsistent(first, second *Judgement) verdict.Observation {
	return verdict.Observation{
		ID: "inconsistent",
		Detail: fmt.Sprintf("the first time: %s%s; the second time: %s%s", first.Outcome, inBrackets(first),
			second.Outcome, inBrackets(second)),
		Frames: slices.Concat(first.Frames, second.Frames),
	}
}

// unconfirmed is a verdict that could not be established, since what is red was not seen often enough.
func unconfirmed(j *Judgement, why string) verdict.Result {
	return verdict.Result{
		Outcome: verdict.Blocked, Code: recording.CodeUnconfirmed, From: j.From, Frames: j.Frames,
		Observations: j.Observations,
		Expected:     j.Expected, Actual: j.Actual,
		Reason: fmt.Sprintf("seen once (%s, %s) and not confirmed: %s", j.Outcome, cmp.Or(j.Actual, j.Reason),
			why),
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
