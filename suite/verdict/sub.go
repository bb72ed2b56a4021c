package verdict

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// LostSession blocks a requirement whose session was lost while something was
// waited for.
func LostSession(r *recording.Recording, v *Verdict, session string) bool {
	s := r.Session(session)
	if s == nil || s.Lost == "" {
		return false
	}
	v.Block(recording.CodeDied, "the connection was lost while a change was waited for: "+s.Lost)
	return true
}

// WithTrigger says, for the end of a sentence, which trigger was pulled at a mark
// and how it ended; empty if the recording does not say.
func WithTrigger(r *recording.Recording, mark recording.MarkName) string {
	if m, ok := r.Mark(mark); ok && m.What != "" {
		return " (" + m.What + ")"
	}
	return ""
}

// NoChannel says that a legacy target on Streamable HTTP left a session without a
// stream for notifications.
func NoChannel(r *recording.Recording, session string) (why string, none bool) {
	if r.Combination.Transport != requirement.HTTP || r.Combination.Revision.Modern() {
		return "", false
	}
	for _, x := range r.Steps(recording.StepStream) {
		if x.Session == session && x.Tags[recording.TagOpen] == "" {
			return "the target left no stream to send it on (HTTP " + strconv.Itoa(x.Status) + " to GET)", true
		}
	}
	return "", false
}
