package scenario

import (
	"context"
	"net/http"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// lingering is how long a stream may stay open after the answer before it counts
// as not ended.
const lingering = 2 * time.Second

// Step "get" is the stream opened by GET (legacy revisions), open as long as the
// other requests last: "list", "templates", "read", and "slow" for a slow resource
// that reports progress. All ask for progress. The tag "open" is set on those
// whose event stream was still open two seconds after the answer.
var _ = register(&Scenario{
	Name:  recording.HTTPStreams,
	Title: "watching the event streams of requests and of GET",
	Sends: "A GET stream, if there is one, and lists and reads with progress tokens beside it; their streams are watched for what does not belong there.",
	Phase: Quiet,
	After: []recording.Name{recording.Reads},
	When:  overHTTP,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		stream := c.s.OpenStream(ctx, "get")
		all := []session.Request{p.ordinary("list")}
		if p.Facts.Declares("resources") {
			all = append(all, session.Request{Step: "templates", Method: "resources/templates/list"})
		}
		if uri := p.readable(); uri != "" {
			all = append(all, readRequest("read", uri, "mcpcheck-progress-read"))
		}
		if slow := p.Target.Subjects.Slow; slow != nil {
			all = append(all, readRequest("slow", slow.URI, "mcpcheck-progress-slow"))
		}
		Each(c, all, func(_ int, q session.Request, c *Client) { c.streamed(ctx, q) })
		if stream != nil {
			if stream.Open() {
				c.s.Quiet(ctx, p.Limits.QuietWindow)
			}
			c.note(c.dropped(ctx, stream))
		}
	},
})

// readRequest is a read that asks for progress.
func readRequest(step, uri, token string) session.Request {
	return session.Request{Step: step, Method: "resources/read", Params: map[string]any{"uri": uri},
		Meta: map[string]any{"progressToken": token}, Tags: Tags("uri", uri)}
}

// streamed sends a request and, if it is answered by an event stream, waits for
// the end of the stream.
func (c *Client) streamed(ctx context.Context, q session.Request) {
	if q.Tags == nil {
		q.Tags = Tags()
	}
	pending := c.Start(ctx, q)
	x := pending.Wait(ctx)
	if x.Outcome != recording.Replied || pending.Ended() == nil {
		return
	}
	timer := time.NewTimer(lingering)
	defer timer.Stop()
	select {
	case <-pending.Ended():
	case <-timer.C:
		x.Tags["open"] = "yes"
		pending.Cancel()
	case <-ctx.Done():
	}
}

// Steps "first" and "second" are requests whose event streams are to be told
// apart. If the first one's events have ids, "resume" asks for what came after its
// first event, and its tag "id" is that event's id.
var _ = register(&Scenario{
	Name:  recording.HTTPResume,
	Title: "resuming a stream",
	Sends: "Two requests with event streams, and, if events have ids, a GET with Last-Event-ID.",
	Phase: Quiet,
	After: []recording.Name{recording.Reads},
	When:  overLegacyHTTP,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe})
		if !ok {
			return
		}
		first, second := p.ordinary("first"), p.ordinary("second")
		if slow := p.Target.Subjects.Slow; slow != nil && slow.Progress {
			first = readRequest("first", slow.URI, "mcpcheck-progress-first")
			second = readRequest("second", slow.URI, "mcpcheck-progress-second")
		}
		x := c.Do(ctx, first)
		c.Do(ctx, second)
		id := c.firstEvent(x)
		if id == "" {
			p.Skip(recording.CodeNotExercised, "the events that answer requests have no ids")
			return
		}
		st := c.s.Peek(ctx, session.Request{Step: "resume", HTTPMethod: http.MethodGet, Tags: Tags("id", id),
			Header: map[string]string{session.HeaderLastEventID: id}}, p.Limits.Timeout)
		if st.Open() {
			c.s.Quiet(ctx, p.Limits.QuietWindow)
		}
		c.note(c.dropped(ctx, st))
	},
})

