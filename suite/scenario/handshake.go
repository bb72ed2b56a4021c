package scenario

import (
	"context"
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// legacyOnly leaves out revisions without a handshake.
func legacyOnly(p *Play) *recording.Skipped {
	if p.Modern() {
		return skip(recording.CodeCombination, "the revision has no handshake")
	}
	return nil
}

// After the answer to initialize the script waits for a while: the mark
// "waiting" begins, "waited" ends it. Then comes step "early-ping", step
// "initialized" ends the handshake, and step "first" is an ordinary request; if it
// is refused, step "again" repeats it a moment later.
var _ = register(&Scenario{
	Name:  recording.Handshake,
	Title: "a handshake in slow motion",
	Sends: "initialize, then a pause in which nothing must come, a ping, the initialized notification, and a first ordinary request.",
	Phase: Read, // its silence is that of a session of its own
	When:  legacyOnly,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{HoldInitialized: true})
		if !ok {
			return
		}
		p.Mark("waiting")
		c.s.Quiet(ctx, p.Limits.QuietWindow)
		p.Mark("waited")
		c.note(c.s.Do(ctx, session.Request{Step: "early-ping", Method: "ping"}))
		c.note(c.s.Initialized(ctx))
		first := c.note(c.s.Do(ctx, ordinary(p, "first")))
		if !first.Succeeded() && c.s.Alive() {
			c.s.Quiet(ctx, p.Limits.QuietWindow)
			c.note(c.s.Do(ctx, ordinary(p, "again")))
		}
	},
})

// Steps "ping" and "ping-meta" are a ping without params and one with empty
// metadata.
var _ = register(&Scenario{
	Name:  recording.Pings,
	Title: "ping",
	Sends: "ping without params, and with empty metadata.",
	Phase: Read,
	When:  legacyOnly,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		all := []session.Request{
			{Step: "ping", Method: "ping"},
			{Step: "ping-meta", Method: "ping", Params: map[string]any{"_meta": map[string]any{}}},
		}
		Each(c, all, func(_ int, q session.Request, c *Client) { c.Do(ctx, q) })
	},
})

// Step "no-members" is an initialize with empty params, "no-client-info" one
// without clientInfo and capabilities. Where the connections lead to one and the
// same server, step "sound" is the answer to a proper handshake afterwards.
var _ = register(&Scenario{
	Name:  recording.FaultyHandshake,
	Title: "handshakes with members missing",
	Sends: "initialize with empty params, and without clientInfo and capabilities.",
	Phase: Destructive,
	When:  legacyOnly,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true})
		if !ok {
			return
		}
		x := c.note(c.s.Do(ctx, session.Request{Step: "no-members", Method: "initialize", Timeout: p.firstAnswer(), Params: map[string]any{}}))
		settle(c, x)
		// A lenient server has opened the session now; a second handshake
		// would be another fault.
		if (x.Succeeded() || !c.s.Alive()) && !p.again(ctx, c) {
			return
		}
		settle(c, c.note(c.s.Do(ctx, session.Request{Step: "no-client-info", Method: "initialize", Timeout: p.firstAnswer(),
			Params: map[string]any{"protocolVersion": string(p.Revision())}})))
		p.sound(ctx, c)
	},
})

// firstAnswer is how long the first answer on a connection may take: a process of
// our own has to start before it can read.
func (p *Play) firstAnswer() time.Duration {
	if p.Facts.Owned {
		return p.Limits.Start
	}
	return 0
}

// settle takes over an HTTP session that a peculiar initialize may have opened, so
// that it is ended when the connection is closed.
func settle(c *Client, x *recording.Exchange) {
	if x.Succeeded() {
		_ = c.s.Adopt(x) // that it opens no session of this revision is expected
	}
}

// again gives the client another session without handshake.
func (p *Play) again(ctx context.Context, c *Client) bool {
	p.makeRoom(c)
	fresh, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true})
	if ok {
		c.s = fresh.s
	}
	return ok
}

// makeRoom closes the session of a client that is done with it, where the next one could
// not be opened beside it.
func (p *Play) makeRoom(c *Client) {
	if p.Pool != nil {
		p.retire(c.s)
	}
}

// sound opens a proper session after the one with the fault and notes its handshake as
// step "sound".
func (p *Play) sound(ctx context.Context, faulty *Client) {
	if p.Facts.Owned {
		return // every process starts afresh: it would prove nothing
	}
	p.makeRoom(faulty)
	c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true})
	if !ok {
		return
	}
	x := c.note(c.s.Do(ctx, session.Request{Step: "sound", Method: "initialize", Timeout: p.Limits.Start,
		Params: session.InitializeParams(string(p.Revision()))}))
	if c.s.Adopt(x) == nil {
		c.s.Initialized(ctx)
	}
}

// Step "alien" asks for a version that nobody implements. If another one is
// offered that is not known to be served, step "return" asks for that one on
// another connection; its tag "version" names it.
var _ = register(&Scenario{
	Name:  recording.Negotiation,
	Title: "a handshake with an unknown version",
	Sends: "initialize with a version that nobody implements; if the target offers an unknown one, a second handshake that asks for that.",
	Phase: Destructive,
	When:  legacyOnly,
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Fresh(ctx, session.Options{Kind: recording.Probe, NoHandshake: true})
		if !ok {
			return
		}
		x := c.note(c.s.Do(ctx, session.Request{Step: "alien", Method: "initialize", Timeout: p.firstAnswer(),
			Params: session.InitializeParams(AlienVersion)}))
		settle(c, x)
		offer := x.Result().Get("protocolVersion").Str
		if x.Succeeded() && offer != "" && offer != AlienVersion && !slices.Contains(p.Facts.Served, requirement.Revision(offer)) && p.again(ctx, c) {
			settle(c, c.note(c.s.Do(ctx, session.Request{Step: "return", Method: "initialize", Timeout: p.firstAnswer(),
				Params: session.InitializeParams(offer), Tags: Tags("version", offer)})))
		}
		p.sound(ctx, c)
	},
})

// AlienVersion is a protocol version that nobody implements.
const AlienVersion = "1900-01-01"
