package transport

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// SSE speaks the HTTP+SSE transport of revision 2024-11-05: one event stream,
// whose first event names the endpoint to which messages are posted, and on
// which everything comes back.
//
// What belongs to the stream bears the channel "sse"; the requests that carry
// messages and their own responses bear "post:1" and so on. A message with
// another method goes to the URL of the stream instead: GET opens one more.
//
// A connection also has a method Endpoint() string: the resolved endpoint.
//
// The URL is that of the event stream; with a Handler, an empty one means
// http://127.0.0.1/sse. An endpoint of another origin is not called, because the
// Header may hold credentials.
type SSE HTTP

// channelSSE is the channel of the event stream.
const channelSSE = "sse"

// Transport is HTTP+SSE.
func (s *SSE) Transport() requirement.Transport { return requirement.SSE }

// Dial opens the event stream and waits for the endpoint event until the context
// ends. It fails with a [*DialError], unless the configuration itself is at fault.
func (s *SSE) Dial(ctx context.Context, sink Sink) (Conn, error) {
	cl, err := (*HTTP)(s).open(ctx, sink, "http://127.0.0.1/sse")
	if err != nil {
		return nil, err
	}
	c := &sseConn{client: cl, named: make(chan struct{})}
	if err := c.open(ctx); err != nil {
		c.finish(err)
		// The context may have ended already; what is open must go anyway.
		c.shutdown(context.WithoutCancel(ctx))
		return nil, err
	}
	return c, nil
}

type sseConn struct {
	*client
	stream *call

	named    chan struct{} // closed at the first endpoint event
	endpoint *url.URL      // valid then; nil if the event cannot be used
	why      string        // why it cannot
}

func (c *sseConn) open(ctx context.Context) (err error) {
	if c.stream, err = c.do(ctx, Message{Method: http.MethodGet}, c.home, channelSSE, c.hear); err != nil {
		return &DialError{Stage: "connect", Reason: err.Error(), Cause: err}
	}
	select {
	case <-c.named:
	case <-c.stream.done:
	case <-ctx.Done():
	}
	if err := c.opened(ctx); err != nil {
		return err
	}
	c.wg.Go(func() {
		<-c.stream.done
		err := c.stream.failure()
		if err == nil {
			err = cmp.Or(c.fallen(), errors.New("the target ended the event stream"))
		}
		c.finish(err)
	})
	return nil
}

// opened says what is missing for a connection; nil if nothing is.
func (c *sseConn) opened(ctx context.Context) error {
	at := c.home.Redacted()
	sent := c.stream.sent(channelSSE)
	status, err := sent.Status(), sent.Err()
	if status == http.StatusOK && isClosed(c.named) {
		if c.endpoint == nil {
			return &DialError{Stage: "endpoint", Status: status, Reason: c.why}
		}
		return nil
	}
	e := &DialError{Status: status, Cause: err}
	ended := isClosed(c.stream.done)
	if !ended {
		e.Cause = ctx.Err()
	}
	switch kind := mediaType(sent.Header()); {
	case status == 0 && ended && err != nil:
		e.Stage, e.Reason = "connect", err.Error()
	case status == 0:
		e.Stage, e.Reason = "connect", fmt.Sprintf("no response to GET %s in the time allowed", at)
	case status != http.StatusOK:
		e.Stage, e.Reason = "status",
			fmt.Sprintf("GET %s was answered with status %d, not with an event stream", at, status)
	case kind != "text/event-stream":
		e.Stage, e.Reason = "content-type",
			fmt.Sprintf("GET %s was answered with a body of type %q, not text/event-stream", at, kind)
	case ended:
		e.Stage, e.Reason = "endpoint", fmt.Sprintf("the event stream of %s ended without an endpoint event",
			at)
	default:
		e.Stage, e.Reason = "endpoint",
			fmt.Sprintf("no endpoint event came on the event stream of %s in the time allowed", at)
	}
	return e
}

// hear takes the first endpoint event.
func (c *sseConn) hear(f wire.Frame) {
	if f.Event.Type != "endpoint" {
		return
	}
	if isClosed(c.named) {
		c.note(channelSSE, "another endpoint event came; the first one stands")
		return
	}
	defer close(c.named)
	text := strings.TrimSpace(string(f.Raw))
	u, err := c.home.Parse(text)
	switch {
	case text == "":
		c.why = "the endpoint event is empty"
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Host == "":
		c.why = "the endpoint event holds no usable URI: " + wire.Excerpt(f.Raw, 200)
	case !c.trusts(u):
		c.why = "the endpoint event names " + u.Redacted() +
			", another origin than that of the stream; it is not called, because messages and credentials " +
			"are nobody else's business"
	default:
		u.Fragment = ""
		if u.User == nil {
			u.User = c.home.User
		}
		c.endpoint = u
	}
}

// Endpoint is the URI to which messages are posted, resolved.
func (c *sseConn) Endpoint() string { return c.endpoint.Redacted() }

// Send posts a message to the endpoint. Messages with another method go to the
// URL of the stream.
func (c *sseConn) Send(ctx context.Context, m Message) (*Sent, error) {
	if m.Method != "" && m.Method != http.MethodPost {
		return c.client.Send(ctx, m)
	}
	x, err := c.do(ctx, m, c.endpoint, "", nil)
	if err != nil {
		return nil, err
	}
	return x.sent(channelSSE), nil
}

// Close closes the event stream, which is how the transport ends a session.
func (c *sseConn) Close(ctx context.Context) Ending {
	return c.close(func() Ending {
		e := c.ended()
		c.shutdown(ctx)
		return e
	})
}
