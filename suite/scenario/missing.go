package scenario

import (
	"context"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Steps "configured" read URIs that the target file declares as missing, those
// of template arguments included; steps "guessed" read siblings of listed URIs
// that match no listed template. Only the first certainly lead nowhere.
var missingReadsScenario = &Scenario{
	Name:  recording.MissingReads,
	Title: "reading what does not exist",
	Sends: "Reads of the URIs that the target file declares as missing, and of made-up siblings of listed URIs that match no template.",
	Phase: Read,
	After: []recording.Name{recording.WalkResources, recording.WalkTemplates},
	Script: func(ctx context.Context, p *Play) {
		configured := missing(&p.Target.Subjects)
		guesses := Siblings(p.Resources(), p.Matchers())
		if len(guesses)+len(configured) == 0 {
			p.Skip(recording.CodeNeedsSubject, "no listed URI has a sibling that matches no template: name a missing URI in the target file (subjects.missing)")
			return
		}
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		Each(c, append(slices.Clone(configured), guesses...), func(i int, uri string, c *Client) {
			step := recording.StepGuessed
			if i < len(configured) {
				step = recording.StepConfigured
			}
			ReadResource(ctx, c, step, uri, nil)
		})
	},
}

// missing lists the URIs that the target file declares as missing.
func missing(s *target.Subjects) []string {
	uris := slices.Clone(s.Missing)
	for _, t := range s.Templates {
		for _, a := range t.Arguments {
			if uri, err := judge.Expand(t.Template, a.Vars); a.Missing && err == nil && !slices.Contains(uris, uri) {
				uris = append(uris, uri)
			}
		}
	}
	return uris
}
