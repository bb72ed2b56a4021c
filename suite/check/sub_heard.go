package check

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The notifications about changes.
const (
	updated     = "notifications/resources/updated"
	listUpdated = "notifications/resources/list_changed"
	acked       = "notifications/subscriptions/acknowledged"
)

// heard is a message that the target sent: a frame, or one of a batch.
type heard struct {
	msg   gjson.Result
	frame *wire.Frame
}

func (h heard) method() string { return h.msg.Get("method").String() }
func (h heard) uri() string    { return h.msg.Get("params.uri").String() }

// subscription is the subscription id that a message carries.
func (h heard) subscription() gjson.Result {
	member := "params"
	if !h.msg.Get("method").Exists() {
		member = "result"
	}
	return h.msg.Get(member + `._meta.io\.modelcontextprotocol/subscriptionId`)
}

// hear lists the messages of a session after a frame number; an empty session
// means all of them.
func hear(r *recording.Recording, session string, after int) []heard {
	var all []heard
	for _, f := range r.Incoming(after) {
		if (session != "" && f.Session != session) || !wire.Valid(f.Raw) {
			continue
		}
		m := gjson.ParseBytes(f.Raw)
		if !m.IsArray() {
			all = append(all, heard{m, f})
			continue
		}
		for _, one := range m.Array() {
			all = append(all, heard{one, f})
		}
	}
	return all
}

// only keeps the messages of some methods.
func only(all []heard, methods ...string) []heard {
	return slices.DeleteFunc(slices.Clone(all), func(h heard) bool { return !slices.Contains(methods, h.method()) })
}

// on keeps the messages that belong to a listen request: on Streamable HTTP those
// of its stream; on stdio those that bear its id, be it as a string instead of a
// number or the other way round.
func on(all []heard, r *recording.Recording, x *recording.Exchange) []heard {
	request := r.Frame(x.Request)
	return slices.DeleteFunc(slices.Clone(all), func(h heard) bool {
		if h.frame.Session != x.Session {
			return true
		}
		if r.Combination.Transport == requirement.HTTP {
			return request == nil || h.frame.Channel != request.Channel
		}
		id := h.subscription()
		if !id.Exists() && !h.msg.Get("method").Exists() {
			id = h.msg.Get("id")
		}
		return !id.Exists() || id.String() != gjson.ParseBytes(x.ID).String()
	})
}

// frameNumbers lists the frames of some messages.
func frameNumbers(all []heard) []int {
	var numbers []int
	for _, h := range all {
		numbers = append(numbers, h.frame.Number)
	}
	return numbers
}

// watcherOf and bystanderOf name the sessions of the two roles; empty if there is
// none.
func watcherOf(r *recording.Recording) string   { return roleOf(r, "watcher") }
func bystanderOf(r *recording.Recording) string { return roleOf(r, "bystander") }

func roleOf(r *recording.Recording, who string) string {
	for _, x := range r.Exchanges {
		if x.Tags["who"] == who {
			return x.Session
		}
	}
	return ""
}

// ackOf is the acknowledgment of a listen request.
func ackOf(r *recording.Recording, x *recording.Exchange) (ack heard, ok bool) {
	n, err := strconv.Atoi(x.Tags["ack"])
	if err != nil {
		return heard{}, false
	}
	f := r.Frame(n)
	if f == nil {
		return heard{}, false
	}
	return heard{gjson.ParseBytes(f.Raw), f}, true
}

// grants reports what an acknowledgment grants: a flag that is true, a list that
// is not empty.
func grants(ack heard, member string) bool {
	return granted(ack.msg.Get("params.notifications").Get(gjson.Escape(member)))
}

func granted(v gjson.Result) bool {
	return v.Type == gjson.True || (v.IsArray() && len(v.Array()) > 0)
}

// grantsURI reports whether an acknowledgment grants updates for a URI.
func grantsURI(ack heard, uri string) bool {
	return slices.ContainsFunc(ack.msg.Get("params.notifications.resourceSubscriptions").Array(), func(u gjson.Result) bool {
		return u.Type == gjson.String && u.Str == uri
	})
}

// sameID reports whether a value is the id of a request, in value and type.
func sameID(v gjson.Result, x *recording.Exchange) bool {
	return v.Exists() && wire.SameID(json.RawMessage(v.Raw), x.ID)
}

// related reports whether an update for one URI may come from a subscription to
// another: it is the same, or one lies below the other.
func related(uri, subscribed string) bool {
	return strings.HasPrefix(uri, subscribed) || strings.HasPrefix(subscribed, uri)
}

// streamsNamed keeps the listen requests with one of these names.
func streamsNamed(r *recording.Recording, names ...string) []*recording.Exchange {
	return slices.DeleteFunc(r.Steps("listen"), func(x *recording.Exchange) bool { return !slices.Contains(names, x.Tags["name"]) })
}

// listenable asks for something that can be listened to.
func listenable(f *recording.Facts) *recording.Skipped {
	if f.Declares("resources.subscribe") || f.Declares("resources.listChanged") {
		return nil
	}
	return &recording.Skipped{Code: recording.CodeUndeclared,
		Reason: "the target declares neither capabilities.resources.subscribe nor capabilities.resources.listChanged"}
}

// sessionless skips a requirement where a legacy target keeps no sessions on
// Streamable HTTP: it cannot remember who subscribed to what.
func sessionless(x *recording.Exchange, v *Verdict) bool {
	if x == nil || x.Tags["sessionless"] == "" {
		return false
	}
	v.Skip(recording.CodeNotExercised, "the target issues no session ids on Streamable HTTP, so it cannot keep subscriptions")
	return true
}
