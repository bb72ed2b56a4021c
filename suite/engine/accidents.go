package engine

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// repeatAccidents repeats further what blames a message for an error of the target's own, if that may be an accident: what fails now and
// then does so twice by chance. Where one of several repetitions shows it of none of these messages, or too few give an occasion
// for it, nothing is confirmed, which is noted.
func (r *Run) repeatAccidents(ctx context.Context, late []*Judgement) {
	const most, idle = 12, 3 // repetitions, and those in succession of which none gave an occasion
	open := recording.Keep(late, func(j *Judgement) bool {
		return (r.repeatable(j) || r.seenEarly(j)) && j.Outcome.Red() && slices.ContainsFunc(j.Frames, r.ownError)
	})
	erratic := map[requirement.Combination]bool{}
	for _, j := range open {
		if _, known := erratic[j.Combination]; !known {
			erratic[j.Combination] = r.erratic(j.Combination)
		}
	}
	open = recording.Keep(open, func(j *Judgement) bool { return r.accidental(j, erratic[j.Combination]) })
	open = recording.Keep(open, func(j *Judgement) bool {
		if !r.repeatable(j) {
			r.doubt(j, r.takes[j.Combination].Facts.Notes[recording.FactGone])
		}
		return r.repeatable(j)
	})
	blamed, times := map[*Judgement]map[string]bool{}, map[*Judgement]int{}
	for _, j := range open {
		blamed[j] = r.ownErrors(j.From, r.takes[j.Combination], j.Frames)
	}
	repeated := func(j *Judgement) *Take {
		if r.seenEarly(j) {
			return r.repeatedEarly[j.Combination]
		}
		return r.again[j.Combination]
	}
	for n, without := 1, 0; ; n++ {
		without++
		open = recording.Keep(open, func(j *Judgement) bool {
			same, told := r.sameAgain(j, blamed[j], repeated(j))
			if told {
				without = 0
			}
			switch {
			case same:
				times[j]++
			case told:
				r.doubt(j, "it was repeated several times, and did not show of the same message each time")
				return false
			}
			if erratic[j.Combination] {
				return times[j] < 7
			}
			return times[j] < 3
		})
		if len(open) == 0 || without == idle || n == most || context.Cause(ctx) != nil {
			break
		}
		again := r.replay(ctx, open, r.scripts)
		repeated = func(j *Judgement) *Take { return again[j.Combination] }
	}
	for _, j := range open {
		if context.Cause(ctx) == nil || erratic[j.Combination] {
			r.doubt(j, fmt.Sprintf("it showed in %d repetitions, and in the others there was no occasion, or no time", times[j]))
		}
	}
}

// doubt notes, also for whoever judges the recording again, why a verdict is not confirmed.
func (r *Run) doubt(j *Judgement, why string) {
	r.takes[j.Combination].Facts.Notes[recording.FactErratic+j.Requirement.ID] = why
}

// scripts names the single scenarios that a verdict rests on, as a [choice].
func (r *Run) scripts(needed map[recording.Name]bool, j *Judgement, _ *Take) {
	for _, name := range j.From {
		if sc, ok := r.catalogue.Scenario(name); ok {
			needed[sc.Name] = true
		}
	}
}

// sameAgain reports whether a repetition shows the same as a verdict of one of the messages that it blames, and takes those out that were
// answered otherwise; told is false if it gave no occasion for it.
func (r *Run) sameAgain(j *Judgement, blamed map[string]bool, again *Take) (same, told bool) {
	if again == nil {
		return false, false
	}
	second := r.row(j.Row, again)
	if _, silent := saysNothing(second, cutOff(j.From, r.takes[j.Combination], again)); silent {
		return false, false
	}
	if second.Outcome != j.Outcome {
		return false, true
	}
	if len(r.ownErrors(j.From, again, second.Frames)) == 0 {
		return true, true // it does not rest on errors alone
	}
	failed := r.ownErrors(j.From, again, nil)
	maps.DeleteFunc(blamed, func(about string, _ bool) bool { return !failed[about] })
	return len(blamed) > 0, true
}

