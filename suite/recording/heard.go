package recording

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Misspells reports whether the message is a notification whose method is nearly another one: but for the
// case, what stands between the words, how they end, or the word notifications before them.
func (m Message) Misspells(method string) bool {
	own := m.Method()
	return own != "" && own != method && m.Nameless() && plain(own) == plain(method)
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
func (m Message) URI() string { return m.Get("params.uri").String() }

// Subscription is the subscription id that a message carries.
func (m Message) Subscription() gjson.Result {
	member := "params"
	if !m.Get("method").Exists() {
		member = "result"
	}
	return m.Get(member + `._meta.io\.modelcontextprotocol/subscriptionId`)
}

// Hear lists the messages of a session after a frame number; an empty session
// means all of them.
func (r *Recording) Hear(session string, after int) []Message {
	var all []Message
	for _, f := range r.Incoming(after) {
		if session != "" && f.Session != session || f.Parsed().Marked || r.broughtBefore(f) {
			continue
		}
		all = append(all, messagesOf(f)...)
	}
	return all
}

// broughtBefore reports whether an event comes once more, on a stream that goes on from another one's end.
func (r *Recording) broughtBefore(f *wire.Frame) bool {
	if f.Event == nil || f.Event.ID == "" || r.Resumes(f) == "" {
		return false
	}
	return slices.ContainsFunc(r.Incoming(0), func(o *wire.Frame) bool {
		return o.Number < f.Number && o.Session == f.Session && o.Event != nil && o.Event.ID == f.Event.ID &&
			bytes.Equal(o.Raw, f.Raw)
	})
}

// Watcher is the session that subscribes, in a recording of two sessions; empty if there
// is none.
func (r *Recording) Watcher() string { return r.Role("watcher") }

// Role is the session of a role, "watcher" or "bystander"; empty if there is none.
func (r *Recording) Role(who string) string {
	for _, x := range r.Exchanges {
		if x.Tags[TagWho] == who {
			return x.Session
		}
	}
	return ""
}

// Ack is the acknowledgment of a listen request; it has no frame if there is none.
func (r *Recording) Ack(x *Exchange) (ack Message, ok bool) {
	ack.Message = &wire.Message{}
	if n, err := strconv.Atoi(x.Tags[TagAck]); err == nil {
		ack.Frame = r.Frame(n)
	}
	if ack.Frame != nil {
		ack.Object = wire.LookedUp(wire.Parse(ack.Frame.Raw))
	}
	return ack, ack.Frame != nil
}

// ListenEvidence is that of a listen request with its acknowledgment.
func (r *Recording) ListenEvidence(x *Exchange) (frames Frames) {
	frames = x.Evidence()
	if ack, ok := r.Ack(x); ok && !slices.Contains(frames, ack.Frame.Number) {
		frames = append(frames, ack.Frame.Number)
	}
	return frames
}

// StreamsNamed keeps the listen requests with one of these names.
func (r *Recording) StreamsNamed(names ...string) []*Exchange {
	return slices.DeleteFunc(r.Steps(StepListen), func(x *Exchange) bool {
		return !slices.Contains(names, x.Tags[TagName])
	})
}

// NoChannel says that a legacy target on Streamable HTTP left a session without a
// stream for notifications.
func (r *Recording) NoChannel(session string) (why string, none bool) {
	if !r.OnHTTP() || r.Combination.Revision.Modern() {
		return "", false
	}
	for _, x := range r.Steps(StepStream) {
		if x.Session == session && x.Tags[TagOpen] == "" {
			return "the target left no stream to send it on (HTTP " + strconv.Itoa(x.Status) + " to GET)",
				true
		}
	}
	return "", false
}

// WithTrigger says, for the end of a sentence, which trigger was pulled at a mark
// and how it ended; empty if the recording does not say.
func (r *Recording) WithTrigger(mark MarkName) string {
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
	Of *Exchange
}

// Progress lists the progress notifications of a recording.
func (r *Recording) Progress() []Progress {
	var all []Progress
	for _, m := range r.OwnCalls() {
		if m.Method() == "notifications/progress" && !r.broughtBefore(m.Frame) {
			p := Progress{Message: m, Token: m.Get("params.progressToken")}
			p.Of = r.tokenGiver(p)
			all = append(all, p)
		}
	}
	return all
}

// tokenGiver is the request of the same session that gave the token: the last one
// before the notification.
func (r *Recording) tokenGiver(p Progress) *Exchange {
	var giver *Exchange
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

// Frames are the numbers of frames.
type Frames []int

// Evidence is the frames themselves.
func (f Frames) Evidence() []int { return f }
