// Package canc is the area CANC: the cancellation of requests
// (basic/utilities/cancellation and basic/patterns/cancellation).
package canc

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The scenarios of the area.
const (
	// cancellations of what is not under way, and malformed ones
	OddCancellations recording.Name = "odd-cancellations"
	CancelRace       recording.Name = "cancel-race"    // requests that are cancelled at once
	CancelledRead    recording.Name = "cancelled-read" // a slow read that is cancelled
	DroppedReads     recording.Name = "dropped-reads"  // many slow reads whose streams are closed
	ResumedRead      recording.Name = "resumed-read"   // a slow read whose stream is closed and resumed
	ListenChurn      recording.Name = "listen-churn"   // listen streams opened and closed again and again
)

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{oddCancellationsScenario, cancelRaceScenario, cancelledReadScenario,
	droppedReadsScenario, resumedReadScenario, listenChurnScenario}

// The steps of the area's scripts. "done" is answered before it is cancelled by "finished"; "unknown",
// "no-id", "object-id" and "no-params" are cancellations of nothing, and "named" has the id that "unknown"
// named. "raced" and "slow" are cancelled while they are under way, "under-way" is a slow read that is not,
// "undisturbed" what is asked again without cancellations. "dropped" is a read whose stream is closed,
// "first" and "last" are streams; "after" follows it all, "between" comes before what is tried once more.
const (
	stepDone, stepFinished, stepUnknown, stepNoID recording.Step = "done", "finished", "unknown", "no-id"
	stepObjectID, stepAfter, stepRaced, stepSlow  recording.Step = "object-id", "after", "raced", "slow"
	stepBetween                                   recording.Step = "between"
	stepDropped, stepFirst, stepLast              recording.Step = "dropped", "first", "last"
	stepUnderWay, stepUndisturbed                 recording.Step = "under-way", "undisturbed"
	stepNoParams, stepNamed, stepElsewhere        recording.Step = "no-params", "named", "elsewhere"
)

// The tags of the area's scripts.
const (
	tagGrace, tagEvent, tagRequest, tagAcknowledged recording.Tag = "grace", "event", "request",
		"acknowledged"
)

// The marks of the area's scripts.
const (
	markCancelling recording.MarkName = "cancelling"
)

