package verdict

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Unacknowledged says why a listen request cannot be judged further.
func Unacknowledged(x *recording.Exchange, v *Verdict) {
	switch {
	case matcher.Refused(x):
		v.Skip(recording.CodeNotExercised, "the listen request was refused: "+matcher.Describe(x))
	case Broken(x):
		v.Skip(recording.CodeNotExercised, "the listen request failed with HTTP "+strconv.Itoa(x.Status)+": see SUB-20")
	case x.Outcome == recording.Sent || x.Outcome == recording.Replied:
		v.Block(recording.CodeBadReply, "the listen request was not acknowledged", x.Evidence()...)
	default:
		v.Answered(x)
	}
}

// Broken reports whether a target that is there answered with the HTTP status of a
// failure of its own, and with nothing else.
func Broken(x *recording.Exchange) bool {
	return x.Status >= http.StatusInternalServerError && x.Status != http.StatusServiceUnavailable && len(x.Replies) == 0
}

// Unknown reports whether a request was refused because the target does not know
// its method.
func Unknown(x *recording.Exchange) bool {
	code, _ := x.Code()
	return code == -32601
}

// IllFormed leaves out an acknowledgment whose filter is none, or has a flag that
// is neither true nor false: that is judged once.
func IllFormed(ack Heard, v *Verdict) bool {
	filter := ack.Msg.Get("params.notifications")
	flag := filter.Get("resourcesListChanged")
	if filter.IsObject() && (!flag.Exists() || judge.IsBool(flag)) {
		return false
	}
	v.Block(recording.CodeBadReply, "the filter of the acknowledgment is ill-formed: "+judge.Brief(filter), ack.Frame.Number)
	return true
}

// Evidence is that of a listen request with its acknowledgment.
func Evidence(r *recording.Recording, x *recording.Exchange) []int {
	frames := x.Evidence()
	if ack, ok := AckOf(r, x); ok && !slices.Contains(frames, ack.Frame.Number) {
		frames = append(frames, ack.Frame.Number)
	}
	return frames
}
