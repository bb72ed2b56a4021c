package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// Listed is a resource or template as it was listed. There may be very many.
type Listed struct {
	name string // its URI or URI template
	raw  string
}

// URI is the listed URI of a resource.
func (l Listed) URI() string { return l.name }

// Template is the listed URI template of a template.
func (l Listed) Template() string { return l.name }

// Get is what the list says of it, by gjson path.
func (l Listed) Get(path string) gjson.Result { return gjson.Get(l.raw, path) }

// Resources lists the resources that the walk found, those with a URI only, each
// URI once, without those that are left out because they speak of deletion or
// execution. The scenario must come after [recording.WalkResources].
func (p *Play) Resources() []Listed {
	return p.harmless(resources(p))
}

// Templates lists the templates that the walk found, those with a URI template
// only, each once, without those that are left out as resources are. The scenario
// must come after [recording.WalkTemplates].
func (p *Play) Templates() []Listed {
	return p.harmless(templates(p))
}

// AllResources is [Play.Resources] with those that are not to be read.
func (p *Play) AllResources() []Listed { return resources(p).all }

// AllTemplates is [Play.Templates] with those that are not to be expanded.
func (p *Play) AllTemplates() []Listed { return templates(p).all }

// Matchers are those of all templates that the walk found. The scenario must come after
// [recording.WalkTemplates].
func (p *Play) Matchers() judge.Matchers {
	type key struct{}
	all, _ := p.Earlier(recording.WalkTemplates).Note(key{}, func() any {
		var all judge.Matchers
		for _, l := range p.AllTemplates() {
			all = append(all, judge.NewMatcher(l.Template()))
		}
		return all
	}).(judge.Matchers)
	return all
}

// Unlisted says why nothing can be done with what a walk should have found: its list was not answered, or
// another reason.
func (p *Play) Unlisted(walk recording.Name, otherwise string) {
	for _, x := range p.Earlier(walk).Steps(recording.StepPage) {
		if x.Outcome == recording.Silent {
			// an answer may still be noted
			p.Break(recording.CodeNoAnswer, x.Method+" was not answered: "+x.Reason, x.Request)
		}
	}
	if p.Rec.Broken == nil {
		p.Skip(recording.CodeNeedsSubject, otherwise)
	}
}

// list is what a walk found. It is worked out once and never changed.
type list struct {
	all, harmless []Listed
	risky         map[string]string // what may do harm when it is read, and the word that says so
}

func resources(p *Play) *list {
	return listed(p.Earlier(recording.WalkResources), "resources", "uri")
}

func templates(p *Play) *list {
	return listed(p.Earlier(recording.WalkTemplates), "resourceTemplates", "uriTemplate")
}

func listed(r *recording.Recording, member, name string) *list {
	type key struct{ member string }
	found, _ := r.Note(key{member}, func() any {
		l := &list{risky: map[string]string{}}
		seen, harmful := map[string]bool{}, map[string]bool{}
		for _, page := range r.Steps(recording.StepPage) {
			page.Value(member).ForEach(func(_, item gjson.Result) bool {
				n := item.Get(name)
				if n.Type != gjson.String || n.Str == "" || seen[n.Str] {
					return true
				}
				seen[n.Str] = true
				l.all = append(l.all, Listed{n.Str, item.Raw})
				if w := judge.Risky(n.Str, item.Get("name").String(), item.Get("title").String()); w != "" {
					l.risky[judge.Brief(n)] = w
					harmful[n.Str] = true
				}
				return true
			})
		}
		l.all = slices.Clip(l.all)
		l.harmless = l.all
		if len(harmful) > 0 {
			l.harmless = slices.DeleteFunc(slices.Clone(l.all), func(one Listed) bool {
				return harmful[one.name]
			})
		}
		return l
	}).(*list)
	return found
}

