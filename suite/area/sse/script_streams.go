package sse

import (
	"context"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Steps "first" and "second" are requests whose event streams are to be told
// apart. If the first one's events have ids, "resume" asks for what came after its
// first event, and its tag "id" is that event's id. Where that is served and the target keeps sessions,
// step "resume-elsewhere" asks for the same in another session.
var httpResumeScenario = &scenario.Scenario{
	Name:  HTTPResume,
	Title: "resuming a stream",
	Sends: "Two requests with event streams, and, if events have ids, a GET with Last-Event-ID, in their session and in another one.",
	Phase: scenario.Quiet,
	Apart: true,
	After: []recording.Name{recording.Reads},
	When:  scenario.OverLegacyHTTP,
	Script: scenario.OnFresh(session.Options{Kind: recording.Probe}, func(ctx context.Context, p *scenario.Play, c *scenario.Client) {
		first, second := p.Ordinary(stepFirst), p.Ordinary(stepSecond)
		if slow := p.Target.Subjects.Slow; slow != nil && slow.Progress {
			first = scenario.ReadRequest(stepFirst, slow.URI, "mcpcheck-progress-first")
			second = scenario.ReadRequest(stepSecond, slow.URI, "mcpcheck-progress-second")
		}
		x := c.Do(ctx, first)
		c.Do(ctx, second)
		id := firstEvent(c, x)
		if id == "" {
			p.Skip(recording.CodeNotExercised, "the events that answer requests have no ids")
			return
		}
		clients, streams := []*scenario.Client{c}, []*session.Stream{resume(ctx, c, recording.StepResume, id)}
		if streams[0].Status() == http.StatusOK && c.S.HTTPSession() != "" && !p.Limited() {
			if other, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe}); ok {
				clients, streams = append(clients, other), append(streams, resume(ctx, other, stepElsewhere, id))
			}
		}
		if slices.ContainsFunc(streams, (*session.Stream).Open) {
			c.S.Quiet(ctx, p.Limits.QuietWindow)
		}
		for i, st := range streams {
			clients[i].Note(clients[i].Dropped(ctx, st))
		}
	}),
}

// resume asks for what came after an event.
func resume(ctx context.Context, c *scenario.Client, step recording.Step, id string) *session.Stream {
	return c.S.Peek(ctx, session.Request{Step: step, HTTPMethod: http.MethodGet, Tags: recording.Tags{tagID: id},
		Header: map[string]string{session.HeaderLastEventID: id}}, c.P.Limits.Timeout)
}

// firstEvent is the id of the first event that answered a request; empty if
// none has one.
func firstEvent(c *scenario.Client, x *recording.Exchange) string {
	own := map[int]bool{}
	for _, n := range x.Evidence() {
		own[n] = true
	}
	for _, f := range c.S.Incoming(0) {
		if own[f.Number] && f.Event != nil && f.Event.HasID {
			return f.Event.ID
		}
	}
	return ""
}

// Step "open" is the GET that opens the event stream of HTTP+SSE, as a plain HTTP
// request. It ends when the first event with data has come. The tag "url" is the
// address of the stream, without credentials.
var sseEndpointScenario = &scenario.Scenario{
	Name:  SSEEndpoint,
	Title: "opening the event stream of HTTP+SSE by hand",
	Sends: "A plain GET that opens the event stream of HTTP+SSE, up to its first event.",
	Phase: scenario.Read,
	When: scenario.Where(func(p *scenario.Play) bool {
		return p.Combination.Transport == requirement.SSE && p.Combination.Defined()
	}, recording.CodeCombination, "the scenario is about HTTP+SSE"),
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
