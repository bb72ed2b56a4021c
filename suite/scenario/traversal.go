package scenario

import (
	"net/url"
	"slices"
	"strings"

	odduris "github.com/mcpcheck/mcpcheck/fixtures/uris"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Each step reads a URI that leads to a file outside of a served directory if its
// path is taken at face value. Steps "dots", "encoded" and "trick" read the entries
// of the corpus of these classes, and tricks that the target file knows (sibling,
// link); "template" is any of them by way of a template; "system" reads files that most
// systems have. The tag "form" says more, "root" is the directory. Where the target
// file names it, "marker" is what the file contains; without, the file is the user
// database that most systems have. Where it does not, the directory is that of a
// listed resource, or what a listed template may expand to, and the tag "guessed" is
// set; "unserved" is where nothing says that the directory is served at all. "links" is "forbidden" where the
// target file says so.
var traversalScenario = &Scenario{
	Name:  recording.Traversal,
	Title: "trying to leave a served directory",
	Sends: "Reads that lead out of a served directory if the path is taken at face value: dots, " +
		"encodings, tricks, expanded templates, and files that most systems have.",
	In:       Expendable,
	After:    bothWalks,
	Security: true,
	Script: func(p *Play) {
		roots := p.Target.Subjects.Roots
		var all []URIRead
		for i := range roots {
			all = append(all, waysOut(p, &roots[i])...)
		}
		if len(roots) == 0 {
			if all = waysFrom(p); len(all) == 0 {
				p.Skip(recording.CodeNotExercised,
					"no root is configured, and neither a resource with a path nor a template is listed")
				return
			}
		}
		if c, ok := p.Expendable(); ok {
			readAll(c, all)
		}
	},
}

// waysOut lists the ways out of a root that are tried: in file URIs and, since the files may
// be served under another scheme, by the template that leads into it. Where no file URI is
// served, those of them that stand for others are enough.
func waysOut(p *Play, r *target.Root) []URIRead {
	facts := recording.Tags{TagRoot: r.Root}
	if r.Canary != nil {
		facts[recording.TagMarker] = r.Canary.Content
	}
	goal := canary(r)
	values, depth := outside(r.Root, goal)
	if depth == 0 && r.Canary == nil && r.Template == "" {
		return nil // nothing lies outside of the whole machine
	}
	templates := leadingInto(p, r)
	few := p.Brief() || len(templates) > 0 && !servesFiles(p, r)
	all := entries(p, few, values, depth, odduris.Dots, odduris.Encoded, odduris.Trick)
	add := func(step recording.Step, form, uri string, more recording.Tags) {
		all = append(all, URIRead{step, uri, recording.Tags{TagForm: form}.With(more)})
	}
	if r.Sibling != "" {
		add(StepTrick, "sibling", r.Sibling, nil)
	}
	links := recording.Tags{TagLinks: "followed"}
	if r.ForbidLinks {
		links[TagLinks] = "forbidden"
	}
	if r.Symlink != "" {
		add(StepTrick, "link", r.Symlink, links)
	}
	if slices.Contains(templates, r.Template) {
		for _, value := range []string{strings.Repeat("../", depthOfAny) + goal,
			strings.Repeat("..%2F", depthOfAny) + goal,
			strings.Repeat(`..\`, depthOfAny) + goal, "/" + goal, "file:///" + goal} {
			if uri, ok := leadingTo(r.Template, value); ok {
				add(StepTemplate, value, uri, recording.Tags{recording.TagTemplate: r.Template})
			}
		}
	}
	all = append(all, waysThrough(p, goal, r.Template)...)
	for _, t := range templates {
		all = append(all, tricksThrough(p, r, t, goal, depth, links)...)
	}
	if depth > 0 { // else nothing lies outside
		all = append(all, corpus(p, values, depth, odduris.System)...)
	}
	if len(templates) == 0 && !listsBelow(p, r) {
		facts[TagUnserved] = "yes"
	}
	seen := map[string]bool{}
	var once []URIRead
	for _, one := range all {
		if !seen[one.URI] {
			once = append(once, URIRead{one.Step, one.URI, one.Tags.With(facts)})
		}
		seen[one.URI] = true
	}
	return once
}

// leadingInto are the templates that take a path below the root: the one that the target file
// names, else two of those that are listed, of file URIs if there are any.
func leadingInto(p *Play, r *target.Root) []string {
	if r.Template != "" {
		if !p.mayExpand(r.Template) {
			return nil
		}
		return []string{r.Template}
	}
	listed := expandable(p)
	if files := slices.DeleteFunc(slices.Clone(listed), func(t string) bool {
		return !judge.HasScheme(t, "file")
	}); len(files) > 0 || servesFiles(p, r) {
		listed = files
	}
	return Sample(listed, 2)
}

// servesFiles reports whether file URIs are listed, or lead into the root by its template.
func servesFiles(p *Play, r *target.Root) bool {
	file := func(l Listed) bool { return judge.HasScheme(l.name, "file") || strings.HasPrefix(l.name, "{") }
	return file(Listed{name: r.Template}) || slices.ContainsFunc(p.AllResources(), file) ||
		slices.ContainsFunc(p.AllTemplates(), file)
}

// listsBelow reports whether a URI below the root is listed, or named by the target file.
func listsBelow(p *Play, r *target.Root) bool {
	base := strings.TrimRight(r.Root, "/") + "/"
	below := func(uri string) bool { return strings.HasPrefix(uri, base) }
	s := &p.Target.Subjects
	return slices.ContainsFunc(p.AllResources(), func(l Listed) bool { return below(l.URI()) }) ||
		slices.ContainsFunc(s.Texts, func(t target.Text) bool { return below(t.URI) }) ||
		slices.ContainsFunc(s.Blobs, func(b target.Blob) bool { return below(b.URI) })
}

// tricksThrough are the entries of the corpus, the sibling and the link as values of a
// template that leads into a root. They stand in it as they are, since its expansion would
// encode what is encoded, but for slashes where a variable takes none.
func tricksThrough(p *Play, r *target.Root, template, goal string, depth int,
	links recording.Tags) []URIRead {
	const value = "mcpcheck"
	pattern, suffix, ok := ending(template, value)
	if !ok || !strings.Contains(pattern, value) {
		return nil
	}
	slash := "%2F"
	if slices.ContainsFunc(judge.Variables(template), func(v judge.Variable) bool {
		return v.Operator == '+' || v.Operator == '#'
	}) {
		slash = "/"
	}
	values, _ := outside("", goal)
	all := corpus(p, values, depth, odduris.Dots, odduris.Encoded, odduris.Trick)
	base := strings.TrimRight(r.Root, "/")
	if r.Sibling != "" {
		up := base[:strings.LastIndexByte(base, '/')+1]
		all = append(all, URIRead{StepTemplate, "../" + strings.TrimPrefix(r.Sibling, up),
			recording.Tags{TagForm: "sibling"}})
	}
	if r.Symlink != "" {
		all = append(all, URIRead{StepTemplate, strings.TrimPrefix(r.Symlink, base),
			links.With(recording.Tags{TagForm: "link"})})
	}
	for i, one := range all {
		// A template that leads out is one finding, whatever leads through it.
		all[i].Step = StepTemplate
		path, named := strings.CutSuffix(strings.ReplaceAll(strings.TrimPrefix(one.URI, "/"), "/", slash),
			suffix)
		if all[i].URI = strings.ReplaceAll(pattern, value, path); named {
			all[i].URI += suffix
		}
		all[i].Tags = one.Tags.With(recording.Tags{recording.TagTemplate: template})
	}
	return all
}

// waysFrom lists the ways out of what is listed, where no root is known: out of the
// directory of a resource, and by the variables of templates.
func waysFrom(p *Play) []URIRead {
	all, through := waysFromResource(p), waysThrough(p, "etc/passwd", "")
	if len(all) == 0 && len(through) > 0 {
		all = Sample(corpus(p, nil, 0, odduris.System), 2) // whether the whole machine is served
	}
	all = inTurn([][]URIRead{all, through})
	for i := range all {
		all[i].Tags = recording.Tags{TagRoot: "what is listed"}.With(all[i].Tags).With(
			recording.Tags{TagGuessed: "yes"})
	}
	return all
}

// waysThrough lists the ways to a file by the variables of listed templates, but for one
// that is tried otherwise: steps up, the same encoded once more, and the absolute path.
func waysThrough(p *Play, goal, except string) []URIRead {
	var all []URIRead
	for _, t := range Sample(expandable(p), maxSwept) {
		ways := []string{strings.Repeat("../", depthOfAny) + goal, strings.Repeat("..%2F", depthOfAny) +
			strings.ReplaceAll(goal, "/", "%2F"), "/" + goal}
		if p.Brief() {
			ways = ways[:1]
		}
		for _, value := range ways {
			if uri, ok := leadingTo(t, value); ok && t != except {
				all = append(all,
					URIRead{StepTemplate, uri, recording.Tags{TagForm: value, recording.TagTemplate: t,
						TagRoot: "the template " + t}})
			}
		}
	}
	return all
}

// waysFromResource lists the ways out of the directory of a listed resource: in file URIs
// if there is one, else in those of another scheme.
func waysFromResource(p *Play) []URIRead {
	found := spelt(p.Resources())
	for _, l := range p.Resources() {
		if !judge.HasScheme(l.URI(), "file") {
			continue
		}
		if values := spelt([]Listed{l}); values["dir"] != "" {
			found = values
			break
		}
	}
	if found["dir"] == "" {
		return nil
	}
	values, depth := outside(found["dir"], "etc/passwd")
	all := corpus(p, values, depth, odduris.Dots, odduris.Encoded, odduris.Trick, odduris.System)
	for i := range all {
		all[i].Tags = all[i].Tags.With(recording.Tags{TagRoot: found["dir"] + "/"})
	}
	return all
}

// depthOfAny is how many steps up lead out of any directory; what is too many stays
// at the top.
const depthOfAny = 12

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

// leadingTo is a URI by which a template leads to a file. Where text stands behind the last variable, as
// in note:///{name}.txt, that is the end of the file's name, or is left out.
func leadingTo(template, value string) (uri string, ok bool) {
	const mark = "mcpcheck"
	_, suffix, _ := ending(template, mark)
	path, named := strings.CutSuffix(value, suffix)
	if uri, ok = filled(template, path); !named {
		uri = strings.TrimSuffix(uri, suffix)
	}
	return uri, ok
}

// ending is a template with the same value for each of its variables, up to the last one of these, and the
// text behind it.
func ending(template, value string) (uri, suffix string, ok bool) {
	uri, ok = filled(template, value)
	if at := strings.LastIndex(uri, value); at >= 0 {
		at += len(value)
		return uri[:at], uri[at:], ok
	}
	return uri, "", ok
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
