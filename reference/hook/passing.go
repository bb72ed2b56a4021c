package hook

import (
	"context"
	"io"
	"net/http"
)

// Calling is a call on its way through a hook, and its context.
type Calling struct {
	context.Context
	*Call
	next Handler
}

// Next handles the call.
func (c Calling) Next() *Reply { return c.next(c.Context, c.Call) }

// Handle handles another call in its place.
func (c Calling) Handle(other *Call) *Reply { return c.next(c.Context, other) }

// Sending is an outgoing message on its way through a hook, and its context.
type Sending struct {
	context.Context
	Message
	next Emitter
}

// Next sends the message.
func (m Sending) Next() error { return m.next(m.Context, m.Message) }

// Send sends another message in its place.
func (m Sending) Send(other Message) error { return m.next(m.Context, other) }

// Streaming is a server-sent event on its way through a hook, and its context.
type Streaming struct {
	context.Context
	Event
	next EventWriter
}

// Next writes the event.
func (e Streaming) Next() error { return e.next(e.Context, e.Event) }

// Write writes another event in its place.
func (e Streaming) Write(other Event) error { return e.next(e.Context, other) }

// Receiving is an incoming message on its way through a hook, and its context.
type Receiving struct {
	context.Context
	Incoming
	next Receiver
}

// Next takes the message.
func (in Receiving) Next() error { return in.next(in.Context, in.Incoming) }

// Serving is an HTTP request on its way through a hook, and where its response goes.
type Serving struct {
	*http.Request
	W    http.ResponseWriter
	next http.Handler
}

// Next handles the request.
func (x Serving) Next() { x.Serve(x.W, x.Request) }

// Reply answers the request, which is not handled.
func (x Serving) Reply(status int, contentType, body string) {
	x.W.Header().Set("Content-Type", contentType)
	x.W.WriteHeader(status)
	if body != "" {
		_, _ = io.WriteString(x.W, body) // a client that has gone needs no answer
	}
}

// Serve handles another request in its place, or sends the response elsewhere.
func (x Serving) Serve(w http.ResponseWriter, r *http.Request) { x.next.ServeHTTP(w, r) }
