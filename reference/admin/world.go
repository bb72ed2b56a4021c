package admin

import (
	"encoding/json"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func postReset(c *call) error {
	if err := c.server.Reset(); err != nil {
		return problem(CodeConflict, "", "%s", err)
	}
	return nil
}

// number reads a query parameter that is a number from 0 to most.
func (c *call) number(name string, otherwise, most int) (int, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, problem(CodeParameter, name, "the query parameter %q must be a number from 0 to %d", name,
			most)
	}
	return n, nil
}

func getResources(c *call) (list ResourceList, err error) {
	limit, err := c.number("limit", DefaultLimit, MaxLimit)
	if err != nil {
		return list, err
	}
	offset, err := c.number("offset", 0, 1<<30)
	if err != nil {
		return list, err
	}
	all := c.server.World().Resources
	list = ResourceList{Resources: []ResourceSummary{}, Total: len(all)}
	for _, r := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		list.Resources = append(list.Resources, ResourceSummary{r.URI, r.Name, r.MIMEType, r.Hidden})
	}
	return list, nil
}

// warned is a part of a world with what is odd about it.
func warned(encoded []byte, warnings []string, err error) (any, error) {
	if err != nil || len(warnings) == 0 {
		return json.RawMessage(encoded), err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &members); err != nil {
		return nil, err
	}
	members["warnings"], err = json.Marshal(warnings)
	return members, err
}

// absent says that there is nothing of a name that a parameter or a member gives.
func absent(what, param, name string) error {
	return problem(CodeNotFound, param, "there is no %s %q", what, name)
}

// parts are the resources or the templates of the world, which are steered alike.
type parts[T interface{ Lint() []string }] struct {
	what, key string // key is the parameter and the member by which one is known
	keyOf     func(T) string
	find      func(w *world.World, key string) *T
	decode    func([]byte) (T, error)
	encode    func(T) ([]byte, error)
	put       func(*reference.Server, T) error
}

var (
	resources = parts[world.Resource]{
		"resource", "uri", func(r world.Resource) string { return r.URI }, (*world.World).Resource,
		world.DecodeResource, world.EncodeResource, (*reference.Server).Put,
	}
	templates = parts[world.Template]{
		"template", "uriTemplate", func(t world.Template) string {
			return t.URITemplate
		}, (*world.World).Template,
		world.DecodeTemplate, world.EncodeTemplate, (*reference.Server).PutTemplate,
	}
)

// named is the part that the request names.
func (p *parts[T]) named(c *call) (part T, err error) {
	w, key := c.server.World(), c.named(p.key)
	if found := p.find(&w, key); found != nil {
		return *found, nil
	}
	return part, absent(p.what, p.key, key)
}

// getting answers with the part that the request names.
func (p *parts[T]) getting() handler {
	h := giving(func(c *call) (any, error) {
		part, err := p.named(c)
		if err != nil {
			return nil, err
		}
		data, err := p.encode(part)
		return json.RawMessage(data), err
	})
	h.response = *new(T)
	return h
}

// written answers with a part that has been put or changed.
func (p *parts[T]) written(part T) (any, error) {
	data, err := p.encode(part)
	return warned(data, part.Lint(), err)
}

// replace puts the part that the body is.
func (p *parts[T]) replace(c *call) (any, error) {
	part, err := p.decode(c.body)
	if err != nil {
		return nil, refused(err)
	}
	if p.keyOf(part) == "" {
		return nil, problem(CodeInvalid, p.key, "%s is missing", p.key)
	}
	if err := p.put(c.server, part); err != nil {
		return nil, problem(CodeInvalid, "", "%s", err)
	}
	return p.written(part)
}

// writing is a handler whose body is a part of a world, or a patch of one.
func (p *parts[T]) writing(request any, write func(c *call) (any, error)) handler {
	h := accepting(request, giving(func(c *call) (any, error) {
		if err := isObject(c.body); err != nil {
			return nil, err
		}
		return write(c)
	}))
	h.response = written{*new(T)}
	return h
}

// isObject says why a body is no JSON object; what it has in it is looked at elsewhere.
func isObject(body []byte) error {
	var members map[string]jsontext.Value
	if err := decode(body, &members); err != nil {
		return err
	}
	if members == nil {
		return problem(CodeInvalid, "", "the body must be a JSON object, not null")
	}
	for _, name := range []string{"file", "repeat"} {
		if _, there := members[name]; there {
			return problem(CodeInvalid, name, "%s is for world files only", name)
		}
	}
	return nil
}

func patchResource(c *call) (any, error) {
	switch found, err := c.server.Patch(c.named("uri"), c.body); {
	case !found:
		return nil, absent("resource", "uri", c.named("uri"))
	case err != nil:
		return nil, refused(err)
	}
	r, err := resources.named(c) // which may have been taken away meanwhile
	if err != nil {
		return nil, err
	}
	return resources.written(r)
}

func getTemplates(c *call) (TemplateList, error) {
	list := TemplateList{Templates: []json.RawMessage{}}
	for _, t := range c.server.World().Templates {
		data, err := world.EncodeTemplate(t)
		if err != nil {
			return list, err
		}
		list.Templates = append(list.Templates, data)
	}
	return list, nil
}

// patchTemplate replaces a template by what the patch makes of it.
func patchTemplate(c *call) (any, error) {
	t, err := templates.named(c)
	if err != nil {
		return nil, err
	}
	changed, err := world.MergeTemplate(t, c.body)
	if err != nil {
		return nil, refused(err)
	}
	if changed.URITemplate != t.URITemplate {
		return nil, problem(CodeInvalid, "uriTemplate", "the URI template cannot be changed")
	}
	if err := c.server.PutTemplate(changed); err != nil {
		return nil, problem(CodeInvalid, "", "%s", err)
	}
	return templates.written(changed)
}

func postTouch(c *call, t Touch) (any, error) {
	if t.URI == "" {
		return nil, problem(CodeInvalid, "uri", "uri is missing")
	}
	if !c.server.Touch(t.URI) {
		return nil, absent("resource", "uri", t.URI)
	}
	return nil, nil
}