// Checks lists the checks of the pages on cancellation.
var Checks = verdict.Checks{
	"CANC-01": {From: recording.Names{OddCancellations}, With: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepFinished, stepUnknown, stepNoID, stepObjectID, stepNoParams) {
				oddCancellation(x, v)
			}
			answeredAgain(v)
			notNamed(v)
			namedTooEarly(v)
			if done, after := v.Step(stepDone), v.Step(stepAfter); done != nil && done.Succeeded() &&
				after != nil && v.Answered(after) {
				odd := v.Steps(stepFinished, stepUnknown, stepNoID, stepObjectID, stepNoParams)
				v.That(after, after.Succeeded(), "requests that are served as before", "%v to %s", after,
					after.Method).Warn().Before(done).Before(verdict.All(odd...))
			}
		}},
	"CANC-02": {From: recording.Names{CancelledRead},
		Judge: func(v *verdict.Verdict) {
			stopped(v)
			notNamed(v)
		}},
	"CANC-03": {From: recording.Names{CancelRace}, With: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepRaced) {
				if n := len(v.RepliesOf(x)); n > 1 && !v.Doubles() {
					v.Fail(verdict.Several{x, cancellationOf(v, x, recording.StepCancel)},
						"at most one response to a request that was cancelled", "%s", plural(n, "response"))
				}
			}
			var last verdict.Several
			if raced := v.Steps(stepRaced); len(raced) > 0 {
				x := raced[len(raced)-1]
				last = verdict.Several{x, cancellationOf(v, x, recording.StepCancel)}
			}
			if !servedOtherwise(v) {
				return
			}
			if x := v.Step(recording.StepBefore); x != nil && unserved(x) {
				v.NotExercised("%s gets no answer before anything is cancelled, either", x.Method)
				return
			}
			for _, x := range v.Steps(stepAfter) {
				control := v.Steps(stepUndisturbed)
				switch n := len(control); {
				case n > 0 && (control[n-1].CutOff() || control[n-1].Outcome == recording.Unsent):
					v.Answered(control[n-1]) // how it goes without cancellations is not known
				case n > 0:
					ended(x, control[n-1], v, last)
				case !x.Succeeded() && answeredTwice(v.Recording, func(x *recording.Exchange) int {
					return len(x.Replies)
				}):
					// that is what is wrong, and there is no control
				case v.Broken == nil || !unserved(x):
					stillServed(x, v, crossed, last)
				}
			}
		}},
	"CANC-05": {From: recording.Names{DroppedReads}, With: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			if !servedOtherwise(v) {
				return
			}
			for _, x := range v.Steps(stepAfter) {
				if x.Status == http.StatusServiceUnavailable && x.Outcome == recording.Replied {
					v.Block(x, recording.CodeThrottled, "the target says that it is busy, and not with "+
						"what: %v", x)
					continue
				}
				stillServed(x, v, "many requests whose streams were closed")
			}
		}},
	"CANC-06": {From: recording.Names{ResumedRead},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepSlow) {
				resumes := v.Steps(recording.StepResume)
				if len(resumes) == 0 {
					continue
				}
				resume := resumes[len(resumes)-1]
				if resume.CutOff() {
					v.Answered(resume)
					continue
				}
				if resume.Status >= 400 || resume.Status == 0 {
					v.NotExercised("the target does not resume streams: %v", resume)
					continue
				}
				if len(x.Replies) == 0 && v.LostSession(x.Session) {
					continue
				}
				v.That(verdict.Several{x, resume}, len(x.Replies) > 0, "the response to a request whose "+
					"stream was dropped, on the resumed stream", "no response")
			}
		}},
	"CANC-07": {Judge: func(v *verdict.Verdict) {
		for _, m := range cancellations(v) {
			x := cancelledRequest(v, m)
			if v.That(m, x != nil && x.Method == "subscriptions/listen",
				"a cancellation that names a listen request", "it names %s", namedWords(m, x)).
				Held() {
				wentOn(m, x, v)
			}
		}
	}},
	"CANC-08": {Judge: func(v *verdict.Verdict) {
		for _, m := range cancellations(v) {
			own := false
			for _, q := range v.OwnRequests() {
				own = own || q.Frame.Session == m.Frame.Session && q.Frame.Number < m.Frame.Number &&
					sameValue(m.Get("params.requestId"), []byte(q.Get("id").Raw))
			}
			v.That(m, own, "a cancellation that names a request of the server's own", "it names %s",
				namedWords(m, cancelledRequest(v, m)))
		}
	}},
	"CANC-60": {From: recording.Names{ListenChurn}, With: verdict.BothWalks,
		Judge: func(v *verdict.Verdict) {
			last := v.Step(stepLast)
			if last == nil && v.Facts.Notes[recording.FactListens] != "" {
				last = v.Step(stepFirst) // it worked before, and no longer does
			}
			if last == nil {
				v.NotExercised("the first listen stream was not acknowledged")
				return
			}
			v.RestsOn(v.Step(stepFirst))
			v.That(last, last.Tags[tagAcknowledged] != "", "a listen stream that is acknowledged after "+
				"many that were closed", "%v", last)
			if !servedOtherwise(v) {
				return
			}
			for _, x := range v.Steps(stepAfter) {
				stillServed(x, v, "many listen streams that were closed")
			}
		}},
}

