package scenario

import (
	"context"
	"net/http"
	"net/url"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Step "open" is the GET that opens the event stream of HTTP+SSE, as a plain HTTP
// request. It ends when the first event with data has come. The tag "url" is the
// address of the stream, without credentials.
var _ = register(&Scenario{
	Name:  recording.SSEEndpoint,
	Title: "opening the event stream of HTTP+SSE by hand",
	Sends: "A plain GET that opens the event stream of HTTP+SSE, up to its first event.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Combination.Transport != requirement.SSE || !p.Combination.Defined() {
			return skip(recording.CodeCombination, "the scenario is about HTTP+SSE")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.plainHTTP(ctx, target.DialOptions{})
		if !ok {
			return
		}
		st := c.s.Peek(ctx, session.Request{Step: "open", HTTPMethod: http.MethodGet, Tags: Tags("url", p.address().Redacted())}, p.Limits.Start)
		if st.Open() {
			c.s.Await(ctx, 0, p.Limits.Timeout, func(f *wire.Frame) bool { return f.Event != nil && f.Event.Type == "endpoint" })
		}
		c.note(c.dropped(ctx, st))
	},
})

// plainHTTP opens a client for single HTTP requests to the endpoint, whatever its
// transport, without a handshake.
func (p *Play) plainHTTP(ctx context.Context, o target.DialOptions) (*Client, bool) {
	e := *p.Endpoint
	if e.Path == "" && e.Handler != nil {
		e.Path = p.address().Path
	}
	e.Forced = requirement.HTTP
	dialer, err := e.Dialer(o)
	if err != nil {
		p.Break(recording.CodeUnreachable, err.Error())
		return nil, false
	}
	return p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true, Dialer: dialer})
}

// address is the URL of the endpoint; of a handler in this process, the one that
// it is called by.
func (p *Play) address() *url.URL {
	if u, err := url.Parse(p.Endpoint.URL); err == nil && p.Endpoint.URL != "" {
		return u
	}
	path := p.Endpoint.Path
	if path == "" {
		path = map[requirement.Transport]string{requirement.HTTP: "/mcp", requirement.SSE: "/sse"}[p.Combination.Transport]
	}
	return &url.URL{Scheme: "http", Host: "127.0.0.1", Path: path}
}
