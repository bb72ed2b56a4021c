package record

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// World makes a world of what was listed, read and completed. The notes say, in sentences, what
// the recording leaves open.
func (r *Recording) World() (w world.World, notes []string, err error) {
	b := &painter{resources: map[string]*world.Resource{}, read: map[string]bool{},
		templates: map[string]*world.Template{}}
	b.world.Name = "recorded"
	for _, x := range r.exchanges() {
		result := gjson.GetBytes(x.answer, "result")
		params, failure := gjson.ParseBytes(x.params), gjson.GetBytes(x.answer, "error")
		switch {
		case x.answer == nil:
		case x.method == hook.MethodRead && failure.Exists():
			b.failed(textOf(params, "uri"), failure)
		case !result.IsObject():
		case x.method == "initialize" || x.method == hook.MethodDiscover:
			b.introduced(result)
		case x.method == hook.MethodList:
			b.listed(result)
		case x.method == hook.MethodTemplates:
			b.templatesListed(result)
		case x.method == hook.MethodRead:
			b.readResult(textOf(params, "uri"), result)
		case x.method == hook.MethodComplete:
			b.completed(params, result)
		}
	}
	if len(b.order) == 0 && len(b.templateOrder) == 0 {
		return world.World{}, nil, fmt.Errorf("%s: no resource and no template was listed or read in it",
			r.Name)
	}
	b.finish()
	for i := range r.Entries {
		if r.Entries[i].Truncated() && r.Entries[i].Direction == journal.Out {
			b.notes = append(b.notes,
				fmt.Sprintf("entry %d is too long to have been recorded whole, and was left out",
					r.Entries[i].Seq))
		}
	}
	if err := b.world.Validate(); err != nil {
		return world.World{}, nil, errors.Join(fmt.Errorf("%s: what was recorded makes no world", r.Name),
			err)
	}
	return b.world, b.notes, nil
}

// painter puts a world together.
type painter struct {
	world         world.World
	resources     map[string]*world.Resource
	order         []*world.Resource
	read          map[string]bool
	templates     map[string]*world.Template
	templateOrder []*world.Template
	notes         []string
}

// introduced takes what the server says of itself.
func (b *painter) introduced(result gjson.Result) {
	info := result.Get("serverInfo")
	if !info.Exists() {
		info = result.Get(`_meta.io\.modelcontextprotocol/serverInfo`)
	}
	s, now := &b.world.Server, decoded[world.Implementation](info)
	s.Name, s.Version = cmp.Or(s.Name, now.Name), cmp.Or(s.Version, now.Version)
	s.Title, s.WebsiteURL = cmp.Or(s.Title, now.Title), cmp.Or(s.WebsiteURL, now.WebsiteURL)
	s.Description = cmp.Or(s.Description, now.Description)
	if s.Icons == nil {
		s.Icons = now.Icons
	}
	b.world.Instructions = cmp.Or(b.world.Instructions, textOf(result, "instructions"))
	capabilities := result.Get("capabilities")
	if b.world.Capabilities == nil && capabilities.Exists() {
		b.world.Capabilities = &world.Capabilities{
			Subscribe:   capabilities.Get("resources.subscribe").Bool(),
			ListChanged: capabilities.Get("resources.listChanged").Bool(),
			Completions: capabilities.Get("completions").Exists(),
			Logging:     capabilities.Get("logging").Exists(),
		}
	}
}

// hints are the caching hints of a result; nil if it has none.
func hints(result gjson.Result) *world.Caching {
	ttl, scope := result.Get("ttlMs"), result.Get("cacheScope")
	if ttl.Type != gjson.Number || ttl.Num < 0 || ttl.Num > 1e15 {
		return nil
	}
	return &world.Caching{TTL: time.Duration(ttl.Num) * time.Millisecond,
		Scope: cmp.Or(scope.String(), "public")}
}

func (b *painter) paged(result gjson.Result, n int) {
	if result.Get("nextCursor").Exists() {
		b.world.PageSize = max(b.world.PageSize, n)
	}
	if c := hints(result); c != nil && b.world.Caching == nil {
		b.world.Caching = c
	}
}

// resource is the resource with that URI, which is made if need be.
func (b *painter) resource(uri string) (r *world.Resource, fresh bool) {
	if r := b.resources[uri]; r != nil {
		return r, false
	}
	r = &world.Resource{URI: uri, Name: uri[strings.LastIndexAny(strings.TrimRight(uri, "/"), "/:")+1:]}
	r.Name = cmp.Or(r.Name, uri)
	b.resources[uri] = r
	b.order = append(b.order, r)
	return r, true
}