// oddCancellation: a cancellation without effect is not answered and does no harm.
func oddCancellation(x *recording.Exchange, v *verdict.Verdict) {
	about := map[recording.Step]string{stepFinished: "of a finished request",
		stepUnknown: "of an unknown request", stepNoID: "without a request id",
		stepObjectID: "with an object as request id", stepNoParams: "without params"}[x.Step]
	if x.Fatal {
		done := v.Step(stepDone)
		if done != nil && done.CutOff() {
			v.Answered(done)
			return
		}
		if done != nil && (done.Status == http.StatusNotFound || unserved(done)) {
			v.NotExercised("an ordinary request in such a session is not served, either: %v", done)
			return
		}
		v.Fail(x, "a server that lives on after a cancellation "+about, "%s", verdict.LostWords(x)).
			SharedCause(v.EndedBy(x))
		return
	}
	v.Unanswered(x)
	if !v.Modern() {
		v.That(x, x.Status < 500, "a cancellation "+about+" that is ignored", "%v", x).Warn()
	}
}

// answeredAgain: a request that was answered is not answered once more because it is cancelled then, and a
// subscription that no cancellation names stands.
func answeredAgain(v *verdict.Verdict) {
	for _, x := range v.Steps(stepDone) {
		cancelled := cancellationOf(v, x, stepFinished)
		if n := len(v.RepliesOf(x)); n > 1 && len(cancelled) > 0 &&
			x.Replies[len(x.Replies)-1] > cancelled[0] && !v.Doubles() {
			v.Fail(verdict.Several{x, cancelled}, "no answer to the cancellation of a finished request",
				"another response to %s", x.Method).
				Hint("ignore a cancellation of a request that has been answered already")
		}
	}
	for _, x := range v.Steps(recording.StepListen) {
		if x.Tags[scenario.TagEnded] != "" {
			frames := x.Evidence()
			for _, c := range v.Calls("notifications/cancelled") {
				if c.Session == x.Session && c.Request > x.Request &&
					(len(x.Replies) == 0 || c.Request < slices.Max(x.Replies)) {
					frames = append(frames, c.Request)
				}
			}
			v.Fail(verdict.Frames(frames), "a subscription that stands, as no cancellation names it",
				"the target ended it after cancellations of other requests").Warn().
				Hint("stop no request but the one that requestId names")
		}
	}
}

// notNamed: a read that no cancellation names is answered, if it is where nothing is cancelled.
// Where the connection was lost meanwhile that is judged by what it was lost over.
func notNamed(v *verdict.Verdict) {
	const expected = "an answer to a read that no cancellation names"
	undisturbed := v.Step(stepUndisturbed)
	if undisturbed == nil || !undisturbed.Succeeded() {
		return
	}
	for _, x := range v.Steps(stepUnderWay, stepElsewhere) {
		// An HTTP error, or 202 as to a notification, is no stop: what was lost by accident is RPC-09's.
		accident := x.Outcome == recording.HTTPOnly && (x.Status == http.StatusAccepted ||
			x.Status >= http.StatusBadRequest)
		unanswered := x.Outcome != recording.Lost && !accident && unserved(x)
		if unanswered || x.Failed() && saysCancelled(x.Error()) {
			odd := v.Steps(stepFinished, stepUnknown, stepNoID, stepObjectID, stepNoParams,
				recording.StepCancel)
			on := verdict.Several{x, undisturbed, verdict.All(odd...)}
			if x.Step == stepElsewhere {
				v.Fail(on, "an answer to another client's read, whose id a cancellation of the first "+
					"client names", "%v", x).Warn().
					Hint("look for the request that requestId names among those of the same session or " +
						"connection")
				continue
			}
			v.Fail(on, expected, "%v", x).Warn().Hint("stop no request but the one that requestId names")
		}
	}
}

