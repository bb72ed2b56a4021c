// Package hook holds the places at which the behaviour of the reference server
// can be changed from outside: around each call, around each message that goes
// out or comes in, around each server-sent event, around the HTTP handler and
// around the standard streams.
//
// Faults and quirks are made of hooks; the engine itself knows of neither. A
// hook sees the server as the wire does: decoded JSON objects or raw bytes.
//
// Whether a hook has acted on a message is seen from outside, see [Compared]: what it lets pass differs from
// what came. A hook that does something else (waits, sends, ends a connection) says so by [Acts].
package hook

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/revision"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// The transports, as Call.Transport and Message.Transport name them.
const (
	Stdio = revision.Stdio // newline-delimited messages on a pair of streams
	HTTP  = revision.HTTP  // Streamable HTTP
	SSE   = revision.SSE   // HTTP+SSE of 2024-11-05
)

// The protocol revisions that something began with; package internal/revision has all of them.
const (
	R20241105 = "2024-11-05"
	R20250326 = "2025-03-26"
	R20250618 = "2025-06-18"
	R20251125 = "2025-11-25"
	R20260728 = "2026-07-28"
)

// Revisions lists the protocol revisions, oldest first.
func Revisions() []string { return revision.Known().Names() }

// Modern reports whether the revision carries its metadata in every request
// instead of opening with a handshake. An unknown one goes by its date.
func Modern(name string) bool { return revision.Known().Of(name).Era == revision.Modern }

// Object is a JSON object. Numbers in it are json.Number, arrays are []any and
// nested objects are Objects, so that editing one member leaves all others as
// they were.
type Object = map[string]any

// Call is one request or notification on its way to the protocol's handlers.
// It has been parsed but not validated: a hook may change Method, Params and
// Header before it passes the call on.
type Call struct {
	// Revision is what the call claims: the version in its _meta, or that
	// of its session; empty before a handshake.
	Revision string
	// Modern says that the call is to be served statelessly.
	Modern    bool
	Transport string
	// ID is the request id as received; nil for a notification.
	ID     json.RawMessage
	Method string
	// Params is the params member as received; nil if there is none.
	Params json.RawMessage
	// Header holds the HTTP headers; nil on stdio. Hooks get a copy of those of the request.
	Header http.Header
	// Session is what it came on. A modern call over HTTP has one of its own.
	Session Session
	// Emit sends a message that belongs to this call (on HTTP: on the stream
	// of its POST), through the Emit hooks.
	Emit func(ctx context.Context, m Message) error
	// Trace is what is known of the message that the call came in.
	Trace *Trace

	own bool // Header is a copy
}

// lend gives a call to a hook, which may change it.
func (c *Call) lend() *Call {
	if !c.own {
		c.Header, c.own = c.Header.Clone(), true
	}
	return c
}

// Connection names the connection that the call came on: over HTTP that of the network, which is not the
// session.
func (c *Call) Connection() string {
	if c.Trace != nil && c.Trace.Connection != "" {
		return c.Trace.Connection
	}
	return c.Session.ID()
}

// Notification reports whether the call expects no answer.
func (c *Call) Notification() bool { return c.ID == nil }

// Reply is the answer to a call: a result, an error, verbatim bytes, or
// nothing.
type Reply struct {
	// Result is the result object, if Error is nil.
	Result Object
	// Rendered, if not nil, stands for Result or Error until somebody looks at it: what
	// follows the id in the envelope, as it is sent. See [Reply.Expand].
	Rendered *journal.Shared
	// Error is the error object (code, message, data), if not nil.
	Error Object
	// Raw, if not nil, is sent as it stands instead of an envelope. It is
	// also the only kind of reply that is sent to a notification.
	Raw []byte
	// Silent suppresses the answer. On HTTP the request then stays open until the
	// client leaves.
	Silent bool
	// Open marks the accepted call of a long-lived stream, which is answered
	// when the stream ends.
	Open bool
	// Status is the HTTP status; 0 means 200.
	Status int
	// Header is added to the headers of a JSON answer over HTTP.
	Header http.Header
}

// expand has Result and Error stand for themselves, so that a hook can look at them and change
// them. Functions that are given replies by [OnMethod] and what is made of it need not call it.
func (r *Reply) expand() {
	if r == nil || r.Rendered == nil {
		return
	}
	o, _ := DecodeObject(append([]byte{'{'}, r.Rendered.Bytes()...)) // the engine has encoded it
	r.Result, r.Error = ObjectAt(o, "result"), ObjectAt(o, "error")
	r.Rendered = nil
}

// Way is what a message of some sort passes.
type Way[X, R any] = func(ctx context.Context, x X) R

// Handler answers a call. A nil reply is a silent one.
type Handler = Way[*Call, *Reply]

