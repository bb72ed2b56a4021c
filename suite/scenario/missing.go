package scenario

import (
	"context"
	"slices"
	"strings"

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
			p.Skip(recording.CodeNeedsSubject, "no listed URI has a sibling that matches no template: name a missing URI in the target file"+example(p))
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

// example shows how the target file names a missing URI, with the scheme of what is listed.
func example(p *Play) string {
	for _, l := range slices.Concat(p.Resources(), p.Templates()) {
		if uri := NoSuch(l.name); uri != "" {
			return ", such as subjects.missing: [" + uri + "]"
		}
	}
	return " (subjects.missing)"
}

// NoSuch is a URI that most probably leads to nothing, with the scheme of a URI or a URI
// template and what authority it has before a path. It is empty where that gives none, and of
// https URIs, which a client may be meant to fetch itself.
func NoSuch(uri string) string {
	literal, _, _ := strings.Cut(uri, "{")
	if _, ok := judge.Scheme(literal); !ok || judge.HasScheme(literal, "https") {
		return ""
	}
	all := absent(literal, 1)
	guess := all[len(all)-1]
	if len(judge.URI(guess)) > 0 {
		return ""
	}
	return guess
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
