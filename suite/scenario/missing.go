package scenario

import (
	"context"
	"fmt"
	"net/url"
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
		guesses := Siblings(p.Resources(), p.Templates())
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

// Siblings guesses at most two URIs beside listed ones that most probably do not
// exist: the last segment is replaced, or more of them where a template matches
// what that gives. Left out are https URIs, which a client may be meant to fetch
// itself.
func Siblings(resources, templates []Listed) []string {
	const wanted = 2
	var found []string
	for _, r := range resources {
		uri := r.URI()
		if strings.HasPrefix(uri, "https:") || len(judge.URI(uri)) > 0 {
			continue
		}
		for _, guess := range absent(uri, len(found)+1) {
			if u, err := url.Parse(guess); err != nil || u.Scheme == "" || slices.Contains(found, guess) || matched(templates, guess) {
				continue
			}
			found = append(found, guess)
			break
		}
		if len(found) == wanted {
			break
		}
	}
	return found
}

// absent lists URIs that stand for guess number n beside a URI, the nearest first:
// with another last segment, and then with another one in place of the last two,
// three and so on, as long as the authority remains.
func absent(uri string, n int) []string {
	name := fmt.Sprintf("mcpcheck-no-such-resource-%d", n)
	scheme, rest, ok := strings.Cut(uri, "://")
	if !ok || rest == "" {
		if ok { // such as file://, the root of a tree
			return []string{uri + "/" + name}
		}
		cut := strings.LastIndexAny(strings.TrimRight(uri, "/"), "/:")
		return []string{uri[:cut+1] + name + extension(uri[cut+1:])}
	}
	var list []string
	head := strings.TrimRight(rest, "/")
	if head != rest && !strings.Contains(head, "/") {
		return []string{scheme + "://" + head + "/" + name}
	}
	for cut := strings.LastIndexByte(head, '/'); ; cut = strings.LastIndexByte(head, '/') {
		if cut >= 0 || len(list) == 0 {
			list = append(list, scheme+"://"+head[:cut+1]+name+extension(head[cut+1:]))
		}
		if cut <= 0 {
			return list
		}
		head = head[:cut]
	}
}

// matched reports whether a listed template could stand for a URI.
func matched(templates []Listed, uri string) bool {
	return slices.ContainsFunc(templates, func(t Listed) bool { return judge.Matches(t.Template(), uri) })
}

// extension is the part of a name from its last dot, if it looks like a file's.
func extension(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 1 || len(name)-i > 6 || strings.ContainsAny(name[i:], "?#") {
		return ""
	}
	return name[i:]
}
