package recording

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// Message is a message of the target: a frame, or a member of an array in one.
type Message struct {
	*wire.Message
	Frame *wire.Frame
}

// Evidence is the frame of the message.
func (m Message) Evidence() []int { return m.Frame.Evidence() }

// Received lists the messages that the target sent, of which at least the JSON is
// in order. What is no message of the protocol anyway (an error page, the response
// to a DELETE) is left out.
func (r *Recording) Received() []Message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any { return r.receive() }).([]Message)
	return all
}

func (r *Recording) receive() []Message {
	frames := r.Incoming(0)
	all := make([]Message, 0, len(frames))
	for _, f := range frames {
		if f.Truncated || !r.CarriesMessage(f) {
			continue
		}
		for _, m := range messagesOf(f) {
			if m.IsObject() {
				all = append(all, m)
			}
		}
	}
	return all
}

// messagesOf lists the messages of a frame.
func messagesOf(f *wire.Frame) []Message {
	parsed := f.Parsed().Messages
	all := make([]Message, len(parsed))
	for i := range parsed {
		all[i] = Message{&parsed[i], f}
	}
	return all
}

// CarriesMessage reports whether a frame is where the protocol has messages: a
// line of stdio, an event, or the body of a successful POST. A body with an error
// status is one only if it says so.
func (r *Recording) CarriesMessage(f *wire.Frame) bool {
	switch t := r.Combination.Transport; {
	case t == requirement.Stdio:
		return f.Channel == "stdout"
	case f.Event != nil:
		return f.Event.Type == "" || f.Event.Type == "message"
	case t == requirement.SSE:
		return false
	case f.HTTP != nil && f.HTTP.Status >= 300:
		p := f.Parsed()
		return p.Kind != wire.KindBatch && len(p.Messages) > 0 && p.Messages[0].IsObject() &&
			p.Messages[0].Get("jsonrpc").Exists()
	}
	return strings.HasPrefix(f.Channel, "post") || f.Channel == "stdout"
}

// Responses lists the messages that are responses.
func (r *Recording) Responses() []Message {
	return r.kept("responses", func(m Message) bool { return m.Kind == wire.KindResponse })
}

// kept lists the messages that fit, and is worked out once.
func (r *Recording) kept(what string, fits func(Message) bool) []Message {
	type key struct {
		what   string
		frames int
	}
	all, _ := r.Note(key{what, len(r.Frames)}, func() any {
		return Keep(r.Received(), fits)
	}).([]Message)
	return all
}

// Failures lists the error members of responses, null left out.
func (r *Recording) Failures() []Message {
	return Keep(r.Responses(), func(m Message) bool {
		e := m.Get("error")
		return e.Exists() && e.Type != gjson.Null
	})
}

// OwnCalls lists the messages of the target that have a method.
func (r *Recording) OwnCalls() []Message {
	return r.kept("calls", func(m Message) bool { return m.Get("method").Exists() })
}

// OwnRequests lists the messages of the target that are requests. A notification
// with an id is none: another requirement judges the id.
func (r *Recording) OwnRequests() []Message {
	return Keep(r.OwnCalls(), func(m Message) bool {
		return m.Get("id").Exists() && !strings.HasPrefix(m.Method(), "notifications/")
	})
}

// features are the capabilities of clients that requests of the target use.
var features = map[string]bool{"roots": true, "sampling": true, "elicitation": true}

// Feature is the capability of the client that a request uses, and whether the client has declared it in a
// session, which may be nil; it is empty if it uses none.
func (m Message) Feature(s *Session) (name string, declared bool) {
	name, _, _ = strings.Cut(m.Method(), "/")
	if !features[name] {
		return "", false
	}
	return name, s != nil && s.Initialize != nil && s.Initialize.Param("capabilities."+name).Exists()
}

// Method is the method of the message; empty if it has none that is a string.
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

// RepliesOf lists the responses in the replies to an exchange.
func (r *Recording) RepliesOf(x *Exchange) []Message {
	var all []Message
	for _, n := range x.Replies {
		f := r.Frame(n)
		if f == nil {
			continue
		}
		for _, m := range messagesOf(f) {
			if m.Get("result").Exists() || m.Get("error").Exists() {
				all = append(all, m)
			}
		}
	}
	return all
}

// Said describes a message with its method or id.
func (m Message) Said() string {
	if name := m.Method(); name != "" {
		return name
	}
	return "the response to " + judge.Brief(m.Get("id"))
}

// Results lists the exchanges with a result that is an object; those of a handshake are none of
// a modern revision.
func (r *Recording) Results() []*Exchange {
	return Keep(r.Exchanges, func(x *Exchange) bool {
		return x.Succeeded() && x.Method != "initialize" && judge.IsObject(x.Result())
	})
}

