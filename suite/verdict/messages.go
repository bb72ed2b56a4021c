package verdict

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// ErrorSources are the recordings in which errors occur: clean sessions, and the
// probes that provoke them.
var ErrorSources = recording.Names{recording.Everything, recording.MissingReads, recording.InvalidMessages}

// LostID is the cause of what breaks each requirement that is about the ids of errors.
const LostID = "an error without the id of its request"

// LosesID reports whether a request was answered by an error without its id, as RPC-16 is about.
func LosesID(x *recording.Exchange) bool {
	return Request(x) && x.Failed() && x.Message().Get("id").Value() == nil
}

// Request reports whether an exchange was a request, to which a response is due.
func Request(x *recording.Exchange) bool {
	return x.Method != "" && len(x.ID) > 0
}

// Everything stands for all clean sessions of a combination.
var Everything = recording.Names{recording.Everything}

// Unanswered: nothing came back for a notification but, over HTTP, a refusal.
func (v *Verdict) Unanswered(x *recording.Exchange) {
	if x.Outcome != recording.Replied {
		if x.Outcome == recording.Sent || x.Outcome == recording.HTTPOnly {
			v.Holds()
		}
		return
	}
	for _, m := range v.RepliesOf(x) {
		refusal := x.Status >= http.StatusBadRequest && m.Nameless() && m.Get("error").Exists()
		v.That(Several{x, m}, refusal, "no response to "+x.Method, "%v", x).
			SharedCause(AnsweredNotification).Hint("never answer a message without an id")
	}
}

// AnsweredNotification is the cause of what breaks each requirement that is about notifications.
const AnsweredNotification = "a notification is answered"

// NoArrays: no message of the target is an array, but for frames that answer one of ours.
func (v *Verdict) NoArrays(answers ...int) {
	for _, f := range v.Incoming(0) {
		if v.CarriesMessage(f) && !f.Truncated && !slices.Contains(answers, f.Number) {
			p := f.Parsed()
			if p.Kind != wire.KindBatch {
				v.Holds()
				continue
			}
			frames, hint := []int{f.Number}, "send each message by itself"
			for _, x := range v.Exchanges {
				if slices.Contains(x.Replies, f.Number) || slices.Contains(x.Others, f.Number) {
					frames = append([]int{x.Request}, frames...)
					break
				}
			}
			if len(p.Messages) == 0 {
				hint = "answer a message that is refused with an error, or with an HTTP error status " +
					"without a body: an empty array says nothing"
			}
			v.Fail(Frames(frames), "single messages: the revision has no batches", "an array: %s",
				wire.Excerpt(f.Raw, 60)).Hint(hint)
		}
	}
}

// Detail is what the strict reader says about a flaw.
func Detail(f *wire.Frame, code wire.FlawCode) string {
	for _, flaw := range f.Flaws {
		if flaw.Code == code {
			return flaw.Detail
		}
	}
	return ""
}

// Responded reports whether an exchange has an HTTP response whose status can be
// judged, whatever its body; if not, it notes why.
func (v *Verdict) Responded(x *recording.Exchange) bool {
	if x != nil && x.Status > 0 && x.Outcome != recording.Refused && x.Status != http.StatusUnauthorized {
		return true
	}
	if x != nil && x.Status == 0 && x.Outcome == recording.Sent {
		v.Block(x, recording.CodeNoAnswer, "%s got no HTTP response", v.What(x))
		return false
	}
	return v.Answered(x) && x.Status > 0
}

// SideBySide: both clients get their own answers, although the ids are the same. The
// check has to name the walks among its inputs, see [Doubles].
func SideBySide(v *Verdict) {
	for _, x := range v.Exchanges {
		own, other := "resources", "resourceTemplates"
		switch x.Step {
		case recording.StepFirstList, recording.StepFirstAgain:
		case recording.StepSecondTemplates, recording.StepSecondAgain:
			own, other = other, own
		default:
			continue
		}
		if !v.Answered(x) {
			continue
		}
		const expected = "each client to get its own answers, and no others"
		mixed := x.Value(other).Exists() && !x.Value(own).Exists()
		v.That(x, !mixed, expected, "%v to %s, which another client asked about", x, x.Method)
		if len(x.Replies) > 1 && v.Doubles() {
			continue
		}
		v.That(x, len(x.Replies) < 2, expected, "%d answers to one request, while another client used the "+
			"same id", len(x.Replies))
	}
}
