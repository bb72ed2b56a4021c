package scenario

import (
	"context"
	"net/url"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

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
