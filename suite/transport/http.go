package transport

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// HTTP speaks Streamable HTTP with one endpoint: each message is an HTTP request
// of its own, whose response is a message, an event stream, or empty.
//
// The channel of a request is its method and a number: "post:1", "get:1",
// "delete:1". Every response begins with a frame that bears status and headers;
// a JSON body is in that frame, the events of a stream follow in frames of their
// own. An event without data is a frame without Raw.
type HTTP struct {
	// URL is the endpoint. If the client has a Handler, the host is only a
	// name, and an empty URL means http://127.0.0.1/mcp.
	URL string
	// Header is sent with every request to the host of the URL; a message
	// may override it.
	Header http.Header
	Client Client
	Limits Limits
}

// Transport is Streamable HTTP.
func (h *HTTP) Transport() requirement.Transport { return requirement.HTTP }

// Dial prepares a client. It sends nothing: whether the endpoint can be reached
// shows with the first message.
func (h *HTTP) Dial(ctx context.Context, sink Sink) (Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	c, err := h.open(ctx, sink, "http://127.0.0.1/mcp")
	if err != nil {
		return nil, err
	}
	return c, nil
}

// endpoint reads the URL.
func (h *HTTP) endpoint(inProcess string) (*url.URL, error) {
	text := h.URL
	if text == "" && h.Client.Handler != nil {
		text = inProcess
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("the URL of the target cannot be read: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("the URL %q of the target is not of the form http://HOST/PATH or "+
			"https://HOST/PATH", u.Redacted())
	}
	u.Fragment = ""
	return u, nil
}

// Send makes one HTTP request.
func (c *client) Send(ctx context.Context, m Message) (*Sent, error) {
	x, err := c.do(ctx, m, c.home, "", nil)
	if err != nil {
		return nil, err
	}
	return x.sent(x.channel), nil
}

// Close drops everything that is still running. To end a session, send DELETE
// before.
func (c *client) Close(ctx context.Context) Ending {
	return c.close(func() Ending {
		e := Ending{By: "us"}
		if err := c.limitErr(); err != nil {
			e.Reason = err.Error()
		}
		c.shutdown(ctx)
		return e
	})
}
