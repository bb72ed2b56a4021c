package disc

import (
	"slices"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The tag "main" is that of requests for the first method.
var versionsScenario = &scenario.Scenario{
	Name:  Versions,
	Title: "asking under versions that nobody implements",
	Sends: "A request under a version that nobody implements, ordinary requests before and after, and one " +
		"under a version that the error recommends.",
	In:    scenario.Expendable,
	After: verdict.Reads,
	When:  scenario.InModern,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		c.Do(c.Ordinary(stepSupported))
		c.DoEach(unsupported(c)...)
		c.Do(c.Ordinary(stepSupportedAgain))
		for _, version := range recommended(c) {
			q := c.Ordinary(stepRetry)
			q.Version, q.Tags = version, recording.Tags{scenario.TagVersion: version}
			c.Do(q)
		}
	}),
}

// unsupported are requests under versions that nobody implements: one of the past, and one that
// looks plausible.
func unsupported(c *scenario.Client) []session.Request {
	var all []session.Request
	for _, version := range []string{scenario.PastVersion, "2099-12-31"} {
		all = append(all, session.Request{Step: stepUnsupported, Version: version,
			Tags: recording.Tags{scenario.TagVersion: version, tagMain: "yes"}})
	}
	all = c.Ordinarily(all...)
	further := func(method string, params any) {
		if method != all[0].Method {
			all = append(all, session.Request{Step: stepUnsupported, Method: method, Params: params,
				Version: scenario.PastVersion,
				Tags:    recording.Tags{scenario.TagVersion: scenario.PastVersion}})
		}
	}
	further("server/discover", nil)
	if c.Facts.Declares("resources") {
		further("resources/templates/list", nil)
		if uri := c.Readable(); uri != "" {
			further("resources/read", map[string]any{"uri": uri})
		}
	}
	return all
}

// recommended lists the modern versions that we know and the first refusal names.
func recommended(c *scenario.Client) []string {
	var all []string
	for _, x := range c.Rec.Steps(stepUnsupported) {
		for _, v := range x.Error().Get("data.supported").Array() {
			rev := requirement.Revision(v.String())
			if rev.Known() && rev.Modern() && !slices.Contains(all, v.Str) {
				all = append(all, v.Str)
			}
		}
	}
	return all
}

// Legacy versions in which the target was seen to serve already are not tried again.
var advertisedScenario = &scenario.Scenario{
	Name:  Advertised,
	Title: "using every version that discovery lists",
	Sends: "An ordinary modern request, and an initialize on another connection, under each version that " +
		"server/discover lists.",
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return !p.Modern() || len(p.Facts.Listed()) >= 2 },
			recording.CodeNotExercised, "discovery lists no second version"),
		scenario.InModern,
	),
	Script: func(p *scenario.Play) {
		var legacy *scenario.Client
		for _, version := range p.Facts.Listed() {
			rev := requirement.Revision(version)
			switch {
			case !rev.Known() || !rev.Modern() && slices.Contains(p.Facts.Served, rev):
			case rev.Modern():
				if c, ok := p.Clean(); ok {
					q := p.Ordinary(stepModern)
					q.Version, q.Tags = version, recording.Tags{scenario.TagVersion: version}
					c.Do(q)
				}
			default:
				legacy = initialized(p, legacy, rev)
			}
		}
	},
}

// initialized performs a handshake, on a separate connection unless the target takes it as well where
// another one came before, and there a connection is a process. It returns the client to go on with.
func initialized(
	p *scenario.Play, c *scenario.Client, rev requirement.Revision,
) *scenario.Client {
	q := scenario.Handshake(stepLegacy, rev)
	if c != nil && p.OnStdio() && c.S.Alive() {
		q.Timeout = p.Limits.UpTo(time.Second)
		x := c.S.Do(p, q)
		if x.Value("protocolVersion").Str == string(rev) {
			c.Note(x)
			return c
		}
	}
	c, _ = p.Initialize(q, rev)
	return c
}

var afterHandshakeScenario = &scenario.Scenario{
	Name:  AfterHandshake,
	Title: "a modern request after a handshake",
	Sends: "A modern request right after a handshake (on the same connection over stdio, beside the " +
		"session over HTTP), and the same request without any handshake.",
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool { return !p.Modern() || p.Facts.DualEra() },
			recording.CodeNotExercised, "the target serves only one era of the protocol on this transport"),
		scenario.InModern,
	),
	Script: func(p *scenario.Play) {
		var legacy requirement.Revision
		for _, rev := range p.Facts.Served {
			if !rev.Modern() {
				legacy = rev
			}
		}
		old, ok := p.Fresh(session.Options{Kind: recording.Probe, Revision: legacy})
		if !ok {
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		c.Do(p.Ordinary(scenario.StepPlain))
		q := p.Ordinary(stepAfterHandshake)
		q.Tags = recording.Tags{scenario.TagVersion: string(legacy)}
		if p.OnHTTP() {
			c.Do(q)
			return
		}
		q.Meta = session.ModernMeta(string(p.Revision()))
		old.Start(q).Wait(p)
	},
}