// Kind says what a message is.
type Kind int

// The kinds of outgoing messages.
const (
	Response Kind = iota
	Notification
)

// Message is one outgoing message.
type Message struct {
	Kind Kind
	// Raw is the message: one JSON text without a line break (an array for
	// the answer to a batch).
	Raw []byte
	// Tail, if not nil, follows Raw: an answer is in two parts as long as no hook looks
	// at it. See [Message.Whole].
	Tail *journal.Shared
	// Method is the method of a notification.
	Method string
	// Call is the call that the message answers or belongs to; nil for a
	// change notification of a legacy session and for answers to unreadable input.
	Call *Call
	// Revision and Transport are those of the session, or of the call.
	Revision  string
	Transport string
	// Session is where the message goes.
	Session Session
	// Status is the HTTP status if the message becomes a JSON answer.
	Status int
	// Header is added to the headers of such an answer.
	Header http.Header
	// Write, if not nil, writes the framed message to the output of a stdio
	// connection in its own way: slowly, or in part. No other message is written
	// meanwhile. The context ends with the connection. After ErrOutputClosed the
	// connection goes on, but everything further that is sent on it is lost.
	Write func(ctx context.Context, w io.Writer, framed []byte) error

	deliver func(context.Context, Message) error
}

// ErrOutputClosed is what Message.Write returns when it has closed the output.
var ErrOutputClosed = errors.New("the output is closed")

// To sets where the message ends up after all hooks. The engine calls it.
func (m Message) To(deliver func(context.Context, Message) error) Message {
	m.deliver = deliver
	return m
}

// Whole is the message in one part. Functions that are given messages by [onMessage] and
// what is made of it get them so.
func (m Message) Whole() Message {
	if len(m.Tail.Bytes()) > 0 {
		m.Raw = slices.Concat(m.Raw, m.Tail.Bytes())
	}
	m.Tail = nil
	return m
}

// With is the message with other bytes.
func (m Message) With(raw []byte) Message {
	m.Raw, m.Tail = raw, nil
	return m
}

// Emitter sends a message.
type Emitter = Way[Message, error]

// Deliver is the innermost Emitter: it hands the message to the transport.
func Deliver(ctx context.Context, m Message) error {
	if m.deliver == nil {
		return nil
	}
	return m.deliver(ctx, m)
}

// Incoming is one raw message before it is parsed: a line of stdio without its
// newline, or the body of a POST.
type Incoming struct {
	Raw       []byte
	Transport string
	// Session is nil for a POST of no session.
	Session Session
}

// Receiver takes an incoming message. A hook may drop it (not call the next
// Receiver), alter it or pass on several. Nobody asks for the error.
type Receiver = Way[Incoming, error]

// Event is one server-sent event before it is written.
type Event struct {
	// ID, Type and Retry are the fields of these names; empty or 0 omits.
	ID    string
	Type  string
	Retry time.Duration
	// Data is the data field; nil omits it, empty bytes write an empty one.
	Data []byte
	// Raw, if not nil, is written instead of the encoded event.
	Raw []byte
	// Response says that the data is the answer to a request.
	Response bool
	// Stream is "post", "get" (Streamable HTTP) or "sse" (HTTP+SSE).
	Stream string
}

// EventWriter writes an event.
type EventWriter = Way[Event, error]

// Session is a connection (stdio, HTTP+SSE), a session (Streamable HTTP of the
// legacy revisions) or a single modern POST.
type Session interface {
	// ID is unique within the server; it is the session id where there is one.
	ID() string
	Transport() string
	// Revision is the negotiated revision; empty before the handshake and
	// for modern POSTs.
	Revision() string
	// Send writes raw bytes as one message that belongs to no request,
	// without passing the Emit hooks: on stdio a line, on HTTP an event of
	// one of the GET streams (lost if there is none).
	Send(ctx context.Context, raw []byte) error
	// Sessions lists the open sessions of the server, this one included, oldest
	// first. Modern POSTs appear only while a listen stream is open on them.
	Sessions() []Session
	// Abort ends the connection at once, without farewell. On HTTP it ends
	// the session with all its streams.
	Abort()
}

// Condition says whether something is in force, for a message or, where there is none, at all. A nil one says
// that it is not.
type Condition func(t *Trace) bool

// Always is in force.
func Always(*Trace) bool { return true }

// Holds reports whether the condition is there, and holds.
func (c Condition) Holds(t *Trace) bool { return c != nil && c(t) }

