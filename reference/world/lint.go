package world

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// Lint lists, in sentences that begin with the member, what a careful author of a world
// would put right: members that break a rule of the protocol although it could be served,
// and parts that never come into play.
func (w World) Lint() []string { return sentences(w.lint()) }

// Lint lists, in sentences, what a careful author of the resource would put right.
func (r Resource) Lint() []string { return sentences(collect(r, oddities)) }

// Lint lists, in sentences, what a careful author of the template would put right, as far
// as it shows without the world.
func (t Template) Lint() []string { return sentences(collect(t, oddities)) }

func sentences(all problems) []string {
	var found []string
	for _, p := range all {
		found = append(found, p.Error())
	}
	return found
}

// lint is what Lint lists. Resources that are still to be repeated count as one.
func (w World) lint() problems {
	found := collect(w, oddities)
	var uris map[string]bool
	if len(w.Timeline)+len(w.Tools)+len(w.Prompts) > 0 ||
		slices.ContainsFunc(w.Templates, func(t Template) bool { return t.Finds != "" }) {
		uris = w.uris()
	}
	taken := map[string]bool{}
	for i, t := range w.Templates {
		var complaints problems
		if t.Finds != "" && !t.findsAny(uris) {
			complaints.Say("finds", "leads to no resource of this world, so the template cannot be reached")
		}
		if taken[t.URITemplate] {
			complaints.Say("uriTemplate", "cannot be reached: it is listed twice")
		} else if before := t.shadow(w.Templates[:i]); before != "" {
			complaints.Say("uriTemplate", "cannot be reached: %s comes before it and takes all of its URIs",
				before)
		}
		taken[t.URITemplate] = true
		found.Below(fmt.Sprintf("templates[%d]", i), complaints)
	}
	if w.Caching != nil && w.Caching.Scope == "public" && w.Private() > 0 {
		found.Say("caching", "lists differ by identity, so their scope is sent as private")
	}
	return slices.Concat(found, w.unlinked(uris), w.lintTimeline(uris), w.lintStates())
}

// sample is the resource itself or the first of those that it stands for.
func (r Resource) sample() (Resource, bool) {
	if r.Repeat == nil {
		return r, true
	}
	if len(r.repeatProblems()) > 0 {
		return r, false
	}
	p := *r.Repeat
	p.Count = 1
	r.Repeat = &p
	return r.expand(nil)[0], true
}

// uris are those of all resources, with the repeated ones.
func (w World) uris() map[string]bool {
	all := make(map[string]bool, len(w.Resources))
	for _, r := range w.Resources {
		if len(r.repeatProblems()) > 0 {
			continue
		}
		for _, one := range (Resource{URI: r.URI, Repeat: r.Repeat}).expand(nil) {
			all[one.URI] = true
		}
	}
	return all
}

// Private counts the resources that show themselves to some only.
func (w World) Private() int {
	n := 0
	for _, r := range w.Resources {
		if len(r.Identities) > 0 {
			n++
		}
	}
	return n
}

func (r Resource) warnings() (found problems) {
	r, ok := r.sample()
	if !ok {
		return nil
	}
	if r.URI == "" {
		found.Say("uri", "is missing")
	} else if err := CheckURI(r.URI); err != nil {
		found.Say("uri", "is malformed: %v", err)
	}
	if r.Name == "" {
		found.Say("name", "is missing")
	}
	found = append(found, lintMIMEType("mimeType", r.MIMEType)...)
	if r.Size != nil && r.Source == nil && r.Input == nil && r.File == "" && !r.Directory() {
		if data, err := r.Bytes(); err == nil && *r.Size != int64(len(data)) {
			found.Say("size", "is %d, and the content has %d bytes", *r.Size, len(data))
		}
	}
	if r.Text != nil && !utf8.ValidString(*r.Text) {
		found.Say("text", "is no valid UTF-8")
	}
	if r.Caching != nil && r.Caching.Scope == "public" && len(r.Identities) > 0 {
		found.Say("caching.scope", "is sent as private, because the resource shows itself to some only")
	}
	return append(found, r.lintInput()...)
}

