package check

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// errorSources are the recordings in which errors occur: clean sessions, and the
// probes that provoke them.
var errorSources = []recording.Name{recording.Everything, recording.MissingReads, recording.InvalidMessages}

// message is a message of the target: a frame, or a member of an array in one.
type message struct {
	object
	frame *wire.Frame
	kind  wire.Kind
}

// received lists the messages that the target sent, of which at least the JSON is
// in order. What is no message of the protocol anyway (an error page, the response
// to a DELETE) is left out.
func received(r *recording.Recording) []message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any { return receive(r) }).([]message)
	return all
}

func receive(r *recording.Recording) []message {
	var all []message
	for _, p := range parsedFrames(r) {
		if !p.valid || p.frame.Truncated || !carriesMessage(r.Combination.Transport, p.frame) {
			continue
		}
		for _, m := range members(p.value) {
			if m.IsObject() {
				o := lookedUp(m)
				all = append(all, message{o, p.frame, wire.KindOf(o.Get)})
			}
		}
	}
	return all
}

// members are the messages of a frame: those of an array, or the one that it is.
func members(m gjson.Result) []gjson.Result {
	if m.IsArray() {
		return m.Array()
	}
	return []gjson.Result{m}
}

// carriesMessage reports whether a frame is where the protocol has messages: a
// line of stdio, an event, or the body of a successful POST. A body with an error
// status is one only if it says so.
func carriesMessage(t requirement.Transport, f *wire.Frame) bool {
	switch {
	case t == requirement.Stdio:
		return f.Channel == "stdout"
	case f.Event != nil:
		return f.Event.Type == "" || f.Event.Type == "message"
	case t == requirement.SSE:
		return false
	case f.HTTP != nil && f.HTTP.Status >= 300:
		return wire.Member(f.Raw, "jsonrpc").Exists()
	}
	return strings.HasPrefix(f.Channel, "post") || f.Channel == "stdout"
}

// responses lists the messages that are responses.
func responses(r *recording.Recording) []message {
	var all []message
	for _, m := range received(r) {
		if m.kind == wire.KindResponse {
			all = append(all, m)
		}
	}
	return all
}

// failures lists the error members of responses, null left out.
func failures(r *recording.Recording) []message {
	var all []message
	for _, m := range responses(r) {
		if e := m.Get("error"); e.Exists() && e.Type != gjson.Null {
			all = append(all, m)
		}
	}
	return all
}

// callsOf lists the messages of the target that have a method.
func callsOf(r *recording.Recording) []message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any {
		var all []message
		for _, m := range received(r) {
			if m.Get("method").Exists() {
				all = append(all, m)
			}
		}
		return all
	}).([]message)
	return all
}

// requestsOf lists the messages of the target that are requests. A notification
// with an id is none: that it has one is a finding of its own.
func requestsOf(r *recording.Recording) []message {
	var all []message
	for _, m := range callsOf(r) {
		if m.Get("id").Exists() && !strings.HasPrefix(m.method(), "notifications/") {
			all = append(all, m)
		}
	}
	return all
}

func (m message) method() string {
	if v := m.Get("method"); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// nameless reports whether the message has no id, or a null one.
func (m message) nameless() bool {
	id := m.Get("id")
	return !id.Exists() || id.Type == gjson.Null
}

func (m message) id() json.RawMessage { return json.RawMessage(m.Get("id").Raw) }

// repliesOf lists the responses in the replies to an exchange.
func repliesOf(r *recording.Recording, x *recording.Exchange) []message {
	var all []message
	for _, n := range x.Replies {
		f := r.Frame(n)
		if f == nil {
			continue
		}
		for _, m := range members(gjson.ParseBytes(bytes.TrimPrefix(f.Raw, []byte("\xef\xbb\xbf")))) {
			if m.Get("result").Exists() || m.Get("error").Exists() {
				all = append(all, message{object{Result: m}, f, wire.KindResponse})
			}
		}
	}
	return all
}

// request reports whether an exchange was a request, to which a response is due.
func request(x *recording.Exchange) bool {
	return x.Method != "" && len(x.ID) > 0
}

// said describes a message with its method or id.
func (m message) said() string {
	if name := m.method(); name != "" {
		return name
	}
	return "the response to " + Brief(m.Get("id"))
}
