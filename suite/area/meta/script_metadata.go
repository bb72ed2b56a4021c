package meta

import (
	"context"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

var badMetadataScenario = &scenario.Scenario{
	Name:  BadMetadata,
	Title: "metadata that lacks something",
	Sends: "An ordinary request, then the same without the version or the capabilities in its metadata, and with members of a wrong type.",
	Phase: scenario.Read,
	When:  scenario.InModern,
	Script: scenario.OnExpendable(func(ctx context.Context, p *scenario.Play, c *scenario.Client) {
		c.Do(ctx, p.Ordinary(recording.StepPlain))
		steps := []struct {
			name recording.Step
			key  string
			to   any
		}{
			{recording.StepNoVersion, session.MetaVersion, nil},
			{stepNoCapabilities, session.MetaCapabilities, nil},
			{stepOddVersion, session.MetaVersion, 5},
			{stepOddCapabilities, session.MetaCapabilities, "x"},
			{stepOddLogLevel, session.MetaLogLevel, "loud"},
		}
		requests := make([]session.Request, len(steps))
		for i, s := range steps {
			requests[i] = p.Ordinary(s.name)
			requests[i].Meta = map[string]any{s.key: s.to}
		}
		scenario.Each(c, requests, func(_ int, q session.Request, c *scenario.Client) { c.Do(ctx, q) })
	}),
}

// On stdio all of it is said in the process of the slow handshake, which probes borrow afterwards: none of them depends on the logs.
var logLevelsScenario = &scenario.Scenario{
	Name:      LogLevels,
	Title:     "setting the log level",
	Sends:     "logging/setLevel with the level error, then a list and a read that may be logged; a level that does not exist, over HTTP in another session, and over stdio a list behind it.",
	Phase:     scenario.Read,
	After:     []recording.Name{recording.Reads},
	When:      scenario.All(scenario.InLegacy, scenario.Declared("logging")),
	TakesOver: true,
	Lends:     true,
	Script: func(ctx context.Context, p *scenario.Play) {
		stdio := p.Combination.Transport == requirement.Stdio
		c, _, ok := p.TakeOver(ctx, session.Options{}, scenario.ToBeLent)
		if !ok {
			return
		}
		c.Do(ctx, session.Request{Step: stepSet, Method: "logging/setLevel", Params: map[string]any{"level": "error"}})
		c.Do(ctx, p.Ordinary(recording.StepList))
		if uri := p.Readable(); uri != "" {
			scenario.ReadResource(ctx, c, recording.StepRead, uri, nil)
		}
		if stdio {
			c.S.Expend()
		} else if c, ok = p.Expendable(ctx); !ok {
			return
		}
		c.Do(ctx, session.Request{Step: stepUnknownLevel, Method: "logging/setLevel", Params: map[string]any{"level": "loud"}})
		if stdio && c.Do(ctx, p.Ordinary(recording.StepAlive)).Succeeded() { // what that level broke is not for others
			c.Leave(session.Options{}, scenario.ToBeLent)
		}
	},
}