// lintInput compares the fields of a form with the text that they are put into.
func (r Resource) lintInput() problems {
	if r.Input == nil {
		return nil
	}
	var found problems
	var names []string
	round := "input"
	for in := r.Input; in != nil && len(found) < maxRounds; in = in.Then {
		for at, f := range yamlfile.Items(round+".fields", in.Fields) {
			switch {
			case f.Name == "":
				found.Say(at+".name", "is missing")
			case slices.Contains(names, f.Name):
				found.Say(at+".name", "is %q, as that of a field before it", clip(f.Name))
			}
			names = append(names, f.Name)
		}
		if in.Asks() == InputSampling || in.Asks() == InputRoots {
			names = append(names, in.Key)
		}
		round += ".then"
	}
	if r.Text != nil {
		found = append(found, strangers("text", *r.Text, names, "field")...)
	}
	return found
}

// strangers are the names in braces that stand for nothing.
func strangers(member, text string, names []string, what string) (found problems) {
	told := map[string]bool{}
	for _, p := range placeholder.FindAllString(text, -1) {
		if name := p[1 : len(p)-1]; !slices.Contains(names, strings.TrimPrefix(name, "+")) && !told[p] {
			told[p] = true
			found.Say(member, "has %s in it, which is no %s%s", p, what, nearest.Question(name, names))
		}
	}
	return found
}

// placeholder stands for a variable in a text: what looks like a name in braces.
var placeholder = regexp.MustCompile(`\{[A-Za-z0-9_.]+\}`)

func (t Template) warnings() (found problems) {
	if t.Name == "" {
		found.Say("name", "is missing")
	}
	found = append(found, lintMIMEType("mimeType", t.MIMEType)...)
	if t.URITemplate == "" {
		found.Say("uriTemplate", "is missing")
		return found
	}
	parsed, err := uritemplate.New(t.URITemplate)
	if err != nil {
		found.Say("uriTemplate", "cannot be reached: it is no URI template of RFC 6570: %s",
			strings.TrimPrefix(err.Error(), "uritemplate:"))
		return found
	}
	names := parsed.Varnames()
	switch literal, _, _ := strings.Cut(t.URITemplate, "{"); {
	case len(names) == 0:
		found.Say("uriTemplate", "has no variable: it stands for one URI only")
	case !beginsURI(literal):
		found.Say("uriTemplate", "makes no URIs: they begin with a scheme and a colon")
	}
	for at, v := range yamlfile.Items("variables", t.Variables) {
		if !slices.Contains(names, v.Name) {
			found.Say(at+".name", "there is no variable %s in the URI template", v.Name)
		}
		if v.DependsOn != "" && !slices.Contains(names, v.DependsOn) {
			found.Say(at+".dependsOn", "there is no variable %s in the URI template", v.DependsOn)
		}
		if v.Closed && len(v.Suggestions(nil)) == 0 && len(v.ValuesBy) == 0 {
			found.Say(at+".closed", "the template cannot be reached: variable %s is closed and has no values",
				v.Name)
		}
	}
	if t.Text != nil {
		found = append(found, strangers("text", *t.Text, names, "variable")...)
	}
	return append(found, strangers("finds", t.Finds, names, "variable")...)
}

// beginsURI reports whether what a template begins with can be the beginning of a URI.
func beginsURI(literal string) bool {
	scheme, _, complete := strings.Cut(literal, ":")
	return scheme == "" && !complete || schemeForm.MatchString(scheme)
}

// findsAny reports whether finds can lead to a resource at all.
func (t Template) findsAny(uris map[string]bool) bool {
	literals := findsExpression.Split(t.Finds, -1)
	for i := range literals {
		literals[i] = regexp.QuoteMeta(literals[i])
	}
	form, err := regexp.Compile("^" + strings.Join(literals, ".*") + "$")
	if err != nil {
		return true // too long to tell
	}
	for uri := range uris {
		if form.MatchString(uri) {
			return true
		}
	}
	return false
}

var findsExpression = regexp.MustCompile(`\{[^{}]*\}`)

