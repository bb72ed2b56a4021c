package scenario

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Versions that nobody implements: one of the past, and one that looks plausible.
const (
	PastVersion = "1900-01-01"
)

// Initialize sends the first message of a legacy client on a connection of its
// own and waits for the answer. It goes no further with the handshake.
func (p *Play) Initialize(ctx context.Context, step recording.Step, rev requirement.Revision) *recording.Exchange {
	c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, Revision: rev, NoHandshake: true})
	if !ok {
		return nil
	}
	x := c.Start(ctx, session.Request{Step: step, Method: "initialize", Tags: recording.Tags{recording.TagVersion: string(rev)},
		Params: session.InitializeParams(string(rev)), Timeout: p.Limits.Start}).Wait(ctx)
	if x.Succeeded() {
		// What the answer settles is needed to end an HTTP session in order; a
		// counter-offer is no matter of ours.
		_ = c.Session().Adopt(x)
	}
	return x
}

// What a target that speaks only modern revisions does with messages of legacy
// clients: "plain" is an ordinary request, "no-params" and "no-meta" are the same
// without metadata, "initialize" opens a connection of its own.
var bareRequestsScenario = &Scenario{
	Name:  recording.BareRequests,
	Title: "messages of legacy clients to a modern-only target",
	Sends: "To a server of modern revisions only: an ordinary request, the same without params and without metadata, and an initialize.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Modern() && p.Facts.ServesLegacy() {
			return Skip(recording.CodeNotExercised, "the target also serves revisions with a handshake")
		}
		return InModern(p)
	},
	Script: func(ctx context.Context, p *Play) {
		p.Initialize(ctx, recording.StepInitialize, requirement.R20251125)
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.Ordinary(recording.StepPlain))
		Each(c, []recording.Step{recording.StepNoParams, recording.StepNoMeta}, func(_ int, step recording.Step, c *Client) {
			q := p.Ordinary(step)
			q.Bare = true
			if step == recording.StepNoMeta {
				q.Params = map[string]any{}
			}
			c.Do(ctx, q)
		})
	},
}
