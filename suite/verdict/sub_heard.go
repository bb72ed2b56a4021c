package verdict

import (
	"slices"
	"strconv"

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

// Heard is a message that the target sent: a frame, or one of a batch.
type Heard struct {
	Msg   gjson.Result
	Frame *wire.Frame
}

func (h Heard) Method() string { return h.Msg.Get("method").String() }

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
	for _, p := range ParsedFrames(r) {
		if p.Frame.Number <= after || session != "" && p.Frame.Session != session || !p.Valid || p.Marked {
			continue
		}
		for _, one := range Members(p.Value) {
			all = append(all, Heard{one, p.Frame})
		}
	}
	return all
}

// Only keeps the messages of some methods.
func Only(all []Heard, methods ...string) []Heard {
	return slices.DeleteFunc(slices.Clone(all), func(h Heard) bool { return !slices.Contains(methods, h.Method()) })
}

// FrameNumbers lists the frames of some messages.
func FrameNumbers(all []Heard) []int {
	var numbers []int
	for _, h := range all {
		numbers = append(numbers, h.Frame.Number)
	}
	return numbers
}

// WatcherOf and bystanderOf name the sessions of the two roles; empty if there is
// none.
func WatcherOf(r *recording.Recording) string { return RoleOf(r, "watcher") }

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
	return Heard{gjson.ParseBytes(f.Raw), f}, true
}

// Grants reports what an acknowledgment grants: a flag that is true, a list that
// is not empty.
func Grants(ack Heard, member string) bool {
	return Granted(ack.Msg.Get("params.notifications").Get(gjson.Escape(member)))
}

func Granted(v gjson.Result) bool {
	return v.Type == gjson.True || (v.IsArray() && len(v.Array()) > 0)
}

// StreamsNamed keeps the listen requests with one of these names.
func StreamsNamed(r *recording.Recording, names ...string) []*recording.Exchange {
	return slices.DeleteFunc(r.Steps(recording.StepListen), func(x *recording.Exchange) bool { return !slices.Contains(names, x.Tags[recording.TagName]) })
}