// Asker finds the request that a response answers: the one with its id, whatever
// the type.
func (m Message) Asker(sent []*Exchange) *Exchange {
	var alike *Exchange
	id := m.Get("id")
	asks := func(x *Exchange) bool { return len(x.ID) > 0 && x.Request <= m.Frame.Number }
	if i := slices.IndexFunc(sent, func(x *Exchange) bool {
		return asks(x) && string(x.ID) == id.Raw
	}); i >= 0 {
		return sent[i]
	}
	text := id.String()
	for _, x := range sent {
		switch {
		case !asks(x):
		case m.HasID(x.ID):
			return x
		case gjson.ParseBytes(x.ID).String() == text:
			alike = x
		}
	}
	return alike
}

// FirstReply is the frame of the response to a request, or nil.
func (r *Recording) FirstReply(x *Exchange) *wire.Frame {
	if len(x.Replies) == 0 {
		return nil
	}
	return r.Frame(x.Replies[0])
}

// Declaration lists the frames in which the target declared its capabilities: in one of the sessions, or else
// when its revisions were found out.
func (r *Recording) Declaration() Frames {
	for _, s := range r.Sessions {
		if s.Initialize != nil && s.Initialize.Succeeded() {
			return s.Initialize.Evidence()
		}
	}
	for _, x := range r.Exchanges {
		if (x.Method == "server/discover" || x.Method == "initialize") && x.Succeeded() {
			return x.Evidence()
		}
	}
	return r.Facts.DeclaredIn
}

// Body joins what came back in the HTTP response of an exchange.
func (r *Recording) Body(x *Exchange) []byte {
	var all []byte
	for _, n := range x.Evidence() {
		if f := r.Frame(n); f != nil && f.Dir == wire.In {
			all = append(all, f.Whole()...)
		}
	}
	return all
}

// MediaType is the type of the body of the HTTP response in lower case, without parameters.
func (x *Exchange) MediaType() string {
	kind, _, _ := strings.Cut(x.Header.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// EventStream reports whether the body of the HTTP response is an event stream.
func (x *Exchange) EventStream() bool { return x.MediaType() == "text/event-stream" }

// Streamed lists the exchanges that were answered by an event stream.
func (r *Recording) Streamed() []*Exchange {
	return Keep(r.Exchanges, func(x *Exchange) bool {
		return len(x.ID) > 0 && x.Status == http.StatusOK && x.EventStream()
	})
}

// OnGet reports whether a frame came on a stream that was opened by GET, and not to resume the stream of a
// request. The body that says why there is no stream is no event.
func (r *Recording) OnGet(f *wire.Frame) bool {
	if f.Event == nil || !strings.HasPrefix(f.Channel, "get:") {
		return false
	}
	last := r.Resumes(f)
	return last == "" || slices.ContainsFunc(r.Frames, func(o wire.Frame) bool {
		return o.Dir == wire.In && o.Session == f.Session && o.Number < f.Number && o.Event != nil &&
			o.Event.ID == last && o.Channel != f.Channel && r.OnGet(&o)
	})
}

// AnsweredOnGet reports whether the response to a request came on a stream that was opened by GET in its
// session, which is what HTTP-11 is about. It may come before the HTTP response to the request, or after it.
func (r *Recording) AnsweredOnGet(x *Exchange) bool {
	return slices.ContainsFunc(r.Responses(), func(m Message) bool {
		return m.Frame.Session == x.Session && r.OnGet(m.Frame) && m.Asker([]*Exchange{x}) != nil
	})
}

// Resumes is the Last-Event-ID by which the stream of a frame was asked for; empty if it was not.
func (r *Recording) Resumes(f *wire.Frame) string {
	if !strings.HasPrefix(f.Channel, "get:") {
		return ""
	}
	for i := range r.Frames {
		if o := &r.Frames[i]; o.Dir == wire.Out && o.Session == f.Session && o.Channel == f.Channel &&
			o.HTTP != nil {
			return o.HTTP.Header.Get("Last-Event-ID")
		}
	}
	return ""
}

// Unprovoked is how a process ended in a session in which it was sent nothing out of order; empty if
// none did. One that had been idle for a while may end: see STDIO-09.
func (r *Recording) Unprovoked() string {
	for _, s := range r.Sessions {
		if s.Kind == Clean && s.Lost != "" && !s.Idle {
			return s.Lost
		}
	}
	return ""
}

// LostOverText reports whether the target was lost over text that is no JSON. The recording may be missing.
func (r *Recording) LostOverText() bool {
	return r != nil && slices.ContainsFunc(r.Steps(StepNotJSON), func(x *Exchange) bool {
		return x.Fatal
	})
}
