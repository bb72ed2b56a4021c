package verdict

import (
	"bytes"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The notifications about changes.
const (
	Updated     = "notifications/resources/updated"
	ListUpdated = "notifications/resources/list_changed"
	Acked       = "notifications/subscriptions/acknowledged"
)

// Heard is a message that the target sent: a frame, or one of a batch.
type Heard struct {
	Msg   wire.Object
	Frame *wire.Frame
}

// Evidence is the frame of the message.
func (h Heard) Evidence() []int { return h.Frame.Evidence() }

// Method is the method of the message; empty if it is a response.
func (h Heard) Method() string { return h.Msg.Get("method").String() }

// Misspells reports whether the message is a notification whose method is nearly another one: but for the
// case, what stands between the words, how they end, or the word notifications before them.
func (h Heard) Misspells(method string) bool {
	m, id := h.Msg.Get("method"), h.Msg.Get("id")
	return m.Type == gjson.String && m.Str != method && (!id.Exists() || id.Type == gjson.Null) &&
		plain(m.Str) == plain(method)
}

// plain keeps the letters of a method that tell it from others.
func plain(method string) string {
	letters := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' {
			return c
		}
		return -1
	}, strings.ToLower(method))
	letters = strings.TrimPrefix(strings.TrimPrefix(letters, "notification"), "s")
	return strings.TrimSuffix(strings.Replace(letters, "resources", "resource", 1), "d")
}

// URI is the resource that an update is about.
func (h Heard) URI() string { return h.Msg.Get("params.uri").String() }

// Subscription is the subscription id that a message carries.
func (h Heard) Subscription() gjson.Result {
	member := "params"
	if !h.Msg.Get("method").Exists() {
		member = "result"
	}
	return h.Msg.Get(member + `._meta.io\.modelcontextprotocol/subscriptionId`)
}

// Hear lists the messages of a session after a frame number; an empty session
// means all of them.
func Hear(r *recording.Recording, session string, after int) []Heard {
	var all []Heard
	for _, f := range r.Incoming(after) {
		if session != "" && f.Session != session || f.Parsed().Marked || broughtBefore(r, f) {
			continue
		}
		for _, m := range messagesOf(f) {
			all = append(all, Heard{m.Object, f})
		}
	}
	return all
}

// broughtBefore reports whether an event comes once more, on a stream that goes on from another one's end.
func broughtBefore(r *recording.Recording, f *wire.Frame) bool {
	if f.Event == nil || f.Event.ID == "" || Resumes(r, f) == "" {
		return false
	}
	return slices.ContainsFunc(r.Incoming(0), func(o *wire.Frame) bool {
		return o.Number < f.Number && o.Session == f.Session && o.Event != nil && o.Event.ID == f.Event.ID &&
			bytes.Equal(o.Raw, f.Raw)
	})
}

// Only keeps the messages of some methods.
func Only(all []Heard, methods ...string) []Heard {
	return slices.DeleteFunc(slices.Clone(all), func(h Heard) bool {
		return !slices.Contains(methods, h.Method())
	})
}

// Elsewhere leaves out, of what was heard in all clean sessions together, what a
// scenario about changes heard in sessions of its own: that is judged there.
func Elsewhere(all []Heard, r *recording.Recording, v *Verdict) []Heard {
	if r.Scenario != recording.Everything {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h Heard) bool {
		for _, name := range []recording.Name{recording.Changes, recording.Listening} {
			if other := v.Recording(name); other != nil && other.Session(h.Frame.Session) != nil {
				return true
			}
		}
		return false
	})
}

// FrameNumbers lists the frames of some messages.
func FrameNumbers(all []Heard) Frames {
	var numbers []int
	for _, h := range all {
		numbers = append(numbers, h.Frame.Number)
	}
	return numbers
}

// WatcherOf is the session that subscribes, in a recording of two sessions; empty if there
// is none.
func WatcherOf(r *recording.Recording) string { return RoleOf(r, "watcher") }

// RoleOf is the session of a role, "watcher" or "bystander"; empty if there is none.
func RoleOf(r *recording.Recording, who string) string {
	for _, x := range r.Exchanges {
		if x.Tags[recording.TagWho] == who {
			return x.Session
		}
	}
	return ""
}

// AckOf is the acknowledgment of a listen request.
func AckOf(r *recording.Recording, x *recording.Exchange) (ack Heard, ok bool) {
	n, err := strconv.Atoi(x.Tags[recording.TagAck])
	if err != nil {
		return Heard{}, false
	}
	f := r.Frame(n)
	if f == nil {
		return Heard{}, false
	}
	return Heard{wire.LookedUp(wire.Parse(f.Raw)), f}, true
}

// Grants reports what an acknowledgment grants: a flag that is true, a list that
// is not empty.
func Grants(ack Heard, member string) bool {
	return Granted(ack.Msg.Get("params.notifications").Get(gjson.Escape(member)))
}

// Granted reports whether a member of a filter asks for something, or grants it.
func Granted(v gjson.Result) bool {
	return v.Type == gjson.True || (v.IsArray() && len(v.Array()) > 0)
}

// IllFormed leaves out an acknowledgment whose filter is none, or has a flag that
// is neither true nor false: that is judged once.
func IllFormed(ack Heard, v *Verdict) bool {
	filter := ack.Msg.Get("params.notifications")
	flag := filter.Get("resourcesListChanged")
	if filter.IsObject() && (!flag.Exists() || judge.IsBool(flag)) {
		return false
	}
	v.Block(recording.CodeBadReply, "the filter of the acknowledgment is ill-formed: "+judge.Brief(filter),
		ack)
	return true
}

