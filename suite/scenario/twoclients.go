package scenario

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Two clients side by side. Steps: "second-client" opens the session of the second
// one, in legacy revisions; then both send a request with the same id at the same
// time, the first a list ("first-list"), the second discovery by templates
// ("second-templates"), and once more afterwards ("first-again", "second-again").
var twoClientsScenario = &Scenario{
	Name:  recording.TwoClients,
	Title: "serving two clients side by side",
	Sends: "Two clients that send different requests under the same id at the same time, and once more " +
		"afterwards.",
	When: All(Where(func(p *Play) bool { return !p.OnStdio() && p.Combination.Defined() },
		recording.CodeCombination, "several clients share a server over HTTP only"), Declared("resources")),
	Script: func(p *Play) {
		first, ok := p.Fresh(Probing)
		if !ok {
			return
		}
		second, ok := p.secondClient()
		if !ok {
			return
		}
		list := session.Request{Step: recording.StepFirstList, Method: "resources/list", ID: []byte(`7701`)}
		templates := session.Request{Step: recording.StepSecondTemplates, Method: "resources/templates/list",
			ID: []byte(`7701`)}
		a, b := first.Start(list), second.Start(templates)
		a.Wait(p)
		b.Wait(p)
		list.Step, list.ID, templates.Step, templates.ID = recording.StepFirstAgain, []byte(`7702`),
			recording.StepSecondAgain, []byte(`7702`)
		first.Do(list)
		second.Do(templates)
	},
}

// secondClient opens a session and notes how that went. ok is false if it went
// wrong, which is then a finding, not a reason to stop.
func (p *Play) secondClient() (*Client, bool) {
	c, ok := p.Fresh(session.Options{Kind: recording.Probe, NoHandshake: true, Beside: true})
	if !ok || p.Modern() {
		return c, ok
	}
	x := c.Do(session.Request{Step: StepSecondClient, Method: "initialize",
		Params: session.InitializeParams(string(p.Revision())), Timeout: p.Limits.StartTimeout})
	if c.S.Adopt(x) != nil {
		return nil, false
	}
	c.Note(c.S.Initialized(p))
	return c, true
}
