package verdict

import (
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The notifications about changes.
const (
	Updated     = "notifications/resources/updated"
	ListUpdated = "notifications/resources/list_changed"
	Acked       = "notifications/subscriptions/acknowledged"
)

// Only keeps the messages of some methods.
func Only(all []recording.Message, methods ...string) []recording.Message {
	return slices.DeleteFunc(slices.Clone(all), func(h recording.Message) bool {
		return !slices.Contains(methods, h.Method())
	})
}

// Elsewhere leaves out, of what was heard in all clean sessions together, what a
// scenario about changes heard in sessions of its own: that is judged there.
func (v *Verdict) Elsewhere(all []recording.Message) []recording.Message {
	if v.Scenario != recording.Everything {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h recording.Message) bool {
		for _, name := range []recording.Name{recording.Changes, recording.Listening} {
			if other := v.Input(name); other != nil && other.Session(h.Frame.Session) != nil {
				return true
			}
		}
		return false
	})
}

// FrameNumbers lists the frames of some messages.
func FrameNumbers(all []recording.Message) Frames {
	var numbers []int
	for _, h := range all {
		numbers = append(numbers, h.Frame.Number)
	}
	return numbers
}

// Grants reports what an acknowledgment grants: a flag that is true, a list that
// is not empty.
func Grants(ack recording.Message, member string) bool {
	return Granted(ack.Get("params.notifications").Get(gjson.Escape(member)))
}

// Granted reports whether a member of a filter asks for something, or grants it.
func Granted(v gjson.Result) bool {
	return v.Type == gjson.True || (v.IsArray() && len(v.Array()) > 0)
}

// IllFormed leaves out an acknowledgment whose filter is none, or has a flag that
// is neither true nor false: that is judged once.
func (v *Verdict) IllFormed(ack recording.Message) bool {
	filter := ack.Get("params.notifications")
	flag := filter.Get("resourcesListChanged")
	if filter.IsObject() && (!flag.Exists() || judge.IsBool(flag)) {
		return false
	}
	v.Block(ack, recording.CodeBadReply, "the filter of the acknowledgment is ill-formed: %v", filter)
	return true
}

// Unacknowledged says why a listen request cannot be judged further.
func (v *Verdict) Unacknowledged(x *recording.Exchange) {
	switch {
	case matcher.Refused(x):
		v.NotExercised("the listen request was refused: %v", x)
	case Broken(x):
		v.NotExercised("the listen request failed with HTTP %d: see SUB-20", x.Status)
	case x.Tags[recording.TagAlive] == "closed":
		v.NotExercised("the stream of the listen request was closed without a message: see SUB-20")
	case x.Outcome == recording.Sent || x.Outcome == recording.Replied:
		v.Block(x, recording.CodeBadReply, "the listen request was not acknowledged")
	default:
		v.Answered(x)
	}
}

// LostSession blocks a requirement whose session was lost while something was waited for, or as
// [CutSession] says.
func (v *Verdict) LostSession(session string) bool {
	if v.CutSession(session) {
		return true
	}
	if slices.ContainsFunc(v.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == session && x.Step == recording.StepAlive && x.Status == http.StatusNotFound
	}) {
		v.NotExercised("the target had ended the session, as it may at any time, while a change was waited " +
			"for")
		return true
	}
	s := v.Session(session)
	if s == nil || s.Lost == "" {
		return v.missed(session)
	}
	v.Block(nil, recording.CodeDied, "the connection was lost while a change was waited for: %s", s.Lost)
	return true
}

// missed leaves a requirement open where a stream of GET ended while a change was waited for, as it may at
// any time, and no event had an id by which the one that followed could go on: what was sent in between is
// lost.
func (v *Verdict) missed(session string) bool {
	if v.Scenario != recording.Changes || len(v.Marks) == 0 {
		return false
	}
	for i := range v.Frames {
		f := &v.Frames[i]
		if f.Dir == wire.Out && f.Session == session && f.Number > v.Marks[0].After && f.HTTP != nil &&
			f.HTTP.Method == http.MethodGet && f.HTTP.Header.Get("Last-Event-ID") == "" {
			v.NotExercised("the stream that GET had opened ended while a change was waited for, and had no " +
				"event ids by which to ask for what was sent until another one stood")
			return true
		}
	}
	return false
}

// CutSession blocks a requirement where the run ended while something was waited for, or we cut the session.
func (v *Verdict) CutSession(session string) bool {
	switch s := v.Session(session); {
	case v.Broken != nil && v.Broken.Code == recording.CodeInterrupted:
		v.Block(nil, v.Broken.Code, "%s", v.Broken.Reason)
	case s != nil && s.Cut != "":
		v.Block(nil, recording.CodeVolume, "a change could not be waited for: %s", s.Cut)
	default:
		return false
	}
	return true
}

// ProgressOf lists the progress notifications of a recording.
func ProgressOf(v *Verdict) []recording.Progress {
	all := v.Progress()
	if len(all) == 0 {
		v.NotExercised("the target reports no progress")
	}
	return all
}
