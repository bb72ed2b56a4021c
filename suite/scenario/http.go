package scenario

import (
	"context"
	"fmt"
	"net/url"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The protocol's own headers.
const (
	HeaderVersion = "Mcp-Protocol-Version"
	HeaderSession = "Mcp-Session-Id"
)

// StrangeSession is a session id that no server ever issued.
const StrangeSession = "mcpcheck-7b4e91-never-issued"

// Sessionless is a tag that tells that a legacy target keeps no sessions.
func (c *Client) Sessionless() recording.Tags {
	if c.P.Combination.Transport == requirement.HTTP && !c.P.Modern() && c.S.HTTPSession() == "" {
		return recording.Tags{recording.TagSessionless: "yes"}
	}
	return nil
}

// PlainHTTP opens a client for single HTTP requests to the endpoint, whatever its
// transport, without a handshake.
func (p *Play) PlainHTTP(ctx context.Context, o target.DialOptions) (*Client, bool) {
	e := *p.Endpoint
	if e.Path == "" && e.Handler != nil {
		e.Path = p.Address().Path
	}
	e.Forced = requirement.HTTP
	dialer, err := e.Dialer(o)
	if err != nil {
		p.Break(recording.CodeUnreachable, err.Error())
		return nil, false
	}
	return p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true, Dialer: dialer})
}

// Address is the URL of the endpoint; of a handler in this process, the one that
// it is called by.
func (p *Play) Address() *url.URL {
	if u, err := url.Parse(p.Endpoint.URL); err == nil && p.Endpoint.URL != "" {
		return u
	}
	path := p.Endpoint.Path
	if path == "" {
		path = map[requirement.Transport]string{requirement.HTTP: "/mcp", requirement.SSE: "/sse"}[p.Combination.Transport]
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1", Path: path}
}

// As opens a session of another caller, over HTTP.
func (p *Play) As(ctx context.Context, id *target.Identity) (*Client, bool) {
	header := map[string]string{}
	for name, v := range id.Header {
		value, err := v.Reveal()
		if err != nil {
			p.Skip(recording.CodeNeedsConfig, fmt.Sprintf("the identity %q cannot be taken on: %v", id.Name, err))
			return nil, false
		}
		header[name] = value
	}
	return p.Fresh(ctx, session.Options{Kind: recording.Probe, Header: header})
}

// Peek makes an HTTP request and drops its response as soon as its head is there,
// so that a stream which stays open costs no time.
func (c *Client) Peek(ctx context.Context, q session.Request, d time.Duration) *recording.Exchange {
	st := c.S.Peek(ctx, q, d)
	return c.Note(c.Dropped(ctx, st))
}

// Dropped ends an exchange whose response may still be open.
func (c *Client) Dropped(ctx context.Context, st *session.Stream) *recording.Exchange {
	select {
	case <-st.HTTPEnded():
		return st.Wait(ctx)
	default:
	}
	x := st.Finish()
	st.Cancel()
	return x
}
