package read

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

var taskReadScenario = &scenario.Scenario{
	Name:  TaskRead,
	Title: "reading with a task parameter",
	Sends: "A read with a task parameter of what could be read without, and one without it where that is " +
		"refused.",
	In:    scenario.Expendable,
	After: verdict.Reads,
	When: scenario.Where(func(p *scenario.Play) bool { return p.Revision() == requirement.R20251125 },
		recording.CodeCombination, "only 2025-11-25 has the task parameter"),
	Script: func(p *scenario.Play) {
		for _, x := range p.Earlier(recording.Reads).Steps(recording.StepRead) {
			if x.Succeeded() && x.Value("contents").IsArray() {
				if c, ok := p.Expendable(); ok {
					uri := x.URI()
					q := scenario.Of(stepTask, "resources/read", uri)
					q.Params = map[string]any{"uri": uri, "task": map[string]any{"ttl": 60000}}
					c.OfListed(q)
				}
				return
			}
		}
		p.Skip(recording.CodeNeedsSubject, "no resource could be read without a task parameter")
	},
}
