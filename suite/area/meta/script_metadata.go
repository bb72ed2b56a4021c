package meta

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// What lacks a version may be taken for the message of a legacy client by a server of both eras, and its
// process for one of that era from then on: it is sent last, in a session that has nothing else.
var badMetadataScenario = &scenario.Scenario{
	Name:  BadMetadata,
	Title: "metadata that lacks something",
	Sends: "An ordinary request, then the same without the version or the capabilities in its metadata, " +
		"and with members of a wrong type.",
	In:   scenario.Expendable,
	When: scenario.InModern,
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		c.Do(c.Ordinary(scenario.StepPlain))
		steps := []struct {
			name recording.Step
			key  string
			to   any
		}{
			{scenario.StepNoVersion, session.MetaVersion, nil},
			{stepNoCapabilities, session.MetaCapabilities, nil},
			{stepOddVersion, session.MetaVersion, 5},
			{stepOddCapabilities, session.MetaCapabilities, "x"},
			{stepOddLogLevel, session.MetaLogLevel, "loud"},
		}
		var requests, versions []session.Request
		for _, s := range steps {
			q := c.Ordinary(s.name)
			if q.Meta = map[string]any{s.key: s.to}; s.key == session.MetaVersion && c.Facts.DualEra() {
				versions = append(versions, q)
			} else {
				requests = append(requests, q)
			}
		}
		c.DoEach(requests...)
		if len(versions) == 0 {
			return
		}
		if c, ok := c.Fresh(scenario.Probing); ok {
			c.Do(session.Request{Step: recording.StepBefore, Method: "server/discover"})
			// the one without a version is sent when the other was answered
			for _, q := range slices.Backward(versions) {
				c.Do(q)
			}
		}
	}),
}

// On stdio all of it is said in the process of the slow handshake, which probes borrow afterwards: none of
// them depends on the logs.
var logLevelsScenario = &scenario.Scenario{
	Name:  LogLevels,
	Title: "setting the log level",
	Sends: "logging/setLevel with the level error, then a list and a read that may be logged; a level " +
		"that does not exist, over HTTP in another session, and over stdio a list behind it.",
	After: verdict.Reads,
	In:    scenario.Opening,
	When:  scenario.All(scenario.InLegacy, scenario.Declared("logging")),
	Script: func(p *scenario.Play) {
		stdio := p.OnStdio()
		c, _, ok := p.GoOn(session.Options{})
		if !ok {
			return
		}
		c.Do(session.Request{Step: stepSet, Method: "logging/setLevel",
			Params: map[string]any{"level": "error"}})
		c.Do(p.Ordinary(recording.StepList))
		if uri := p.Readable(); uri != "" {
			c.ReadResource(recording.StepRead, uri, nil)
		}
		if stdio {
			c.S.Expend()
		} else if c, ok = p.Expendable(); !ok {
			return
		}
		c.Do(session.Request{Step: stepUnknownLevel, Method: "logging/setLevel",
			Params: map[string]any{"level": "loud"}})
		// what that level broke is not for others
		if stdio && c.Do(p.Ordinary(recording.StepAlive)).Succeeded() {
			c.Leave()
		}
	},
}
