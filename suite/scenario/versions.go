package scenario

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Steps: "supported" is an ordinary request, "unsupported" one under a version
// that nobody implements (tags "version", and "main" for the first method),
// "supported-again" an ordinary one afterwards. "retry" uses a modern version that
// the error recommends.
var _ = register(&Scenario{
	Name:  recording.Versions,
	Title: "asking under versions that nobody implements",
	Sends: "A request under a version that nobody implements, ordinary requests before and after, and one under a version that the error recommends.",
	Phase: Read,
	After: []recording.Name{recording.Reads},
	When:  inModern,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("supported"))
		Each(c, p.unsupported(), func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
		c.Do(ctx, p.ordinary("supported-again"))
		for _, version := range recommended(p) {
			q := p.ordinary("retry")
			q.Version, q.Tags = version, Tags("version", version)
			c.Do(ctx, q)
		}
	},
})

// Versions that nobody implements: one of the past, and one that looks plausible.
const (
	pastVersion   = "1900-01-01"
	futureVersion = "2099-12-31"
)

func (p *Play) unsupported() []session.Request {
	var all []session.Request
	for _, version := range []string{pastVersion, futureVersion} {
		q := p.ordinary("unsupported")
		q.Version, q.Tags = version, Tags("version", version, "main", "yes")
		all = append(all, q)
	}
	further := map[string]any{"server/discover": nil}
	if p.Facts.Declares("resources") {
		further["resources/templates/list"] = nil
		if uri := p.readable(); uri != "" {
			further["resources/read"] = map[string]any{"uri": uri}
		}
	}
	for _, method := range []string{"server/discover", "resources/templates/list", "resources/read"} {
		if params, ok := further[method]; ok && method != all[0].Method {
			all = append(all, session.Request{Step: "unsupported", Method: method, Params: params,
				Version: pastVersion, Tags: Tags("version", pastVersion)})
		}
	}
	return all
}

// recommended lists the modern versions that we know and the first refusal names.
func recommended(p *Play) []string {
	var all []string
	for _, x := range p.rec.Steps("unsupported") {
		for _, v := range x.Error().Get("data.supported").Array() {
			rev := requirement.Revision(v.String())
			if rev.Known() && rev.Modern() && !slices.Contains(all, v.Str) {
				all = append(all, v.Str)
			}
		}
	}
	return all
}

// Steps "modern" (an ordinary request) and "legacy" (initialize on a connection of
// its own) use a version of the discovery result, in the tag "version". Legacy
// versions in which the target was seen to serve already are not tried again.
var _ = register(&Scenario{
	Name:  recording.Advertised,
	Title: "using every version that discovery lists",
	Sends: "An ordinary modern request, and an initialize on a connection of its own, under each version that server/discover lists.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Modern() && len(p.supported()) < 2 {
			return skip(recording.CodeNotExercised, "discovery lists no second version")
		}
		return inModern(p)
	},
	Script: func(ctx context.Context, p *Play) {
		for _, version := range p.supported() {
			rev := requirement.Revision(version)
			switch {
			case !rev.Known() || !rev.Modern() && slices.Contains(p.Facts.Served, rev):
			case rev.Modern():
				if c, ok := p.Clean(ctx); ok {
					q := p.ordinary("modern")
					q.Version, q.Tags = version, Tags("version", version)
					c.Do(ctx, q)
				}
			default:
				p.initialize(ctx, "legacy", rev)
			}
		}
	},
})

// initialize sends the first message of a legacy client on a connection of its
// own and waits for the answer. It goes no further with the handshake.
func (p *Play) initialize(ctx context.Context, step string, rev requirement.Revision) *recording.Exchange {
	c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, Revision: rev, NoHandshake: true})
	if !ok {
		return nil
	}
	x := c.Start(ctx, session.Request{Step: step, Method: "initialize", Tags: Tags("version", string(rev)),
		Params: session.InitializeParams(string(rev)), Timeout: p.Limits.Start}).Wait(ctx)
	if x.Succeeded() {
		// What the answer settles is needed to end an HTTP session in order; a
		// counter-offer is no matter of ours.
		_ = c.Session().Adopt(x)
	}
	return x
}

// Step "after-handshake" is a modern request to a target that has just performed a
// handshake: on stdio on the same connection, over HTTP beside the session. "plain"
// is the same request without any handshake.
var _ = register(&Scenario{
	Name:  recording.AfterHandshake,
	Title: "a modern request after a handshake",
	Sends: "A modern request right after a handshake (on the same connection over stdio, beside the session over HTTP), and the same request without any handshake.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Modern() && !p.Facts.DualEra() {
			return skip(recording.CodeNotExercised, "the target serves only one era of the protocol on this transport")
		}
		return inModern(p)
	},
	Script: func(ctx context.Context, p *Play) {
		var legacy requirement.Revision
		for _, rev := range p.Facts.Served {
			if !rev.Modern() {
				legacy = rev
			}
		}
		old, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, Revision: legacy})
		if !ok {
			return
		}
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("plain"))
		q := p.ordinary("after-handshake")
		q.Tags = Tags("version", string(legacy))
		if p.Combination.Transport == requirement.HTTP {
			c.Do(ctx, q)
			return
		}
		q.Meta = map[string]any{session.MetaVersion: string(p.Revision()), session.MetaClientInfo: session.ClientInfo,
			session.MetaCapabilities: map[string]any{}}
		old.Start(ctx, q).Wait(ctx)
	},
})

// What a target that speaks only modern revisions does with messages of legacy
// clients: "plain" is an ordinary request, "no-params" and "no-meta" are the same
// without metadata, "initialize" opens a connection of its own.
var _ = register(&Scenario{
	Name:  recording.BareRequests,
	Title: "messages of legacy clients to a modern-only target",
	Sends: "To a server of modern revisions only: an ordinary request, the same without params and without metadata, and an initialize.",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		if p.Modern() && p.Facts.ServesLegacy() {
			return skip(recording.CodeNotExercised, "the target also serves revisions with a handshake")
		}
		return inModern(p)
	},
	Script: func(ctx context.Context, p *Play) {
		p.initialize(ctx, "initialize", requirement.R20251125)
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		c.Do(ctx, p.ordinary("plain"))
		Each(c, []string{"no-params", "no-meta"}, func(_ int, step string, c *Client) {
			q := p.ordinary(step)
			q.Bare = true
			if step == "no-meta" {
				q.Params = map[string]any{}
			}
			c.Do(ctx, q)
		})
	},
})
