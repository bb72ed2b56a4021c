package scenario

import (
	"context"
	"net/url"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// depth is how many steps up lead out of any directory; what is too many stays
// at the top.
const depth = 12

// Each step reads a URI that leads to a file outside of a served root if its
// path is taken at face value. Steps are "dots" (plain dot segments), "encoded",
// "template" (expanded with a way out) and "trick" (backslash, NUL, sibling,
// link); the tag "form" says more. "marker" is what the file contains; without it,
// the file is the user database that most systems have. "links" is "forbidden"
// where the target file says so.
var _ = register(&Scenario{
	Name:  recording.Traversal,
	Title: "trying to leave a served directory",
	Phase: Read,
	When: func(p *Play) *recording.Skipped {
		switch {
		case len(p.Target.Subjects.Roots) == 0:
			return skip(recording.CodeNotExercised, "no root is configured")
		case !p.SecurityProbes:
			return skip(recording.CodeOptedOut, "security probes are switched off")
		}
		return nil
	},
	Script: func(ctx context.Context, p *Play) {
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		var all []uriRead
		for i := range p.Target.Subjects.Roots {
			all = append(all, waysOut(&p.Target.Subjects.Roots[i])...)
		}
		Each(c, all, func(_ int, a uriRead, c *Client) { read(ctx, c, a.step, a.uri, a.tags...) })
	},
})

// uriRead is a read in a row of many, such as one that tries to leave a root.
type uriRead struct {
	step, uri string
	tags      []string
}

// waysOut lists the ways out of a root that are tried.
func waysOut(r *target.Root) []uriRead {
	var all []uriRead
	add := func(step, form, uri string, tags ...string) {
		tags = append(tags, "form", form, "root", r.Root)
		if r.Canary != nil {
			tags = append(tags, "marker", r.Canary.Content)
		}
		all = append(all, uriRead{step, uri, tags})
	}
	base, goal := strings.TrimRight(r.Root, "/"), canary(r)
	deep := func(step string) string { return base + "/" + strings.Repeat(step, depth) + goal }

	add("dots", "../", deep("../"))
	if n := segments(base); n > 0 {
		add("dots", "../ as often as the root is deep", base+"/"+strings.Repeat("../", n)+goal)
	}
	add("dots", "./../", deep("./../"))
	for _, step := range []string{"%2e%2e/", "..%2f", "%2e%2e%2f", "%2E%2E%2F", "%252e%252e%252f", "..%252F"} {
		add("encoded", step, deep(step))
	}
	for _, step := range []string{`..\`, "..%5c"} {
		add("trick", "backslash", deep(step))
	}
	add("trick", "NUL", deep("../")+"%00.txt")
	if r.Sibling != "" {
		add("trick", "sibling", r.Sibling)
	}
	if r.Symlink != "" {
		links := "followed"
		if r.ForbidLinks {
			links = "forbidden"
		}
		add("trick", "link", r.Symlink, "links", links)
	}
	for _, value := range []string{strings.Repeat("../", depth) + goal, strings.Repeat("..%2F", depth) + goal, "/" + goal} {
		if uri, ok := filled(r.Template, value); ok {
			add("template", value, uri, "template", r.Template)
		}
	}
	return all
}

// canary is the path of the file to be reached, from the top of the file system,
// without the slash it begins with.
func canary(r *target.Root) string {
	path := "/etc/passwd"
	if r.Canary != nil {
		path = strings.ReplaceAll(r.Canary.Path, `\`, "/")
		if u, err := url.Parse(r.Canary.URI); err == nil && r.Canary.URI != "" {
			path = u.EscapedPath()
		} else {
			path = (&url.URL{Path: path}).EscapedPath()
		}
	}
	return strings.TrimLeft(path, "/")
}

// segments counts the segments of the path of a URI.
func segments(uri string) int {
	u, err := url.Parse(uri)
	if err != nil {
		return 0
	}
	return len(strings.FieldsFunc(u.Path, func(r rune) bool { return r == '/' }))
}

// filled is a template with the same value for each of its variables.
func filled(template, value string) (uri string, ok bool) {
	if template == "" {
		return "", false
	}
	values := map[string]string{}
	for _, v := range judge.Variables(template) {
		values[v.Name] = value
	}
	uri, err := judge.Expand(template, values)
	return uri, err == nil && len(values) > 0
}