func (b *painter) listed(result gjson.Result) {
	entries := result.Get("resources").Array()
	b.paged(result, len(entries))
	for _, e := range entries {
		uri := textOf(e, "uri")
		if uri == "" {
			continue
		}
		r, _ := b.resource(uri)
		r.Hidden = false
		l := decoded[listing](e)
		r.Name, r.MIMEType = cmp.Or(l.Name, r.Name), cmp.Or(l.MIMEType, r.MIMEType)
		r.Title, r.Description = l.Title, l.Description
		r.Annotations, r.Icons, r.Meta = l.Annotations, l.Icons, l.Meta
		if size := e.Get("size"); size.Type == gjson.Number {
			r.Size = new(size.Int())
		}
	}
}

// listing is what a list says of a resource or a template.
type listing struct {
	Name, Title, Description, MIMEType string
	Annotations                        *world.Annotations
	Icons                              []world.Icon
	Meta                               map[string]any `json:"_meta"`
}

// textOf is a member of a result as a text; empty if there is none.
func textOf(of gjson.Result, name string) string { return of.Get(name).String() }

// decoded is a part of a result as a world has it; what is of another type is left out.
func decoded[T any](of gjson.Result) (part T) {
	_ = json.Unmarshal([]byte(of.Raw), &part)
	return part
}

func (b *painter) templatesListed(result gjson.Result) {
	entries := result.Get("resourceTemplates").Array()
	b.paged(result, len(entries))
	for _, e := range entries {
		uriTemplate := textOf(e, "uriTemplate")
		if uriTemplate == "" {
			continue
		}
		t := b.templates[uriTemplate]
		if t == nil {
			t = &world.Template{URITemplate: uriTemplate}
			b.templates[uriTemplate] = t
			b.templateOrder = append(b.templateOrder, t)
		}
		l := decoded[listing](e)
		t.Name, t.MIMEType = cmp.Or(l.Name, uriTemplate), l.MIMEType
		t.Title, t.Description = l.Title, l.Description
		t.Annotations, t.Icons, t.Meta = l.Annotations, l.Icons, l.Meta
	}
}

// readResult takes the contents of a read. Several make a directory.
func (b *painter) readResult(uri string, result gjson.Result) {
	contents := result.Get("contents").Array()
	if uri == "" || len(contents) == 0 {
		return
	}
	r, fresh := b.resource(uri)
	r.Hidden = r.Hidden || fresh
	r.Fails, r.FailCode = "", 0
	b.read[uri] = true
	if c := hints(result); c != nil {
		r.Caching = c
	}
	if len(contents) == 1 && textOf(contents[0], "uri") == uri {
		content(r, contents[0])
		return
	}
	r.Text, r.Blob, r.Contains = nil, nil, []string{}
	for _, c := range contents {
		part := textOf(c, "uri")
		if part == "" || part == uri || slices.Contains(r.Contains, part) {
			continue
		}
		p, fresh := b.resource(part)
		p.Hidden = p.Hidden || fresh
		b.read[part] = true
		content(p, c)
		r.Contains = append(r.Contains, part)
	}
	if len(r.Contains) == 0 {
		r.Contains = nil
		content(r, contents[0])
	}
}

func content(r *world.Resource, c gjson.Result) {
	r.Text, r.Blob, r.Contains = nil, nil, nil
	if blob := c.Get("blob"); blob.Exists() {
		r.Blob = new(blob.String())
	} else {
		r.Text = new(textOf(c, "text"))
	}
	r.MIMEType = cmp.Or(r.MIMEType, textOf(c, "mimeType"))
}

// failed takes a read that was answered by an error. That of a resource nobody has listed
// means that there is none.
func (b *painter) failed(uri string, e gjson.Result) {
	if r := b.resources[uri]; r != nil && !b.read[uri] && !r.Hidden {
		r.Fails, r.FailCode = cmp.Or(textOf(e, "message"), "Internal error"), int(e.Get("code").Int())
		b.read[uri] = true
	}
}