// shadow is a template before this one that answers all that this one could: one
// that differs in the names of the variables only, and is closed to no values.
func (t Template) shadow(before []Template) string {
	shape := func(s string) string { return findsExpression.ReplaceAllStringFunc(s, shapeOf) }
	for _, other := range before {
		if other.Text == nil || other.URITemplate == t.URITemplate ||
			shape(other.URITemplate) != shape(t.URITemplate) {
			continue
		}
		if !slices.ContainsFunc(other.Variables, func(v Variable) bool { return v.Closed }) {
			return other.URITemplate
		}
	}
	return ""
}

var variableName = regexp.MustCompile(`[A-Za-z0-9_.%]+`)

// shapeOf is an expression without the names that tell it from others that match the
// same; in queries they matter.
func shapeOf(expression string) string {
	switch expression[1] {
	case '?', '&', ';':
		return expression
	}
	return variableName.ReplaceAllString(expression, "x")
}

// lintTimeline follows the timeline for steps that will find nothing to act on. What
// happens repeatedly is taken to happen once.
func (w World) lintTimeline(present map[string]bool) (found problems) {
	templates := map[string]bool{}
	for _, t := range w.Templates {
		templates[t.URITemplate] = true
	}
	order := make([]int, len(w.Timeline))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(w.Timeline[a].First(), w.Timeline[b].First())
	})
	for _, i := range order {
		s := w.Timeline[i]
		found.Below(fmt.Sprintf("timeline[%d]", i), s.misses(present, templates))
		switch {
		case s.Put != nil:
			present[s.Put.URI] = true
		case s.Remove != "":
			delete(present, s.Remove)
		case s.PutTemplate != nil:
			templates[s.PutTemplate.URITemplate] = true
		case s.RemoveTemplate != "":
			delete(templates, s.RemoveTemplate)
		}
	}
	return found
}

// asked are the requests that the protocol has for clients, with the members that their parameters must have.
var asked = map[string][]string{
	"ping": nil, "roots/list": nil, "sampling/createMessage": {"messages", "maxTokens"},
	"elicitation/create": {"message"},
	"tasks/get":          {"taskId"}, "tasks/result": {"taskId"}, "tasks/list": nil,
	"tasks/cancel": {"taskId"},
}

func (a Request) warnings() (found problems) {
	required, known := asked[a.Method]
	if !known {
		found.Say("method", "no client knows %q%s", clip(a.Method),
			nearest.Question(a.Method, slices.Sorted(maps.Keys(asked))))
		return found
	}
	required = slices.Clone(required)
	switch {
	case a.Method != "elicitation/create":
	case a.Params["mode"] == "url":
		required = append(required, "url", "elicitationId")
	default:
		required = append(required, "requestedSchema")
	}
	required = slices.DeleteFunc(required, func(name string) bool {
		return a.Params[name] != nil
	})
	if len(required) > 0 {
		found.Say("params", "lacks %s, without which no client answers %s", strings.Join(required, " and "),
			a.Method)
	}
	return found
}

// misses says that what the step acts on is not there when it happens.
func (s Step) misses(present, templates map[string]bool) (found problems) {
	absent := func(member, uri string) { found.Say(member, "there is no such resource then: %s", clip(uri)) }
	switch {
	case s.Update != nil && !present[s.Update.URI]:
		absent("update.uri", s.Update.URI)
	case s.Remove != "" && !present[s.Remove]:
		absent("remove", s.Remove)
	case s.Touch != "" && !present[s.Touch] && !matched(templates, s.Touch):
		absent("touch", s.Touch)
	case s.RemoveTemplate != "" && !templates[s.RemoveTemplate]:
		found.Say("removeTemplate", "there is no such template then: %s", clip(s.RemoveTemplate))
	}
	return found
}

// matched reports whether a URI is one of a template's.
func matched(templates map[string]bool, uri string) bool {
	for t := range templates {
		if parsed, err := uritemplate.New(t); err == nil && parsed.Match(uri) != nil {
			return true
		}
	}
	return false
}

func (c Change) warnings() (found problems) {
	if c.Name != nil && *c.Name == "" {
		found.Say("name", "is empty")
	}
	if c.MIMEType != nil {
		found = append(found, lintMIMEType("mimeType", *c.MIMEType)...)
	}
	return found
}