// harmless leaves out what may do harm when it is read, unless the user allows it, and
// keeps an example of that for the recording.
func (p *Play) harmless(l *list) []Listed {
	if p.Facts.Allowed[string(target.AllowRisky)] {
		return l.all
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	maps.Copy(p.leftOut, l.risky)
	return l.harmless
}

// mayExpand reports whether a template that the target file names may be expanded: not one
// that is left out of [Play.Templates], or that speaks of harm itself.
func (p *Play) mayExpand(template string) bool {
	is := func(l Listed) bool { return l.Template() == template }
	if p.Facts.Allowed[string(target.AllowRisky)] || slices.ContainsFunc(p.Templates(), is) {
		return true
	}
	word := judge.Risky(template)
	if word != "" {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.leftOut[judge.Brief(gjson.Result{Type: gjson.String, Str: template})] = word
	}
	return word == "" && !slices.ContainsFunc(p.AllTemplates(), is)
}

// risky says in the recording what was left out. Where nothing else is recorded, that is
// why.
func (p *Play) risky() {
	if len(p.leftOut) == 0 {
		return
	}
	example := slices.Min(slices.Collect(maps.Keys(p.leftOut)))
	s := Skip(recording.CodeNeedsConfig,
		"%d listed URIs and templates speak of deletion or execution (%s: %s) and were left out; "+
			"--allow-risky, or allow: [risky] in the target file, has them read",
		len(p.leftOut), example, p.leftOut[example])
	if p.Rec.Skipped == nil || len(p.Rec.Exchanges) == 0 && p.Rec.Skipped.Code == recording.CodeNeedsSubject {
		s.LeftOut = true
		p.Rec.Skipped = s
	}
}

// Sample picks at most n items, spread evenly, always the first and the last; all
// of them if n is 0.
func Sample[T any](all []T, n int) []T {
	if n <= 0 || len(all) <= n {
		return all
	}
	if n == 1 {
		return all[:1]
	}
	picked := make([]T, 0, n)
	for i := range n {
		picked = append(picked, all[i*(len(all)-1)/(n-1)])
	}
	return picked
}

// URIs is the set of the listed URIs in a form that can be compared.
func URIs(pages []*recording.Exchange) string {
	var all []string
	for _, x := range pages {
		judge.Each(x.Value("resources"),
			func(item gjson.Result) { all = append(all, item.Get("uri").Raw) })
	}
	slices.Sort(all)
	all = slices.Compact(all)
	b, _ := json.Marshal(all) // strings can always be encoded
	return string(b)
}

// Description says what the list says of a template.
func (p *Play) Description(template string) recording.Tags {
	for _, l := range p.AllTemplates() {
		if l.Template() == template {
			tags := recording.Tags{recording.TagListed: "yes"}
			if mime := l.Get("mimeType"); judge.IsString(mime) {
				tags[TagMIME] = mime.Str
			}
			return tags
		}
	}
	return nil
}

// Heavy is the size of a result, in bytes, from which on a resource is read no
// more than once in a combination: all that a target sends is kept in memory.
const Heavy = 1 << 20

// Readable is a listed URI that was read with success; empty if there is none,
// or none whose content is light enough to be read again and again. The scenario
// must come after [recording.Reads].
func (p *Play) Readable() string {
	for _, x := range p.Earlier(recording.Reads).Steps(recording.StepRead) {
		if x.Succeeded() && !Required(x) && len(x.Result().Raw) < Heavy &&
			!strings.HasPrefix(x.Tags[recording.TagURI], "https:") {
			return x.Tags[recording.TagURI]
		}
	}
	return ""
}

// Light is the resources that were listed without those whose content is known
// to be too long to be read again and again. The scenario must come after
// [recording.Reads].
func (p *Play) Light() []Listed {
	long := map[string]bool{}
	for _, x := range p.Earlier(recording.Reads).Steps(recording.StepRead) {
		long[x.Tags[recording.TagURI]] = len(x.Result().Raw) >= Heavy
	}
	return slices.DeleteFunc(slices.Clone(p.Resources()), func(l Listed) bool { return long[l.URI()] })
}

// Siblings guesses at most two URIs beside listed ones that most probably do not
// exist: the last segment is replaced, or more of them where a template matches
// what that gives; where one matches all of these, as notes:///{name}.txt does, the
// last segment is replaced by a name without extension. Left out are https URIs,
// which a client may be meant to fetch itself.
func Siblings(resources []Listed, templates judge.Matchers) []string {
	const wanted, tried = 2, 1000
	var found []string
	for _, r := range resources[:min(len(resources), tried)] {
		uri := r.URI()
		if strings.HasPrefix(uri, "https:") || len(judge.URI(uri)) > 0 {
			continue
		}
		guesses := absent(uri, len(found)+1)
		if end := extension(guesses[0]); end != "" {
			guesses = append(guesses, strings.TrimSuffix(guesses[0], end))
		}
		for _, guess := range guesses {
			if u, err := url.Parse(guess); err != nil || u.Scheme == "" || slices.Contains(found, guess) ||
				templates.Match(guess) {
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

// extension is the part of a name from its last dot, if it looks like a file's.
func extension(name string) string {
	i := strings.LastIndexByte(name, '.')
	if i < 1 || len(name)-i > 6 || strings.ContainsAny(name[i:], "?#") {
		return ""
	}
	return name[i:]
}