// completed takes the values that were suggested for a variable.
func (b *painter) completed(params, result gjson.Result) {
	t := b.templates[textOf(params, "ref.uri")]
	name := textOf(params, "argument.name")
	if t == nil || name == "" {
		return
	}
	i := slices.IndexFunc(t.Variables, func(v world.Variable) bool { return v.Name == name })
	if i < 0 {
		t.Variables = append(t.Variables, world.Variable{Name: name})
		i = len(t.Variables) - 1
	}
	v := &t.Variables[i]
	with := func(values []string) []string {
		for _, s := range result.Get("completion.values").Array() {
			if !slices.Contains(values, s.String()) {
				values = append(values, s.String())
			}
		}
		return values
	}
	others := params.Get("context.arguments").Map()
	for other, value := range others {
		if len(others) == 1 && (v.DependsOn == "" || v.DependsOn == other) {
			v.DependsOn = other
			if v.ValuesBy == nil {
				v.ValuesBy = map[string][]string{}
			}
			v.ValuesBy[value.String()] = with(v.ValuesBy[value.String()])
			return
		}
	}
	v.Values = with(v.Values)
}

// maxInvented is the longest content that is made up.
const maxInvented = 1 << 20

// invent makes up a content of the listed size.
func invent(r *world.Resource) {
	if r.Size != nil && *r.Size > 0 && *r.Size <= maxInvented {
		text := r.MIMEType == "" || strings.HasPrefix(r.MIMEType, "text/") ||
			strings.Contains(r.MIMEType, "json") || strings.Contains(r.MIMEType, "xml")
		r.Generate = &world.Generate{Bytes: int(*r.Size), Line: "not recorded", Binary: !text}
	}
}

// nowhere is a URI at which a recording has nothing.
const nowhere = "urn:mockserver:not-recorded"

// simple are templates whose expansion can be looked up as it is.
var simple = regexp.MustCompile(`^[^{}]*(\{\+?\w+\}[^{}]*)+$`)

// finish puts the parts in order.
func (b *painter) finish() {
	unread := 0
	for _, r := range b.order {
		if !b.read[r.URI] {
			unread++
			invent(r)
		}
		b.world.Resources = append(b.world.Resources, *r)
	}
	if unread > 0 {
		b.notes = append(b.notes,
			fmt.Sprintf(plural.Of(unread,
				"%d of %d resources {was listed but not read: its|were listed but not read: their} "+
					"contents are made up"), unread, len(b.order)))
	}
	for _, t := range b.templateOrder {
		if t.Finds = nowhere; simple.MatchString(t.URITemplate) {
			t.Finds = t.URITemplate
		}
		b.world.Templates = append(b.world.Templates, *t)
	}
	switch n := len(b.templateOrder); {
	case n == 1:
		b.notes = append(b.notes, "of what the template leads to there is only what was read")
	case n > 1:
		b.notes = append(b.notes, fmt.Sprintf("of what the %d templates lead to there is only what was read",
			n))
	}
}

// EncodeWorld writes a world as the YAML of a world file, without the members that say
// nothing.
func EncodeWorld(w world.World) ([]byte, error) {
	n, err := yaml.ValueToNode(w, yaml.OmitZero(), yaml.IndentSequence(true))
	if err != nil {
		return nil, err
	}
	ast.Walk(quoting{}, n)
	return []byte(n.String() + "\n"), nil
}

// tame are texts that every YAML reader takes for themselves when they are written as they are:
// printable lines that neither begin nor end with a blank.
var tame = regexp.MustCompile(`^(?:[!-~](?:[ -~]*[!-~])?\n?)*$`)

// quoting puts the texts that are not tame into quotation marks.
type quoting struct{}

// Visit implements [ast.Visitor].
func (q quoting) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.MappingValueNode:
		n.Key, _ = quoted(n.Key).(ast.MapKeyNode) // as a text is, in quotation marks or not
		n.Value = quoted(n.Value)
	case *ast.SequenceNode:
		for i := range n.Values {
			n.Values[i] = quoted(n.Values[i])
		}
	}
	return q
}

// quoted is a text in quotation marks, if it needs them and has none yet.
func quoted(n ast.Node) ast.Node {
	text := ""
	switch n := n.(type) {
	case *ast.StringNode:
		if !strings.HasPrefix(n.Value, `"`) {
			text = n.Value
		}
	case *ast.LiteralNode:
		text = n.Value.Value
	}
	if tame.MatchString(text) && terminal.HarmlessText(text) == text {
		return n
	}
	return ast.String(token.DoubleQuote(text, text, n.GetToken().Position))
}
