package life

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// legacyOnly leaves out revisions without a handshake.
var legacyOnly = scenario.Where(func(p *scenario.Play) bool {
	return !p.Modern()
}, recording.CodeCombination, "the revision has no handshake")

// After the answer to initialize the script waits for a while: the mark
// "waiting" begins, "waited" ends it. Then comes step "early-ping", step
// "initialized" ends the handshake, and step "first" is an ordinary request; if it
// is refused, step "again" repeats it a moment later.
var handshakeScenario = &scenario.Scenario{
	Name:  Handshake,
	Title: "a handshake in slow motion",
	Sends: "initialize, then a pause in which nothing must come, a ping, the initialized notification, " +
		"and a first ordinary request.",
	Waits: true, // nobody else talks in its session
	In:    scenario.Opening,
	When:  legacyOnly,
	Script: scenario.OnFresh(session.Options{HoldInitialized: true}, func(c *scenario.Client) {
		c.Mark(markWaiting)
		c.Quiet(c.Limits.QuietWindow)
		c.Mark(markWaited)
		c.Once(session.Request{Step: stepEarlyPing, Method: "ping"})
		c.Note(c.S.Initialized(c))
		last := c.Once(c.Ordinary(stepFirst))
		if !last.Succeeded() && c.S.Alive() {
			c.Quiet(c.Limits.QuietWindow)
			last = c.Once(c.Ordinary(stepAgain))
		}
		if last.Succeeded() { // what the early ping broke is not for others
			c.Leave()
		}
	}),
}

// Steps "ping" and "ping-meta" are a ping without params and one with empty
// metadata.
var pingsScenario = &scenario.Scenario{
	Name:  Pings,
	Title: "ping",
	Sends: "ping without params, and with empty metadata.",
	When:  legacyOnly,
	Script: scenario.OnClean(func(c *scenario.Client) {
		all := []session.Request{
			{Step: stepPing, Method: "ping"},
			{Step: stepPingMeta, Method: "ping", Params: map[string]any{"_meta": map[string]any{}}},
		}
		c.DoEach(all...)
	}),
}

// Step "no-members" is an initialize with empty params, "no-client-info" one
// without clientInfo and capabilities, "no-version" are those without a protocolVersion, or with a number.
// Where the connections lead to one and the same server, or where a process has ended, step "sound" is the
// answer to a proper handshake afterwards.
var faultyHandshakeScenario = &scenario.Scenario{
	Name:  FaultyHandshake,
	Title: "handshakes with members missing",
	Sends: "initialize with empty params, without clientInfo and capabilities, and, where the same " +
		"process can be asked, without protocolVersion and with a number.",
	Phase: scenario.Destructive,
	When:  legacyOnly,
	In:    scenario.Unopened,
	Script: scenario.OnFresh(unopened, func(c *scenario.Client) {
		last := c.Once(session.Request{
			Step: stepNoMembers, Method: "initialize", Timeout: firstAnswer(c), Params: map[string]any{}})
		settle(c, last)
		for i, q := range incomplete(c) {
			// A lenient server has opened the session now, and a second handshake is another fault: only a
			// result shows that it was taken for a handshake. That saves a process.
			open, stdio := last.Succeeded(), c.OnStdio()
			x := &recording.Exchange{}
			if open && stdio && c.S.Alive() {
				q.Timeout = c.Limits.UpTo(time.Second)
				x = c.S.Do(c, q)
			}
			if !x.Succeeded() {
				if (open || !c.S.Alive()) && (i > 0 && stdio || !again(c)) {
					break
				}
				q.Timeout = firstAnswer(c)
				x = c.S.Do(c, q)
			}
			last = c.Note(x)
			settle(c, last)
		}
		sound(c, last)
		if last.Failed() {
			c.Leave()
		}
	}),
}

// incomplete are the handshakes that follow the one without any members; for the last two no process is
// started.
func incomplete(c *scenario.Client) []session.Request {
	none, number := session.InitializeParams(""), session.InitializeParams("")
	delete(none, "protocolVersion")
	number["protocolVersion"] = 20250618
	return []session.Request{
		{Step: stepNoClientInfo, Method: "initialize",
			Params: map[string]any{"protocolVersion": string(c.Revision())}},
		{Step: stepNoVersion, Method: "initialize", Params: none},
		{Step: stepNoVersion, Method: "initialize", Params: number},
	}
}

