package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// What a target that speaks only modern revisions does with messages of legacy
// clients: "plain" is an ordinary request, "no-params" and "no-meta" are the same
// without metadata, "initialize" opens a connection of its own.
var bareRequestsScenario = &Scenario{
	Name:  recording.BareRequests,
	Title: "messages of legacy clients to a modern-only target",
	Sends: "To a server of modern revisions only: an ordinary request, the same without params and " +
		"without metadata, and an initialize.",
	In: Expendable,
	When: All(InModern, Where(func(p *Play) bool { return p.Facts.ModernOnly() },
		recording.CodeNotExercised, "the target also serves revisions with a handshake")),
	Script: func(p *Play) {
		p.Initialize(Handshake(recording.StepInitialize, requirement.R20251125), requirement.R20251125)
		c, ok := p.Expendable()
		if !ok {
			return
		}
		c.Do(p.Ordinary(StepPlain))
		c.DoEach(p.Ordinarily(
			session.Request{Step: StepNoParams, Bare: true},
			session.Request{Step: StepNoMeta, Bare: true, Params: map[string]any{}},
		)...)
	},
}
