package mrtr

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

var superfluousScenario = &scenario.Scenario{
	Name:  Superfluous,
	Title: "answers that nobody asked for",
	Sends: "Reads of a resource that needs no input, with answers that nobody asked for, well-formed and " +
		"malformed.",
	In:    scenario.Expendable,
	After: verdict.Reads,
	When:  scenario.InModern,
	Script: func(p *scenario.Play) {
		uri := p.Readable()
		if uri == "" {
			p.Skip(recording.CodeNeedsSubject, "no listed resource can be read")
			return
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		for _, s := range []struct {
			step    recording.Step
			answers any
		}{
			{stepSuperfluous,
				map[string]any{"mcpcheck": map[string]any{"action": "accept", "content": map[string]any{}}}},
			{stepMalformed, "mcpcheck"},
		} {
			q := scenario.Of(s.step, "resources/read", uri)
			q.Params = map[string]any{"uri": uri, "inputResponses": s.answers}
			c.OfListed(q)
		}
	},
}