// namedTooEarly: a cancellation of what is not there yet is no cancellation of what comes later. It was
// taken long before: another request was answered in between.
func namedTooEarly(v *verdict.Verdict) {
	x, unknown, after := v.Step(stepNamed), v.Step(stepUnknown), v.Step(stepAfter)
	if x == nil || unknown == nil || x.Session != unknown.Session || x.Session != after.Session {
		return
	}
	if unserved(x) && x.Outcome != recording.Lost || x.Failed() && saysCancelled(x.Error()) {
		v.Fail(verdict.Several{unknown, after, x}, "an answer to a request whose id was named by a "+
			"cancellation before there was such a request", "%v", x).Warn().
			Hint("forget a cancellation that names no request in progress")
	}
}

// cancellationOf are the frames of the message, of a step, that cancels a request; none where a stream
// was closed instead.
func cancellationOf(v *verdict.Verdict, x *recording.Exchange,
	step recording.Step) (frames verdict.Frames) {
	for _, c := range v.Steps(step) {
		if c.Session == x.Session && c.Param("requestId").Raw == string(x.ID) {
			frames = append(frames, c.Evidence()...)
		}
	}
	return frames
}

// stillServed: an ordinary request is answered. The frames are those of what went before.
func stillServed(x *recording.Exchange, v *verdict.Verdict, after string, before ...verdict.Cited) {
	if unserved(x) {
		v.Fail(append(verdict.Several{x}, before...), "an answer to "+x.Method+" after "+after, "%v", x).
			Cause("an answer after " + after)
	} else if v.Answered(x) {
		v.Holds()
	}
}

// servedOtherwise is the control of stillServed: a list that nothing was cancelled before is
// answered. Where it is not, the requirement is not judged.
func servedOtherwise(v *verdict.Verdict) bool {
	if walk := v.Input(recording.WalkResources); walk != nil {
		if x := walk.Step(recording.StepPage); x != nil && unserved(x) {
			v.NotExercised("%s gets no answer without a cancellation, either", x.Method)
			return false
		}
	}
	return true
}

// unserved reports whether a request got no answer at all: silence, the end of the
// connection, or over HTTP a response that ends without one.
func unserved(x *recording.Exchange) bool {
	return x.Outcome == recording.Silent || x.Outcome == recording.Lost || x.Outcome == recording.HTTPOnly &&
		x.Status < 300
}

// crossed is what the race is about.
const crossed = "cancellations that crossed with their responses"

// ended: nothing is served any more after a race. The control is the last message in a session in
// which as much was said and nothing was cancelled.
func ended(x, control *recording.Exchange, v *verdict.Verdict, last verdict.Cited) {
	if !control.Succeeded() {
		v.NotExercised("nothing was served any more, and neither was it where as much was said and nothing "+
			"cancelled: %v", control)
		return
	}
	v.Fail(verdict.Several{x, last, control}, "an answer to "+x.Method+" after "+crossed,
		"%v, while a session in which nothing was cancelled lives on", x).
		Cause("an answer after " + crossed)
}

// stopped: nothing more comes for a request that was cancelled.
func stopped(v *verdict.Verdict) {
	x := v.Step(stepSlow)
	mark, reached := v.Mark(markCancelling)
	if x == nil || !reached || x.Outcome == recording.Lost {
		v.Answered(x)
		return
	}
	if i := slices.IndexFunc(v.Exchanges, (*recording.Exchange).Conflict); i >= 0 {
		v.Answered(v.Exchanges[i]) // RPC-17 has it; a cancellation may be refused likewise, or come too late
		return
	}
	if i := slices.IndexFunc(v.Exchanges, func(c *recording.Exchange) bool {
		return strings.HasPrefix(string(c.Step), string(recording.StepCancel)) && c.Outcome != recording.Sent
	}); i >= 0 {
		v.Answered(v.Exchanges[i]) // the target may never have got it, or later
		return
	}
	if answer := v.FirstReply(x); answer != nil && answer.Number <= mark.After {
		v.Skip(recording.CodeNeedsConfig, "the resource was read before it could be cancelled: "+
			"subjects.slow has to name a slower one")
		return
	}
	// What crosses with the cancellation is no fault.
	grace, err := time.ParseDuration(x.Tags[tagGrace])
	if err != nil {
		grace = 0
	}
	saysSo(x, mark, v)
	late := func(at time.Duration) bool { return at > mark.At+grace }
	answer := v.FirstReply(x)
	v.That(x, answer == nil || !late(answer.At), "no response to a request that was cancelled",
		"it was answered %s", when(answer != nil, v, x, mark))
	for _, p := range verdict.ProgressOf(v) {
		v.That(p, p.Of != x || !late(p.Frame.At), "no progress for a request that was cancelled",
			"progress %v", p.Get("params.progress"))
	}
}