// Hooks is a set of hooks for one server; nil members change nothing. The server
// calls a function that takes a next again when its rules change. State belongs outside of such a
// function.
type Hooks struct {
	Handle  func(next Handler) Handler
	Emit    func(next Emitter) Emitter
	Receive func(next Receiver) Receiver
	Event   func(next EventWriter) EventWriter
	HTTP    func(next http.Handler) http.Handler
	// Stdio wraps the two streams of a connection on stdio that begins. What it writes goes out as it stands,
	// before all messages; end, if not nil, is called when the input has ended. The context ends with the
	// connection.
	Stdio func(ctx context.Context, in io.Reader, out io.Writer) (_ io.Reader, _ io.Writer, end func())
	// EventStreams makes the POSTs of requests be answered by an event
	// stream instead of a JSON object.
	EventStreams Condition
	// Conn wraps the connections on which HTTP is served: what goes in and out is
	// raw bytes.
	Conn func(c net.Conn) net.Conn
	// Public makes the HTTP endpoints be had at every address of the machine,
	// wherever the program was told to listen.
	Public Condition
	// OffGrid lets a handshake settle on any served revision, also on a
	// transport for which the specification does not define it.
	OffGrid Condition
	// About, if not nil, holds for the requests about which Handle, Emit or Receive may do anything, or about
	// what is sent for them. Without it these are all.
	About Condition
}

// Concern reports whether there is a function around calls or messages that may do anything
// about a request.
func (h *Hooks) Concern(t *Trace) bool { return h.acts() && (h.About == nil || t == nil || h.About(t)) }

// Idle reports whether there are no functions around single messages.
func (h *Hooks) Idle() bool { return !h.acts() && h.Event == nil && h.HTTP == nil }

// acts reports whether there are functions around calls and messages.
func (h *Hooks) acts() bool { return h.Handle != nil || h.Emit != nil || h.Receive != nil }

// Reading wraps the input of a connection on stdio that begins.
func Reading(wrap func(ctx context.Context, in io.Reader) io.Reader) Hooks {
	return Hooks{
		Stdio: func(ctx context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
			return wrap(ctx, in), out, nil
		},
	}
}

// Writing wraps its output; end, if not nil, is called when the input has ended.
func Writing(wrap func(out io.Writer) (_ io.Writer, end func())) Hooks {
	return Hooks{Stdio: func(_ context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
		out, end := wrap(out)
		return in, out, end
	}}
}

// Join combines hooks; the first is the outermost, which sees calls and
// incoming messages first and outgoing messages first as well.
func Join(all ...Hooks) Hooks {
	var joined Hooks
	for i := len(all) - 1; i >= 0; i-- {
		joined = wrap(all[i], joined)
	}
	return joined
}

func wrap(outer, inner Hooks) Hooks {
	return Hooks{
		Handle:       chain(outer.Handle, inner.Handle),
		Emit:         chain(outer.Emit, inner.Emit),
		Receive:      chain(outer.Receive, inner.Receive),
		Event:        chain(outer.Event, inner.Event),
		HTTP:         chain(outer.HTTP, inner.HTTP),
		Stdio:        stdio(outer.Stdio, inner.Stdio),
		EventStreams: either(outer.EventStreams, inner.EventStreams),
		// What reads first is next to the network.
		Conn:    chain(outer.Conn, inner.Conn),
		Public:  either(outer.Public, inner.Public),
		OffGrid: either(outer.OffGrid, inner.OffGrid),
		About:   concerns(outer, inner),
	}
}

// concerns is the About of two sets of hooks. One that has no functions says nothing.
func concerns(outer, inner Hooks) Condition {
	switch {
	case !outer.acts():
		return inner.About
	case !inner.acts():
		return outer.About
	case outer.About == nil || inner.About == nil:
		return nil
	}
	return either(outer.About, inner.About)
}

// Wrap is next with a hook around it, if there is one.
func Wrap[T any](hook func(next T) T, next T) T {
	if hook == nil {
		return next
	}
	return hook(next)
}

func chain[T any](outer, inner func(T) T) func(T) T {
	if outer == nil {
		return inner
	}
	if inner == nil {
		return outer
	}
	return func(next T) T { return outer(inner(next)) }
}

func either(outer, inner Condition) Condition {
	if outer == nil {
		return inner
	}
	if inner == nil {
		return outer
	}
	return func(t *Trace) bool { return outer(t) || inner(t) }
}

type streams = func(ctx context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func())

func stdio(outer, inner streams) streams {
	if outer == nil {
		return inner
	}
	if inner == nil {
		return outer
	}
	return func(ctx context.Context, in io.Reader, out io.Writer) (io.Reader, io.Writer, func()) {
		in, out, last := outer(ctx, in, out)
		in, out, first := inner(ctx, in, out)
		return in, out, func() { // what inner ones still write passes the outer ones
			for _, end := range []func(){first, last} {
				if end != nil {
					end()
				}
			}
		}
	}
}
