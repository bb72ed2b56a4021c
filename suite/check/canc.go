package check

import (
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// The checks of the pages on cancellation.
func init() {
	everything := []recording.Name{recording.Everything}
	add(Check{
		Requirement: "CANC-01",
		From:        []recording.Name{recording.OddCancellations},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("finished", "unknown", "no-id", "object-id") {
				oddCancellation(r, x, v)
			}
			if done, after := r.Step("done"), r.Step("after"); done != nil && done.Succeeded() && after != nil && v.Answered(after) {
				v.Ought(after.Succeeded(), "requests that are served as before", Describe(after)+" to "+after.Method, after.Evidence()...)
			}
		},
	}, Check{
		Requirement: "CANC-02",
		From:        []recording.Name{recording.CancelledRead},
		Judge:       stopped,
	}, Check{
		Requirement: "CANC-03",
		From:        []recording.Name{recording.CancelRace},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("raced") {
				if n := len(repliesOf(r, x)); n > 1 {
					v.That(false, "at most one response to a request that was cancelled", plural(n, "response"), x.Evidence()...)
				}
			}
			for _, x := range r.Steps("after") {
				stillServed(x, v, "cancellations that crossed with their responses")
			}
		},
	}, Check{
		Requirement: "CANC-05",
		From:        []recording.Name{recording.DroppedReads},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("after") {
				if x.Status == 429 || x.Status == 503 {
					v.That(false, "capacity for a request after many dropped ones", Describe(x), x.Evidence()...)
					continue
				}
				stillServed(x, v, "many requests whose streams were closed")
			}
		},
	}, Check{
		Requirement: "CANC-06",
		From:        []recording.Name{recording.ResumedRead},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("slow") {
				resume := r.Step("resume")
				if resume == nil {
					continue
				}
				if resume.Status >= 400 || resume.Status == 0 {
					v.Skip(recording.CodeNotExercised, "the target does not resume streams: "+Describe(resume))
					continue
				}
				v.That(len(x.Replies) > 0, "the response to a request whose stream was dropped, on the resumed stream", "no response", append(x.Evidence(), resume.Evidence()...)...)
				v.Hint("a closed stream is no cancellation: go on, and keep the response for the client")
			}
		},
	}, Check{
		Requirement: "CANC-07",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, m := range cancellations(r, v) {
				x := cancelledRequest(r, m)
				v.That(x != nil && x.Method == "subscriptions/listen", "a cancellation that names a listen request", "it names "+namedWords(m, x), m.frame.Number)
			}
		},
	}, Check{
		Requirement: "CANC-08",
		From:        everything,
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, m := range cancellations(r, v) {
				own := false
				for _, q := range requestsOf(r) {
					own = own || q.frame.Session == m.frame.Session && q.frame.Number < m.frame.Number && sameValue(m.Get("params.requestId"), q.id())
				}
				v.That(own, "a cancellation that names a request of the server's own", "it names "+namedWords(m, cancelledRequest(r, m)), m.frame.Number)
			}
		},
	}, Check{
		Requirement: "CANC-60",
		From:        []recording.Name{recording.ListenChurn},
		Judge: func(r *recording.Recording, v *Verdict) {
			last := r.Step("last")
			if last == nil && v.Facts.Notes[recording.FactListens] != "" {
				last = r.Step("first") // it worked before, and no longer does
			}
			if last == nil {
				v.Skip(recording.CodeNotExercised, "the first listen stream was not acknowledged")
				return
			}
			v.That(last.Tags["acknowledged"] != "", "a listen stream that is acknowledged after many that were closed", Describe(last), last.Evidence()...)
			v.Hint("free a subscription when the client closes its stream")
			for _, x := range r.Steps("after") {
				stillServed(x, v, "many listen streams that were closed")
			}
		},
	})
}

// oddCancellation: a cancellation without effect is not answered and does no harm.
func oddCancellation(r *recording.Recording, x *recording.Exchange, v *Verdict) {
	about := map[string]string{"finished": "of a finished request", "unknown": "of an unknown request", "no-id": "without a request id", "object-id": "with an object as request id"}[x.Step]
	if x.Fatal {
		v.That(false, "a server that lives on after a cancellation "+about, lostWords(x), x.Evidence()...)
		return
	}
	unanswered(r, x, v)
	if !v.Modern() {
		v.Ought(x.Status < 500, "a cancellation "+about+" that is ignored", Describe(x), x.Evidence()...)
	}
}

// stillServed: an ordinary request is answered.
func stillServed(x *recording.Exchange, v *Verdict, after string) {
	switch x.Outcome {
	case recording.Silent, recording.Lost:
		v.That(false, "an answer to "+x.Method+" after "+after, Describe(x), x.Evidence()...)
	default:
		if v.Answered(x) {
			v.Saw()
		}
	}
}

// stopped: nothing more comes for a request that was cancelled.
func stopped(r *recording.Recording, v *Verdict) {
	x := r.Step("slow")
	mark, reached := r.Mark("cancelling")
	if x == nil || !reached || x.Outcome == recording.Lost {
		v.Answered(x)
		return
	}
	if answer := firstReply(r, x); answer != nil && answer.Number <= mark.After {
		v.Skip(recording.CodeNeedsConfig, "the resource was read before it could be cancelled: subjects.slow has to name a slower one")
		return
	}
	// What crosses with the cancellation is no fault.
	grace, err := time.ParseDuration(x.Tags["grace"])
	if err != nil {
		grace = 0
	}
	late := func(at time.Duration) bool { return at > mark.At+grace }
	answer := firstReply(r, x)
	v.That(answer == nil || !late(answer.At), "no response to a request that was cancelled", "it was answered "+when(answer != nil, r, x, mark), x.Evidence()...)
	for _, p := range progressOf(r, v) {
		v.That(p.of != x || !late(p.frame.At), "no progress for a request that was cancelled", "progress "+Brief(p.Get("params.progress")), p.frame.Number)
	}
}

// when says how long after a mark an exchange was answered.
func when(answered bool, r *recording.Recording, x *recording.Exchange, mark recording.Mark) string {
	if !answered {
		return "in time"
	}
	return (firstReply(r, x).At - mark.At).Round(time.Millisecond).String() + " after the cancellation"
}

// cancellations lists the cancellations that the target sent.
func cancellations(r *recording.Recording, v *Verdict) []message {
	var all []message
	for _, m := range callsOf(r) {
		if m.method() == "notifications/cancelled" {
			all = append(all, m)
		}
	}
	if len(all) == 0 {
		v.Skip(recording.CodeNotExercised, "the target cancelled nothing")
	}
	return all
}

// cancelledRequest is the request of ours that a cancellation of the target names, or nil.
func cancelledRequest(r *recording.Recording, m message) *recording.Exchange {
	for _, x := range r.Exchanges {
		if x.Session == m.frame.Session && x.Request > 0 && x.Request < m.frame.Number && sameValue(m.Get("params.requestId"), x.ID) {
			return x
		}
	}
	return nil
}

func namedWords(m message, x *recording.Exchange) string {
	id := m.Get("params.requestId")
	switch {
	case !id.Exists() || id.Type == gjson.Null:
		return "no request"
	case x != nil:
		return "the client's request " + Brief(id) + " for " + x.Method
	}
	return "the request " + Brief(id) + ", which is unknown"
}
