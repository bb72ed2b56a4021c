package scenario

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Steps "configured" read URIs that the target file declares as missing; steps
// "guessed" read siblings of listed URIs that match no listed template. Only the
// first certainly lead nowhere.
var _ = register(&Scenario{
	Name:  recording.MissingReads,
	Title: "reading what does not exist",
	Phase: Read,
	After: []recording.Name{recording.WalkResources, recording.WalkTemplates},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		for _, uri := range p.Target.Subjects.Missing {
			read(ctx, c, "configured", uri)
		}
		guesses := siblings(p.Resources(), p.Templates())
		if len(guesses) == 0 && len(p.Target.Subjects.Missing) == 0 {
			p.Skip(recording.CodeNeedsSubject, "no listed URI has a sibling that matches no template: name a missing URI in the target file (subjects.missing)")
		}
		for _, uri := range guesses {
			read(ctx, c, "guessed", uri)
		}
	},
})

// siblings guesses at most two URIs beside listed ones that most probably do not
// exist: the last segment is replaced. URIs that a template matches are left
// out, and so are https ones, which a client may be meant to fetch itself.
func siblings(resources, templates []Listed) []string {
	const wanted = 2
	var found []string
	for _, r := range resources {
		uri := r.URI()
		cut := strings.LastIndexAny(strings.TrimRight(uri, "/"), "/:")
		if cut < 0 || strings.HasPrefix(uri, "https:") || len(judge.URI(uri)) > 0 {
			continue
		}
		guess := uri[:cut+1] + fmt.Sprintf("mcpcheck-no-such-resource-%d", len(found)+1)
		if ext := extension(uri[cut+1:]); ext != "" {
			guess += ext
		}
		if u, err := url.Parse(guess); err != nil || u.Scheme == "" || slices.Contains(found, guess) {
			continue
		}
		if slices.ContainsFunc(templates, func(t Listed) bool { return judge.Matches(t.Template(), guess) }) {
			continue
		}
		if found = append(found, guess); len(found) == wanted {
			break
		}
	}
	return found
}

// extension is the part of a name from its last dot, if it looks like a file's.
func extension(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 1 || len(name)-i > 6 || strings.ContainsAny(name[i:], "?#") {
		return ""
	}
	return name[i:]
}
