package verdict

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
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
	*wire.Message
	Frame *wire.Frame
}

// Evidence is the frame of the message.
func (m Message) Evidence() []int { return m.Frame.Evidence() }

// Received lists the messages that the target sent, of which at least the JSON is
// in order. What is no message of the protocol anyway (an error page, the response
// to a DELETE) is left out.
func Received(r *recording.Recording) []Message {
	type key struct{ frames int }
	all, _ := r.Note(key{len(r.Frames)}, func() any { return receive(r) }).([]Message)
	return all
}

func receive(r *recording.Recording) []Message {
	frames := r.Incoming(0)
	all := make([]Message, 0, len(frames))
	for _, f := range frames {
		if f.Truncated || !CarriesMessage(r.Combination.Transport, f) {
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
func CarriesMessage(t requirement.Transport, f *wire.Frame) bool {
	switch {
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
func Responses(r *recording.Recording) []Message {
	return kept(r, "responses", func(m Message) bool { return m.Kind == wire.KindResponse })
}

// kept lists the messages that fit, and is worked out once.
func kept(r *recording.Recording, what string, fits func(Message) bool) []Message {
	type key struct {
		what   string
		frames int
	}
	all, _ := r.Note(key{what, len(r.Frames)}, func() any {
		return recording.Keep(Received(r), fits)
	}).([]Message)
	return all
}

// Failures lists the error members of responses, null left out.
func Failures(r *recording.Recording) []Message {
	return recording.Keep(Responses(r), func(m Message) bool {
		e := m.Get("error")
		return e.Exists() && e.Type != gjson.Null
	})
}

// CallsOf lists the messages of the target that have a method.
func CallsOf(r *recording.Recording) []Message {
	return kept(r, "calls", func(m Message) bool { return m.Get("method").Exists() })
}

// RequestsOf lists the messages of the target that are requests. A notification
// with an id is none: that it has one is a finding of its own.
func RequestsOf(r *recording.Recording) []Message {
	return recording.Keep(CallsOf(r), func(m Message) bool {
		return m.Get("id").Exists() && !strings.HasPrefix(m.Method(), "notifications/")
	})
}

// features are the capabilities of clients that requests of the target use.
var features = map[string]bool{"roots": true, "sampling": true, "elicitation": true}

// Feature is the capability of the client that a request uses, and whether the client has declared it in a
// session, which may be nil; it is empty if it uses none.
func (m Message) Feature(s *recording.Session) (name string, declared bool) {
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
func RepliesOf(r *recording.Recording, x *recording.Exchange) []Message {
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

// LostID is the cause of what breaks each requirement that is about the ids of errors.
const LostID = "an error without the id of its request"

// LosesID reports whether a request was answered by an error without its id, as RPC-16 is about.
func LosesID(x *recording.Exchange) bool {
	return Request(x) && x.Failed() && x.Message().Get("id").Value() == nil
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

// Everything stands for all clean sessions of a combination.
var Everything = []recording.Name{recording.Everything}

// EachResult visits the results of a recording; those of a handshake are none of
// a modern revision.
func EachResult(r *recording.Recording, visit func(x *recording.Exchange)) {
	for _, x := range r.Exchanges {
		if x.Succeeded() && x.Method != "initialize" && judge.IsObject(x.Result()) {
			visit(x)
		}
	}
}

// Asker finds the request that a response answers: the one with its id, whatever
// the type.
func Asker(sent []*recording.Exchange, m Message) *recording.Exchange {
	var alike *recording.Exchange
	id := m.Get("id")
	asks := func(x *recording.Exchange) bool { return len(x.ID) > 0 && x.Request <= m.Frame.Number }
	if i := slices.IndexFunc(sent, func(x *recording.Exchange) bool {
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
func FirstReply(r *recording.Recording, x *recording.Exchange) *wire.Frame {
	if len(x.Replies) == 0 {
		return nil
	}
	return r.Frame(x.Replies[0])
}

// Unanswered: nothing came back for a notification but, over HTTP, a refusal.
func Unanswered(r *recording.Recording, x *recording.Exchange, v *Verdict) {
	if x.Outcome != recording.Replied {
		if x.Outcome == recording.Sent || x.Outcome == recording.HTTPOnly {
			v.Holds()
		}
		return
	}
	for _, m := range RepliesOf(r, x) {
		refusal := x.Status >= http.StatusBadRequest && m.Nameless() && m.Get("error").Exists()
		v.FailUnless(refusal, Finding{
			Expected:    "no response to " + x.Method,
			Actual:      matcher.Describe(x),
			On:          Several{x, m},
			Hint:        "never answer a message without an id",
			SharedCause: AnsweredNotification,
		})
	}
}

// AnsweredNotification is the cause of what breaks each requirement that is about notifications.
const AnsweredNotification = "a notification is answered"

// NoArrays: no message of the target is an array, but for frames that answer one of ours.
func NoArrays(r *recording.Recording, v *Verdict, answers ...int) {
	for _, f := range r.Incoming(0) {
		if CarriesMessage(r.Combination.Transport, f) && !f.Truncated && !slices.Contains(answers, f.Number) {
			p := f.Parsed()
			if p.Kind != wire.KindBatch {
				v.Holds()
				continue
			}
			frames, hint := []int{f.Number}, "send each message by itself"
			for _, x := range r.Exchanges {
				if slices.Contains(x.Replies, f.Number) || slices.Contains(x.Others, f.Number) {
					frames = append([]int{x.Request}, frames...)
					break
				}
			}
			if len(p.Messages) == 0 {
				hint = "answer a message that is refused with an error, or with an HTTP error status " +
					"without a body: an empty array says nothing"
			}
			v.Fail(Finding{
				Expected: "single messages: the revision has no batches",
				Actual:   "an array: " + wire.Excerpt(f.Raw, 60),
				Frames:   frames,
				Hint:     hint,
			})
		}
	}
}

// Detail is what the strict reader says about a flaw.
func Detail(f *wire.Frame, code wire.FlawCode) string {
	for _, flaw := range f.Flaws {
		if flaw.Code == code {
			return flaw.Detail
		}
	}
	return ""
}

// Declaration lists the frames in which the target declared its capabilities: in one of the sessions, or else
// when its revisions were found out.
func Declaration(r *recording.Recording) Frames {
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

// Responded reports whether an exchange has an HTTP response whose status can be
// judged, whatever its body; if not, it notes why.
func Responded(x *recording.Exchange, v *Verdict) bool {
	if x != nil && x.Status > 0 && x.Outcome != recording.Refused && x.Status != http.StatusUnauthorized {
		return true
	}
	if x != nil && x.Status == 0 && x.Outcome == recording.Sent {
		v.Block(recording.CodeNoAnswer, v.What(x)+" got no HTTP response", x)
		return false
	}
	return v.Answered(x) && x.Status > 0
}

// Body joins what came back in the HTTP response of an exchange.
func Body(r *recording.Recording, x *recording.Exchange) []byte {
	var all []byte
	for _, n := range x.Evidence() {
		if f := r.Frame(n); f != nil && f.Dir == wire.In {
			all = append(all, f.Whole()...)
		}
	}
	return all
}

// MediaType is the type of a body in lower case, without parameters.
func MediaType(h http.Header) string {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(kind))
}

// Streamed lists the exchanges that were answered by an event stream.
func Streamed(r *recording.Recording) []*recording.Exchange {
	return recording.Keep(r.Exchanges, func(x *recording.Exchange) bool {
		return len(x.ID) > 0 && x.Status == http.StatusOK && MediaType(x.Header) == "text/event-stream"
	})
}

// OnGet reports whether a frame came on a stream that was opened by GET, and not to resume the stream of a
// request. The body that says why there is no stream is no event.
func OnGet(r *recording.Recording, f *wire.Frame) bool {
	if f.Event == nil || !strings.HasPrefix(f.Channel, "get:") {
		return false
	}
	last := Resumes(r, f)
	return last == "" || slices.ContainsFunc(r.Frames, func(o wire.Frame) bool {
		return o.Dir == wire.In && o.Session == f.Session && o.Number < f.Number && o.Event != nil &&
			o.Event.ID == last && o.Channel != f.Channel && OnGet(r, &o)
	})
}

// AnsweredOnGet reports whether the response to a request came on a stream that was opened by GET in its
// session, which is what HTTP-11 is about. It may come before the HTTP response to the request, or after it.
func AnsweredOnGet(r *recording.Recording, x *recording.Exchange) bool {
	return slices.ContainsFunc(Responses(r), func(m Message) bool {
		return m.Frame.Session == x.Session && OnGet(r, m.Frame) && Asker([]*recording.Exchange{x}, m) != nil
	})
}

// Resumes is the Last-Event-ID by which the stream of a frame was asked for; empty if it was not.
func Resumes(r *recording.Recording, f *wire.Frame) string {
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

// SideBySide: both clients get their own answers, although the ids are the same. The
// check has to name the walks among its inputs, see [Doubles].
func SideBySide(r *recording.Recording, v *Verdict) {
	for _, x := range r.Exchanges {
		own, other := "resources", "resourceTemplates"
		switch x.Step {
		case recording.StepFirstList, recording.StepFirstAgain:
		case recording.StepSecondTemplates, recording.StepSecondAgain:
			own, other = other, own
		default:
			continue
		}
		if !v.Answered(x) {
			continue
		}
		const expected = "each client to get its own answers, and no others"
		mixed := x.Result().Get(other).Exists() && !x.Result().Get(own).Exists()
		v.FailUnless(!mixed, Finding{
			Expected: expected,
			On:       x, About: x.Method + ", which another client asked about",
		})
		if len(x.Replies) > 1 && Doubles(v) {
			continue
		}
		v.That(len(x.Replies) < 2, expected,
			fmt.Sprintf("%d answers to one request, while another client used the same id", len(x.Replies)),
			x)
	}
}