// saysSo: no error tells that the request was cancelled, however soon: it is a response to
// what was cancelled, and none that crossed with the cancellation.
func saysSo(x *recording.Exchange, mark recording.Mark, v *verdict.Verdict) {
	answer := v.FirstReply(x)
	if answer == nil || answer.Number <= mark.After {
		return
	}
	e := gjson.GetBytes(answer.Raw, "error")
	v.That(verdict.Several{x, answer}, !e.Exists() || !saysCancelled(e),
		"no response to a request that was cancelled", "an error that says so: %v", e)
}

// saysCancelled reports whether an error tells that its request was cancelled.
func saysCancelled(e gjson.Result) bool {
	const requestCancelled = -32800 // as editors and their language servers have it
	return e.Get("code").Num == requestCancelled ||
		strings.Contains(strings.ToLower(e.Get("message").String()), "cancel")
}

// when says how long after a mark an exchange was answered.
func when(answered bool, v *verdict.Verdict, x *recording.Exchange, mark recording.Mark) string {
	if !answered {
		return "in time"
	}
	return (v.FirstReply(x).At - mark.At).Round(time.Millisecond).String() +
		" after the cancellation"
}

// cancellations lists the cancellations that the target sent.
func cancellations(v *verdict.Verdict) []recording.Message {
	var all []recording.Message
	for _, m := range v.OwnCalls() {
		if m.Method() == "notifications/cancelled" {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		v.NotExercised("the target cancelled nothing, which is its choice")
	}
	return all
}

// wentOn: what the target cancels is a subscription that it ends.
func wentOn(m recording.Message, x *recording.Exchange, v *verdict.Verdict) {
	for _, h := range verdict.Only(v.Hear(m.Frame.Session, m.Frame.Number), verdict.Updated,
		verdict.ListUpdated) {
		if h.Frame.Channel == m.Frame.Channel && sameValue(h.Subscription(), x.ID) {
			v.Fail(verdict.Frames{x.Request, m.Frame.Number, h.Frame.Number},
				"a cancellation that ends the subscription which it names",
				"%s for the subscription %s behind it", h.Method(), x.ID).
				Hint("send notifications/cancelled for a subscription that ends, and nothing for it after " +
					"that")
			return
		}
	}
}

// cancelledRequest is the request of ours that a cancellation of the target names, or nil.
func cancelledRequest(v *verdict.Verdict, m recording.Message) *recording.Exchange {
	for _, x := range v.Exchanges {
		if x.Session == m.Frame.Session && x.Request > 0 && x.Request < m.Frame.Number &&
			sameValue(m.Get("params.requestId"), x.ID) {
			return x
		}
	}
	return nil
}

func namedWords(m recording.Message, x *recording.Exchange) string {
	id := m.Get("params.requestId")
	switch {
	case !id.Exists() || id.Type == gjson.Null:
		return "no request"
	case x != nil:
		return "the client's request " + judge.Brief(id) + " for " + x.Method
	}
	return "the request " + judge.Brief(id) + ", which is unknown"
}

// sameValue reports whether a JSON value is the id of an exchange, whatever its
// type.
func sameValue(v gjson.Result, id []byte) bool {
	return v.Exists() && len(id) > 0 && (bytes.Equal([]byte(v.Raw), id) ||
		v.String() == gjson.ParseBytes(id).String())
}

// plural is a number with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "one " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
