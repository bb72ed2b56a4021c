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

// Listed is a resource or template as it was listed.
type Listed struct {
	gjson.Result
	// Page is the exchange that listed it.
	Page *recording.Exchange
}

// URI is the listed URI; empty if it is no string.
func (l Listed) URI() string {
	if u := l.Get("uri"); u.Type == gjson.String {
		return u.Str
	}
	return ""
}

// Template is the listed URI template; empty if it is no string.
func (l Listed) Template() string {
	if u := l.Get("uriTemplate"); u.Type == gjson.String {
		return u.Str
	}
	return ""
}

// Resources lists the resources that the walk found, those with a URI only, each
// URI once, without those that are left out because they speak of deletion or
// execution. The scenario must come after [recording.WalkResources].
func (p *Play) Resources() []Listed {
	return p.harmless(p.AllResources(), "uri")
}

// Templates lists the templates that the walk found, those with a URI template
// only, each once, without those that are left out as resources are. The scenario
// must come after [recording.WalkTemplates].
func (p *Play) Templates() []Listed {
	return p.harmless(p.AllTemplates(), "uriTemplate")
}

// AllResources is [Play.Resources] with those that are not to be read.
func (p *Play) AllResources() []Listed {
	return listed(p.Earlier(recording.WalkResources), "resources", Listed.URI)
}

// AllTemplates is [Play.Templates] with those that are not to be expanded.
func (p *Play) AllTemplates() []Listed {
	return listed(p.Earlier(recording.WalkTemplates), "resourceTemplates", Listed.Template)
}

// harmless leaves out what may do harm when it is read, unless the user allows it, and
// keeps an example of that for the recording.
func (p *Play) harmless(all []Listed, member string) []Listed {
	if p.Facts.Allowed[string(target.AllowRisky)] {
		return all
	}
	return slices.DeleteFunc(all, func(l Listed) bool {
		named := l.Get(member)
		w := judge.Risky(named.Str, l.Get("name").String(), l.Get("title").String())
		if w != "" {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.leftOut[judge.Brief(named)] = w
		}
		return w != ""
	})
}

// risky says in the recording what was left out. Where nothing else is recorded, that is
// why.
func (p *Play) risky() {
	if len(p.leftOut) == 0 {
		return
	}
	example := slices.Min(slices.Collect(maps.Keys(p.leftOut)))
	s := Skip(recording.CodeNeedsConfig, "%d listed URIs and templates speak of deletion or execution (%s: %s) and were left out; --allow-risky, or allow: [risky] in the target file, has them read",
		len(p.leftOut), example, p.leftOut[example])
	if p.Rec.Skipped == nil || len(p.Rec.Exchanges) == 0 && p.Rec.Skipped.Code == recording.CodeNeedsSubject {
		s.LeftOut = true
		p.Rec.Skipped = s
	}
}

func listed(r *recording.Recording, member string, name func(Listed) string) []Listed {
	var all []Listed
	if r == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, page := range r.Steps(recording.StepPage) {
		for _, item := range page.Result().Get(member).Array() {
			l := Listed{item, page}
			if n := name(l); n != "" && !seen[n] {
				seen[n] = true
				all = append(all, l)
			}
		}
	}
	return all
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
		for _, item := range x.Result().Get("resources").Array() {
			all = append(all, item.Get("uri").Raw)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	b, _ := json.Marshal(all) // strings can always be encoded
	return string(b)
}

// Description says what the list says of a template.
func Description(p *Play, template string) recording.Tags {
	for _, l := range p.AllTemplates() {
		if l.Template() == template {
			tags := recording.Tags{recording.TagListed: "yes"}
			if mime := l.Get("mimeType"); judge.IsString(mime) {
				tags[recording.TagMIME] = mime.Str
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
	r := p.Earlier(recording.Reads)
	if r == nil {
		return ""
	}
	for _, x := range r.Steps(recording.StepRead) {
		if x.Succeeded() && !Required(x) && len(x.Result().Raw) < Heavy && !strings.HasPrefix(x.Tags[recording.TagURI], "https:") {
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
	if r := p.Earlier(recording.Reads); r != nil {
		for _, x := range r.Steps(recording.StepRead) {
			long[x.Tags[recording.TagURI]] = len(x.Result().Raw) >= Heavy
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Resources()), func(l Listed) bool { return long[l.URI()] })
}

// Siblings guesses at most two URIs beside listed ones that most probably do not
// exist: the last segment is replaced, or more of them where a template matches
// what that gives. Left out are https URIs, which a client may be meant to fetch
// itself. The templates are all that are listed.
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
