package capability

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
)

// Features that the target does not declare: "list" is resources/list, "read" a
// read of the first resource it lists nevertheless; "feature" is a method of
// another feature (tag "feature"). "declared-feature" is such a method where the
// target does declare the feature.
var undeclaredScenario = &scenario.Scenario{
	Name:  recording.Undeclared,
	Title: "asking for what the target does not declare",
	Sends: "The list, a read and methods of other features, although the target does not declare them.",
	In:    scenario.Expendable,
	When: scenario.Where(func(p *scenario.Play) bool { return len(p.Facts.Declared) > 0 },
		recording.CodeNotExercised, "it is not known what the target declares"),
	Script: func(p *scenario.Play) {
		features := otherFeatures(p)
		if p.Facts.Declares("resources") && len(features) == 0 {
			p.Skip(recording.CodeNotExercised, "the target declares everything that could be asked for")
			return
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		if !p.Facts.Declares("resources") {
			x := c.Do(session.Request{Step: recording.StepList, Method: "resources/list"})
			if uri := x.Value("resources.0.uri").String(); uri != "" {
				c.ReadResource(recording.StepRead, uri, nil)
			}
		}
		c.DoEach(features...)
	},
}

// otherFeatures are requests for features beside resources: those that the target does
// not declare and, to see whether they are there, those that it does. The first
// revision had no capability for completions.
func otherFeatures(p *scenario.Play) []session.Request {
	all := []session.Request{
		{Method: "prompts/list", Tags: recording.Tags{tagFeature: "prompts"}},
		{Method: "tools/list", Tags: recording.Tags{tagFeature: "tools"}},
		{Method: "completion/complete", Tags: recording.Tags{tagFeature: "completions"},
			Params: map[string]any{
				"ref":      map[string]any{"type": "ref/resource", "uri": "mcpcheck:{name}"},
				"argument": map[string]any{"name": "name", "value": ""},
			}},
	}
	var asked []session.Request
	for _, q := range all {
		switch feature := q.Tags[tagFeature]; {
		case !p.Facts.Declares(feature) &&
			(feature != "completions" || p.Revision() >= requirement.R20250326):
			q.Step = stepFeature
			asked = append(asked, q)
		case p.Facts.Declares(feature) && feature != "completions": // that is tried elsewhere
			q.Step = stepDeclaredFeature
			asked = append(asked, q)
		}
	}
	return asked
}