// Evidence is that of a listen request with its acknowledgment.
func Evidence(r *recording.Recording, x *recording.Exchange) (frames Frames) {
	frames = x.Evidence()
	if ack, ok := AckOf(r, x); ok && !slices.Contains(frames, ack.Frame.Number) {
		frames = append(frames, ack.Frame.Number)
	}
	return frames
}

// StreamsNamed keeps the listen requests with one of these names.
func StreamsNamed(r *recording.Recording, names ...string) []*recording.Exchange {
	return slices.DeleteFunc(r.Steps(recording.StepListen), func(x *recording.Exchange) bool {
		return !slices.Contains(names, x.Tags[recording.TagName])
	})
}

// Unacknowledged says why a listen request cannot be judged further.
func Unacknowledged(x *recording.Exchange, v *Verdict) {
	switch {
	case matcher.Refused(x):
		v.NotExercised("the listen request was refused: " + matcher.Describe(x))
	case Broken(x):
		v.NotExercised("the listen request failed with HTTP " + strconv.Itoa(x.Status) + ": see SUB-20")
	case x.Tags[recording.TagAlive] == "closed":
		v.NotExercised("the stream of the listen request was closed without a message: see SUB-20")
	case x.Outcome == recording.Sent || x.Outcome == recording.Replied:
		v.Block(recording.CodeBadReply, "the listen request was not acknowledged", x)
	default:
		v.Answered(x)
	}
}

// NoChannel says that a legacy target on Streamable HTTP left a session without a
// stream for notifications.
func NoChannel(r *recording.Recording, session string) (why string, none bool) {
	if r.Combination.Transport != requirement.HTTP || r.Combination.Revision.Modern() {
		return "", false
	}
	for _, x := range r.Steps(recording.StepStream) {
		if x.Session == session && x.Tags[recording.TagOpen] == "" {
			return "the target left no stream to send it on (HTTP " + strconv.Itoa(x.Status) + " to GET)",
				true
		}
	}
	return "", false
}

// LostSession blocks a requirement whose session was lost while something was waited for, or as
// [CutSession] says.
func LostSession(r *recording.Recording, v *Verdict, session string) bool {
	if CutSession(r, v, session) {
		return true
	}
	if slices.ContainsFunc(r.Exchanges, func(x *recording.Exchange) bool {
		return x.Session == session && x.Step == recording.StepAlive && x.Status == http.StatusNotFound
	}) {
		v.NotExercised("the target had ended the session, as it may at any time, while a change was waited " +
			"for")
		return true
	}
	s := r.Session(session)
	if s == nil || s.Lost == "" {
		return missed(r, v, session)
	}
	v.Block(recording.CodeDied, "the connection was lost while a change was waited for: "+s.Lost)
	return true
}

// missed leaves a requirement open where a stream of GET ended while a change was waited for, as it may at
// any time, and no event had an id by which the one that followed could go on: what was sent in between is
// lost.
func missed(r *recording.Recording, v *Verdict, session string) bool {
	if r.Scenario != recording.Changes || len(r.Marks) == 0 {
		return false
	}
	for i := range r.Frames {
		f := &r.Frames[i]
		if f.Dir == wire.Out && f.Session == session && f.Number > r.Marks[0].After && f.HTTP != nil &&
			f.HTTP.Method == http.MethodGet && f.HTTP.Header.Get("Last-Event-ID") == "" {
			v.NotExercised("the stream that GET had opened ended while a change was waited for, and had no " +
				"event ids by which to ask for what was sent until another one stood")
			return true
		}
	}
	return false
}

// CutSession blocks a requirement where the run ended while something was waited for, or we cut the session.
func CutSession(r *recording.Recording, v *Verdict, session string) bool {
	switch s := r.Session(session); {
	case r.Broken != nil && r.Broken.Code == recording.CodeInterrupted:
		v.Block(r.Broken.Code, r.Broken.Reason)
	case s != nil && s.Cut != "":
		v.Block(recording.CodeVolume, "a change could not be waited for: "+s.Cut)
	default:
		return false
	}
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

// Progress is a progress notification.
type Progress struct {
	Message
	Token gjson.Result
	// Of is the request that gave the token, also with another JSON type; nil if
	// none did.
	Of *recording.Exchange
}

// ProgressOf lists the progress notifications of a recording.
func ProgressOf(r *recording.Recording, v *Verdict) []Progress {
	var all []Progress
	for _, m := range CallsOf(r) {
		if m.Method() == "notifications/progress" && !broughtBefore(r, m.Frame) {
			p := Progress{Message: m, Token: m.Get("params.progressToken")}
			p.Of = tokenGiver(r, p)
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		v.NotExercised("the target reports no progress")
	}
	return all
}

// tokenGiver is the request of the same session that gave the token: the last one
// before the notification.
func tokenGiver(r *recording.Recording, p Progress) *recording.Exchange {
	var giver *recording.Exchange
	for _, x := range r.Exchanges {
		if x.Session != p.Frame.Session || x.Request > p.Frame.Number {
			continue
		}
		if given := x.Param("_meta.progressToken"); given.Exists() && p.Token.Exists() &&
			given.String() == p.Token.String() {
			giver = x
		}
	}
	return giver
}