// unopened is a connection on which there was no handshake yet.
var unopened = session.Options{Kind: recording.Probe, NoHandshake: true}

// firstAnswer is how long the first answer on a connection may take: a process of
// our own has to start before it can read.
func firstAnswer(c *scenario.Client) time.Duration {
	if c.Facts.Owned {
		return c.Limits.StartTimeout
	}
	return 0
}

// hello is an initialize that asks for a version.
func hello(c *scenario.Client, step recording.Step, version string) session.Request {
	return session.Request{Step: step, Method: "initialize", Timeout: firstAnswer(c),
		Params: session.InitializeParams(version)}
}

// settle takes over an HTTP session that a peculiar initialize may have opened, so
// that it is ended when the connection is closed.
func settle(c *scenario.Client, x *recording.Exchange) {
	if x.Succeeded() {
		_ = c.S.Adopt(x) // that it opens no session of this revision is expected
	}
}

// again gives the client another session without handshake.
func again(c *scenario.Client) bool {
	makeRoom(c)
	fresh, ok := c.Fresh(unopened)
	if ok {
		*c = *fresh
	}
	return ok
}

// makeRoom closes the session of a client that is done with it, where the next one could
// not be opened beside it.
func makeRoom(c *scenario.Client) {
	if c.Limited() {
		c.End(c.S)
	}
}

// sound opens a proper session after the one with the fault and notes its handshake as
// step "sound". Every process of ours starts afresh: it is asked only where one has ended, as
// the program may not start any more.
func sound(faulty *scenario.Client, last *recording.Exchange) {
	if faulty.Facts.Owned && (faulty.Combination.Transport != requirement.Stdio ||
		last.Outcome != recording.Lost) {
		return
	}
	makeRoom(faulty)
	c, ok := faulty.Fresh(unopened)
	if !ok {
		return
	}
	x := c.Once(session.Request{Step: stepSound, Method: "initialize",
		Timeout: faulty.Limits.StartTimeout,
		Params:  session.InitializeParams(string(faulty.Revision()))})
	if c.S.Adopt(x) == nil {
		c.S.Initialized(faulty)
	}
}

// Step "alien" asks for a version that nobody implements. If another one is
// offered that is not known to be served, step "return" asks for that one on
// another connection; its tag "version" names it. In the newest revision that has a handshake, steps "later"
// ask for a version that is still to come, and over HTTP for one that has no handshake.
var negotiationScenario = &scenario.Scenario{
	Name:  Negotiation,
	Title: "a handshake with an unknown version",
	Sends: "initialize with versions that nobody implements; if the target offers one that is not known " +
		"to be served, a second handshake that asks for that; over HTTP a handshake with 2026-07-28 where " +
		"that is served.",
	Phase: scenario.Destructive,
	When:  legacyOnly,
	In:    scenario.Unopened,
	Script: func(p *scenario.Play) {
		c, used, ok := p.GoOn(unopened)
		if !ok {
			return
		}
		const unknown = scenario.PastVersion
		ask := func() *recording.Exchange {
			return c.S.Do(p, hello(c, stepAlien, unknown))
		}
		x := ask()
		if used && !x.Succeeded() && again(c) {
			x = ask() // the refusal may be due to what came before
		}
		c.Note(x)
		settle(c, x)
		offer := x.Value("protocolVersion").Str
		// What is no text cannot be asked for: JSON would make another one of it.
		if x.Succeeded() && offer != "" && utf8.ValidString(offer) && offer != unknown &&
			!slices.Contains(p.Facts.Served, requirement.Revision(offer)) && again(c) {
			q := hello(c, stepReturn, offer)
			q.Tags = recording.Tags{scenario.TagVersion: offer}
			settle(c, c.Once(q))
		}
		if x.Succeeded() && newest(p) {
			modern := !p.OnStdio() && slices.Contains(p.Facts.Served, requirement.R20260728)
			for _, version := range []string{futureVersion, string(requirement.R20260728)} {
				if (version == futureVersion || modern) && again(c) {
					settle(c, c.Once(hello(c, stepLater, version)))
				}
			}
		}
		sound(c, x)
	},
}

// futureVersion is a protocol version that nobody implements yet.
const futureVersion = "2099-12-31"

// newest reports whether no later revision with a handshake is served.
func newest(p *scenario.Play) bool {
	return !slices.ContainsFunc(p.Facts.Served, func(r requirement.Revision) bool {
		return r > p.Revision() && !r.Modern()
	})
}
