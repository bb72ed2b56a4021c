package capability

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Up to three listed URIs are subscribed to, until one is accepted.
var capabilitiesScenario = &scenario.Scenario{
	Name:  Capabilities,
	Title: "holding the target to the capabilities it declares",
	Sends: "The list (once more with all client capabilities if it was refused), a read of something " +
		"unlisted where nothing is listed, and a subscription to a listed resource.",
	In:    scenario.Expendable,
	After: verdict.ResourceWalk,
	When:  scenario.Declared("resources"),
	Script: func(p *scenario.Play) {
		listed := p.Resources()
		walk := p.Earlier(recording.WalkResources).Step(recording.StepPage)
		if p.Modern() && walk != nil && walk.HasCode(-32021) {
			if c, ok := p.Clean(); ok {
				c.Do(session.Request{Step: stepRichList, Method: "resources/list",
					Capabilities: scenario.RichCapabilities})
			}
		}
		if p.Modern() && len(listed) > 0 {
			p.Skip(recording.CodeNotExercised, "the listed resources are read elsewhere")
			return
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		if len(listed) == 0 {
			c.ReadResource(stepUnlisted, "mcpcheck:no-such-resource", nil)
			return
		}
		for _, l := range listed[:min(len(listed), 3)] {
			q := scenario.Of(recording.StepSubscribe, "resources/subscribe", l.URI())
			if c.OfListed(q).Succeeded() {
				q.Step, q.Method = recording.StepUnsubscribe, "resources/unsubscribe"
				c.Do(q)
				return
			}
		}
	},
}