// accidental reports whether a red verdict on single scenarios rests on an error of the target's own that may be an accident: it serves the like
// of the message, or is known to be erratic.
func (r *Run) accidental(j *Judgement, erratic bool) bool {
	take := r.takes[j.Combination]
	failed := r.ownErrors(j.From, take, j.Frames)
	if len(failed) == 0 || erratic {
		return len(failed) > 0
	}
	for _, rec := range take.Recordings {
		if slices.ContainsFunc(rec.Exchanges, func(x *recording.Exchange) bool { return x.Succeeded() && failed[subject(x)] }) {
			return true
		}
	}
	return false
}

// erratic reports whether a target has answered the same message by an error of its own and otherwise as well. Messages whose tags
// differ are not the same: their ids or headers may.
func (r *Run) erratic(c requirement.Combination) bool {
	failed := map[string]bool{} // or else answered
	for _, takes := range []map[requirement.Combination]*Take{r.takes, r.repeatedEarly, r.again} {
		if takes[c] == nil {
			continue
		}
		for _, rec := range takes[c].Recordings {
			for _, x := range rec.Exchanges {
				if x.Method == "" || x.Tags[recording.TagCancelled] != "" || x.Outcome != recording.Replied && x.Outcome != recording.HTTPOnly {
					continue // how a cancelled request ends is a matter of who is quicker
				}
				same, fails := fmt.Sprint(x.Step, x.Method, string(x.Params), x.Tags), r.failedItself(x, nil)
				if was, known := failed[same]; known && was != fails {
					return true
				}
				failed[same] = fails
			}
		}
	}
	return false
}

// ownErrors are the subjects of messages of some scenarios that were answered by an error of the target's own: of those among some
// frames, or of all if there are none.
func (r *Run) ownErrors(names []recording.Name, take *Take, frames []int) map[string]bool {
	failed := map[string]bool{}
	for _, name := range names {
		rec := take.Recordings[name]
		if rec == nil || name == recording.Everything {
			continue
		}
		for _, x := range rec.Exchanges {
			if x.Method != "" && x.Tags[recording.TagCancelled] == "" && r.failedItself(x, frames) {
				failed[subject(x)] = true
			}
		}
	}
	return failed
}

// failedItself reports whether a message was answered by an error of the target's own, in one of some frames if there are any. HTTP 202 is
// one where nothing else comes: it answers notifications, and all messages on HTTP+SSE.
func (r *Run) failedItself(x *recording.Exchange, frames []int) bool {
	return slices.ContainsFunc(x.Evidence(), func(n int) bool {
		return (len(frames) == 0 || slices.Contains(frames, n)) && r.ownError(n) && (!r.accepted(n) || len(x.ID) > 0 && x.Outcome == recording.HTTPOnly)
	})
}

// subject is what a message is about: its method, and what it names.
func subject(x *recording.Exchange) string {
	about := x.Method
	for _, name := range gjson.GetManyBytes(x.Params, "uri", "cursor", "ref", "argument", "level") {
		about += " " + name.Raw
	}
	return about
}

// ownError reports whether a frame says that the target itself has failed, as an internal error does, and may one whose code is the
// application's own: JSON-RPC leaves it all that are not reserved, and -32000 is what many say of anything. With 0 the SDK for Python tells
// of whatever went wrong in a handler. Where the HTTP status says that the request is at fault the application was not asked, and a request
// that is accepted like a notification has lost its response, perhaps to another one.
func (r *Run) ownError(number int) bool {
	f, ok := r.transcript.Frame(number)
	if !ok {
		return false
	}
	code := gjson.GetBytes(f.Raw, "error.code")
	status := 0
	if f.HTTP != nil {
		status = f.HTTP.Status
	}
	applications := code.Type == gjson.Number && (code.Num >= -32000 || code.Num < -32768) && status < http.StatusBadRequest
	return applications || code.Type == gjson.Number && code.Num == -32603 || status >= http.StatusInternalServerError || r.accepted(number)
}

// accepted reports whether a frame is a response by HTTP 202.
func (r *Run) accepted(number int) bool {
	f, ok := r.transcript.Frame(number)
	return ok && f.HTTP != nil && f.HTTP.Status == http.StatusAccepted
}
