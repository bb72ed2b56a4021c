package sse

import (
	"context"
	"net/http"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Step "open" is the GET that opens the event stream of HTTP+SSE, as a plain HTTP
// request. It ends when the first event with data has come. The tag "url" is the
// address of the stream, without credentials.
var sseEndpointScenario = &scenario.Scenario{
	Name:  SSEEndpoint,
	Title: "opening the event stream of HTTP+SSE by hand",
	Sends: "A plain GET that opens the event stream of HTTP+SSE, up to its first event.",
	Phase: scenario.Read,
	When: func(p *scenario.Play) *recording.Skipped {
		if p.Combination.Transport != requirement.SSE || !p.Combination.Defined() {
			return scenario.Skip(recording.CodeCombination, "the scenario is about HTTP+SSE")
		}
		return nil
	},
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.PlainHTTP(ctx, target.DialOptions{})
		if !ok {
			return
		}
		st := c.S.Peek(ctx, session.Request{Step: stepOpen, HTTPMethod: http.MethodGet, Tags: recording.Tags{tagURL: p.Address().Redacted()}}, p.Limits.Start)
		if st.Open() {
			c.S.Await(ctx, 0, p.Limits.Timeout, func(f *wire.Frame) bool { return f.Event != nil && f.Event.Type == "endpoint" })
		}
		c.Note(c.Dropped(ctx, st))
	},
}
