package errs

import (
	"cmp"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// The phase is that of changes, because a trigger changes the target for all revisions.
var brokenReadScenario = &scenario.Scenario{
	Name:  BrokenRead,
	Title: "reading what is broken on the server's side",
	Sends: "A read of a resource whose backend fails, after the trigger that breaks it if there is one.",
	Phase: scenario.Mutate,
	When: scenario.Where(func(p *scenario.Play) bool {
		return p.Target.Subjects.Broken != "" || p.Target.Triggers.Break != nil
	},
		recording.CodeNeedsConfig,
		"name a resource whose backend fails in the target file, subjects: {broken: URI}, "+
			"or say how to break one, triggers: {break: {uri: URI, exec: {command: [PROGRAM]}}}"),
	Script: scenario.OnClean(func(c *scenario.Client) {
		uri := c.Target.Subjects.Broken
		if t := c.Target.Triggers.Break; t != nil {
			uri = cmp.Or(uri, t.URI)
			if !c.Fire(t) {
				return
			}
		}
		c.ReadResource(stepBroken, uri, nil)
	}),
}

var removedMethodsScenario = &scenario.Scenario{
	Name:  RemovedMethods,
	Title: "calling methods that the revision removed",
	Sends: "ping and logging/setLevel in a revision that removed them, and initialize where no legacy " +
		"revision is served.",
	In: scenario.Expendable,
	When: scenario.Where((*scenario.Play).Modern, recording.CodeCombination,
		"the methods belong to this revision"),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		all := []session.Request{
			{Step: stepPing, Method: "ping"},
			{Step: stepSetLevel, Method: "logging/setLevel", Params: map[string]any{"level": "error"}},
		}
		if !c.Facts.ServesLegacy() {
			all = append(all, session.Request{Step: recording.StepInitialize, Method: "initialize",
				Params: session.InitializeParams("2025-11-25")})
		}
		for _, q := range all {
			c.Do(q)
		}
	}),
}