// firstEvent is the id of the first event that answered a request; empty if
// none has one.
func (c *Client) firstEvent(x *recording.Exchange) string {
	own := map[int]bool{}
	for _, n := range x.Evidence() {
		own[n] = true
	}
	for _, f := range c.s.Incoming(0) {
		if own[f.Number] && f.Event != nil && f.Event.HasID {
			return f.Event.ID
		}
	}
	return ""
}

// Steps "get-1" and "get-2" are two streams opened by GET in one session,
// "subscribe" asks for the updates of the resource that the trigger changes. The
// mark "triggered" stands before the change.
var _ = register(&Scenario{
	Name:  recording.HTTPBroadcast,
	Title: "watching two streams for one change",
	Sends: "Two GET streams in one session, a subscription, and one change of the resource.",
	Phase: Mutate,
	When: func(p *Play) *recording.Skipped {
		if skipped := overLegacyHTTP(p); skipped != nil {
			return skipped
		}
		if p.Target.Triggers.Update == nil {
			return skip(recording.CodeNeedsConfig, "the target file has to give a trigger that changes a resource (triggers.update)")
		}
		if !p.Facts.Declares("resources.subscribe") {
			return skip(recording.CodeUndeclared, "the target does not declare capabilities.resources.subscribe")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{})
		if !ok {
			return
		}
		uri := p.Target.Triggers.Update.URI
		one, two := c.s.OpenStream(ctx, "get-1"), c.s.OpenStream(ctx, "get-2")
		x := c.Do(ctx, session.Request{Step: "subscribe", Method: "resources/subscribe", Params: map[string]any{"uri": uri}})
		if x.Succeeded() && one.Open() && two.Open() {
			after := p.Mark("triggered")
			if p.fire(ctx, p.Target.Triggers.Update) {
				c.s.Await(ctx, after, p.Limits.Timeout, func(f *wire.Frame) bool { return f.Dir == wire.In && len(f.Raw) > 0 })
				c.s.Quiet(ctx, p.Limits.QuietWindow)
			}
		}
		c.note(c.dropped(ctx, one))
		c.note(c.dropped(ctx, two))
	},
})

// Two clients side by side. Steps: "second-client" opens the session of the second
// one, in legacy revisions; then both send a request with the same id at the same
// time, the first a list ("first-list"), the second discovery by templates
// ("second-templates"), and once more afterwards ("first-again", "second-again").
var _ = register(&Scenario{
	Name:  recording.TwoClients,
	Title: "serving two clients side by side",
	Sends: "Two clients that send different requests under the same id at the same time, and once more afterwards.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Combination.Transport == requirement.Stdio || !p.Combination.Defined() {
			return skip(recording.CodeCombination, "several clients share a server over HTTP only")
		}
		if !p.Facts.Declares("resources") {
			return skip(recording.CodeUndeclared, "the target does not declare capabilities.resources")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		first, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe})
		if !ok {
			return
		}
		second, ok := p.secondClient(ctx)
		if !ok {
			return
		}
		list := session.Request{Step: "first-list", Method: "resources/list", ID: []byte(`7701`)}
		templates := session.Request{Step: "second-templates", Method: "resources/templates/list", ID: []byte(`7701`)}
		a, b := first.Start(ctx, list), second.Start(ctx, templates)
		a.Wait(ctx)
		b.Wait(ctx)
		list.Step, list.ID, templates.Step, templates.ID = "first-again", []byte(`7702`), "second-again", []byte(`7702`)
		first.Do(ctx, list)
		second.Do(ctx, templates)
	},
})

// secondClient opens a session and notes how that went. ok is false if it went
// wrong, which is then a finding, not a reason to stop.
func (p *Play) secondClient(ctx context.Context) (*Client, bool) {
	c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true})
	if !ok || p.Modern() {
		return c, ok
	}
	x := c.Do(ctx, session.Request{Step: "second-client", Method: "initialize",
		Params: session.InitializeParams(string(p.Revision())), Timeout: p.Limits.Start})
	if c.s.Adopt(x) != nil {
		return nil, false
	}
	c.note(c.s.Initialized(ctx))
	return c, true
}
