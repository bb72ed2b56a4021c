package page

import (
	"context"
	"encoding/json"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/tidwall/gjson"
)

// Step "page" is a walk through resources/list, "template" one through the
// templates. The last page's tag "expected" is what the target file says must be
// there, as a JSON array.
var completeWalksScenario = &scenario.Scenario{
	Name:  CompleteWalks,
	Title: "looking for everything that must be listed",
	Sends: "All pages of resources and templates, to be compared with the URIs that the target file says must be there.",
	Phase: scenario.Read,
	When: func(p *scenario.Play) *recording.Skipped {
		if s := p.Target.Subjects; len(s.Complete) == 0 && len(s.CompleteTemplates) == 0 {
			return scenario.Skip(recording.CodeNeedsConfig, "name all URIs that the list must hold in the target file (subjects.complete)")
		}
		return nil
	},
	Script: func(ctx context.Context, p *scenario.Play) {
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		for _, list := range []struct {
			method, member string
			step           recording.Step
			expected       []string
		}{
			{"resources/list", "resources", recording.StepPage, p.Target.Subjects.Complete},
			{"resources/templates/list", "resourceTemplates", recording.StepTemplate, p.Target.Subjects.CompleteTemplates},
		} {
			if len(list.expected) == 0 {
				continue
			}
			pages := scenario.Walk(ctx, p, c, list.method, list.member, list.step)
			b, _ := json.Marshal(list.expected) // strings can always be encoded
			pages[len(pages)-1].Tags[tagExpected] = string(b)
		}
	},
}

// cursorOf is the nextCursor of a page; ok is false on the last page.
func cursorOf(x *recording.Exchange) (cursor string, ok bool) {
	next := x.Result().Get("nextCursor")
	return next.Str, x.Succeeded() && next.Type == gjson.String
}
