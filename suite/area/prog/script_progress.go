package prog

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// What is read is the resource that is declared as slow, or else a listed one.
var progressScenario = &scenario.Scenario{
	Name:  Progress,
	Title: "reads with progress tokens",
	Sends: "Reads with a progress token that is a string, one that is an integer, and without one.",
	After: recording.Names{recording.WalkResources, recording.Reads},
	Script: func(p *scenario.Play) {
		uri := ""
		if slow := p.Target.Subjects.Slow; slow != nil {
			uri = slow.URI
		} else if all := p.Light(); len(all) > 0 {
			uri = all[0].URI()
		}
		if uri == "" {
			p.Skip(recording.CodeNeedsSubject,
				"no resource is listed whose content is known to be short, or not known yet")
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		all := []session.Request{
			// #nosec G101 -- a token of progress
			{Step: stepStringToken, Meta: map[string]any{"progressToken": "mcpcheck-progress"}},
			{Step: stepIntegerToken, Meta: map[string]any{"progressToken": 4711}},
			{Step: stepNoToken},
		}
		scenario.Each(c, all, func(_ int, q session.Request, c *scenario.Client) {
			q.Method, q.Params, q.Tags = "resources/read", map[string]any{"uri": uri},
				recording.Tags{recording.TagURI: uri}
			c.Do(q)
		})
	},
}
