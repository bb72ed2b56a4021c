package comp

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The tag "never" holds the values that must never come, one in a line.
var guardedCompletionsScenario = &scenario.Scenario{
	Name:  GuardedCompletions,
	Title: "completing what must not be given away",
	Sends: "Completions of arguments with values that the target file says must never be suggested, if " +
		"there is one as a caller with fewer rights.",
	When: func(p *scenario.Play) *recording.Skipped {
		if skip := scenario.Completes(p); skip != nil {
			return skip
		}
		for _, k := range p.Target.Subjects.Completions {
			if len(k.Never) > 0 {
				return nil
			}
		}
		return scenario.Skip(recording.CodeNeedsConfig,
			"give values that a caller must not be offered in the target "+
				"file, subjects: {completions: [{template: TEMPLATE, argument: NAME, never: [VALUE]}]}")
	},
	Script: func(p *scenario.Play) {
		c, ok := guarded(p)
		if !ok {
			return
		}
		var all []session.Request
		for i := range p.Target.Subjects.Completions {
			if k := &p.Target.Subjects.Completions[i]; len(k.Never) > 0 {
				q := configured(p, k)
				q.Step = stepGuarded
				all = append(all, q)
			}
		}
		c.DoEach(all...)
	},
}

// guarded is a client of the weaker identity, or of the endpoint's own.
func guarded(p *scenario.Play) (*scenario.Client, bool) {
	weaker := p.Target.WithRights(target.RightsWeaker)
	if weaker == nil {
		return p.Clean()
	}
	dialer, err := p.Endpoint.Dialer(target.DialOptions{Transport: p.Combination.Transport, As: weaker})
	if err != nil {
		p.Break(recording.CodeUnreachable, err.Error())
		return nil, false
	}
	return p.Fresh(session.Options{Dialer: dialer})
}
