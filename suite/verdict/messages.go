package verdict

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// ErrorSources are the recordings in which errors occur: clean sessions, and the
// probes that provoke them.
var ErrorSources = []recording.Name{recording.Everything, recording.MissingReads, recording.InvalidMessages}

// Message is a message of the target: a frame, or a member of an array in one.
type Message struct {
	object
	Frame *wire.Frame
	Kind  wire.Kind
}

// Received lists the messages that the target sent, of which at least the JSON is
// in order. What is no message of the protocol anyway (an error page, the response
// to a DELETE) is left out.
func Received(r *recording.Recording) []Message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any { return receive(r) }).([]Message)
	return all
}

func receive(r *recording.Recording) []Message {
	var all []Message
	for _, p := range ParsedFrames(r) {
		if !p.Valid || p.Frame.Truncated || !CarriesMessage(r.Combination.Transport, p.Frame) {
			continue
		}
		for _, m := range Members(p.Value) {
			if m.IsObject() {
				o := LookedUp(m)
				all = append(all, Message{o, p.Frame, wire.KindOf(o.Get)})
			}
		}
	}
	return all
}

// Members are the messages of a frame: those of an array, or the one that it is.
func Members(m gjson.Result) []gjson.Result {
	if m.IsArray() {
		return m.Array()
	}
	return []gjson.Result{m}
}

// CarriesMessage reports whether a frame is where the protocol has messages: a
// line of stdio, an event, or the body of a successful POST. A body with an error
// status is one only if it says so.
func CarriesMessage(t requirement.Transport, f *wire.Frame) bool {
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

// Responses lists the messages that are responses.
func Responses(r *recording.Recording) []Message {
	var all []Message
	for _, m := range Received(r) {
		if m.Kind == wire.KindResponse {
			all = append(all, m)
		}
	}
	return all
}

// Failures lists the error members of responses, null left out.
func Failures(r *recording.Recording) []Message {
	var all []Message
	for _, m := range Responses(r) {
		if e := m.Get("error"); e.Exists() && e.Type != gjson.Null {
			all = append(all, m)
		}
	}
	return all
}

// CallsOf lists the messages of the target that have a method.
func CallsOf(r *recording.Recording) []Message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any {
		var all []Message
		for _, m := range Received(r) {
			if m.Get("method").Exists() {
				all = append(all, m)
			}
		}
		return all
	}).([]Message)
	return all
}

// RequestsOf lists the messages of the target that are requests. A notification
// with an id is none: that it has one is a finding of its own.
func RequestsOf(r *recording.Recording) []Message {
	var all []Message
	for _, m := range CallsOf(r) {
		if m.Get("id").Exists() && !strings.HasPrefix(m.Method(), "notifications/") {
			all = append(all, m)
		}
	}
	return all
}

func (m Message) Method() string {
	if v := m.Get("method"); v.Type == gjson.String {
		return v.Str
	}
	return ""
}

// Nameless reports whether the message has no id, or a null one.
func (m Message) Nameless() bool {
	id := m.Get("id")
	return !id.Exists() || id.Type == gjson.Null
}

func (m Message) ID() json.RawMessage { return json.RawMessage(m.Get("id").Raw) }

// RepliesOf lists the responses in the replies to an exchange.
func RepliesOf(r *recording.Recording, x *recording.Exchange) []Message {
	var all []Message
	for _, n := range x.Replies {
		f := r.Frame(n)
		if f == nil {
			continue
		}
		for _, m := range Members(gjson.ParseBytes(bytes.TrimPrefix(f.Raw, []byte("\xef\xbb\xbf")))) {
			if m.Get("result").Exists() || m.Get("error").Exists() {
				all = append(all, Message{object{Result: m}, f, wire.KindResponse})
			}
		}
	}
	return all
}

// Request reports whether an exchange was a request, to which a response is due.
func Request(x *recording.Exchange) bool {
	return x.Method != "" && len(x.ID) > 0
}

// Said describes a message with its method or id.
func (m Message) Said() string {
	if name := m.Method(); name != "" {
		return name
	}
	return "the response to " + judge.Brief(m.Get("id"))
}
