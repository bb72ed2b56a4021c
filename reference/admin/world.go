package admin

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/mcpcheck/mcpcheck/reference/world"
)

func getOpenAPI(*call) (int, any, error) { return http.StatusOK, json.RawMessage(openAPI), nil }

func getHealth(c *call) (int, any, error) { return http.StatusOK, c.server.Health(), nil }

func postReset(c *call) (int, any, error) {
	if err := c.server.Reset(); err != nil {
		return 0, nil, problem(CodeConflict, "", "%s", err)
	}
	return http.StatusNoContent, nil, nil
}

// number reads a query parameter that is a number from 0 to most.
func (c *call) number(name string, otherwise, most int) (int, error) {
	text := c.URL.Query().Get(name)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > most {
		return 0, problem(CodeParameter, name, "the query parameter %q must be a number from 0 to %d", name, most)
	}
	return n, nil
}

func getResources(c *call) (int, any, error) {
	limit, err := c.number("limit", DefaultLimit, MaxLimit)
	if err != nil {
		return 0, nil, err
	}
	offset, err := c.number("offset", 0, 1<<30)
	if err != nil {
		return 0, nil, err
	}
	all := c.server.World().Resources
	list := ResourceList{Resources: []ResourceSummary{}, Total: len(all)}
	for _, r := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		list.Resources = append(list.Resources, ResourceSummary{r.URI, r.Name, r.MIMEType, r.Hidden})
	}
	return http.StatusOK, list, nil
}

// warned is a part of a world with what is odd about it.
func warned(encoded []byte, warnings []string, err error) (int, any, error) {
	if err != nil || len(warnings) == 0 {
		return http.StatusOK, json.RawMessage(encoded), err
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(encoded, &members); err != nil {
		return 0, nil, err
	}
	if members["warnings"], err = json.Marshal(warnings); err != nil {
		return 0, nil, err
	}
	return http.StatusOK, members, nil
}

// writtenResource answers with a resource that has been put or changed.
func writtenResource(r world.Resource) (int, any, error) {
	data, err := world.EncodeResource(r)
	return warned(data, r.Lint(), err)
}

// writtenTemplate answers with a template likewise.
func writtenTemplate(t world.Template) (int, any, error) {
	data, err := world.EncodeTemplate(t)
	return warned(data, t.Lint(), err)
}

// resource answers with a resource as a world has it.
func resource(r world.Resource) (int, any, error) {
	data, err := world.EncodeResource(r)
	return http.StatusOK, json.RawMessage(data), err
}

func template(t world.Template) (int, any, error) {
	data, err := world.EncodeTemplate(t)
	return http.StatusOK, json.RawMessage(data), err
}

func noResource(uri string) error {
	return problem(CodeNotFound, "uri", "there is no resource %q", uri)
}

func noTemplate(uriTemplate string) error {
	return problem(CodeNotFound, "uriTemplate", "there is no template %q", uriTemplate)
}

func getResource(c *call) (int, any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return 0, nil, err
	}
	w := c.server.World()
	r := w.Resource(uri)
	if r == nil {
		return 0, nil, noResource(uri)
	}
	return resource(*r)
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

func putResource(c *call) (int, any, error) {
	if err := isObject(c.body); err != nil {
		return 0, nil, err
	}
	r, err := world.DecodeResource(c.body)
	if err != nil {
		return 0, nil, refused(err)
	}
	if r.URI == "" {
		return 0, nil, problem(CodeInvalid, "uri", "uri is missing")
	}
	if err := c.server.Put(r); err != nil {
		return 0, nil, problem(CodeInvalid, "", "%s", err)
	}
	return writtenResource(r)
}

func patchResource(c *call) (int, any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return 0, nil, err
	}
	if err := isObject(c.body); err != nil {
		return 0, nil, err
	}
	found, err := c.server.Patch(uri, c.body)
	if !found {
		return 0, nil, noResource(uri)
	}
	if err != nil {
		return 0, nil, refused(err)
	}
	w := c.server.World()
	r := w.Resource(uri)
	if r == nil {
		return 0, nil, noResource(uri) // it has been taken away meanwhile
	}
	return writtenResource(*r)
}

func deleteResource(c *call) (int, any, error) {
	uri, err := c.param("uri")
	if err != nil {
		return 0, nil, err
	}
	if !c.server.Remove(uri) {
		return 0, nil, noResource(uri)
	}
	return http.StatusNoContent, nil, nil
}

func getTemplates(c *call) (int, any, error) {
	list := TemplateList{Templates: []json.RawMessage{}}
	for _, t := range c.server.World().Templates {
		data, err := world.EncodeTemplate(t)
		if err != nil {
			return 0, nil, err
		}
		list.Templates = append(list.Templates, data)
	}
	return http.StatusOK, list, nil
}

func (c *call) template() (world.Template, error) {
	uriTemplate, err := c.param("uriTemplate")
	if err != nil {
		return world.Template{}, err
	}
	all := c.server.World().Templates
	i := slices.IndexFunc(all, func(t world.Template) bool { return t.URITemplate == uriTemplate })
	if i < 0 {
		return world.Template{}, noTemplate(uriTemplate)
	}
	return all[i], nil
}

func getTemplate(c *call) (int, any, error) {
	t, err := c.template()
	if err != nil {
		return 0, nil, err
	}
	return template(t)
}

func putTemplate(c *call) (int, any, error) {
	if err := isObject(c.body); err != nil {
		return 0, nil, err
	}
	t, err := world.DecodeTemplate(c.body)
	if err != nil {
		return 0, nil, refused(err)
	}
	if t.URITemplate == "" {
		return 0, nil, problem(CodeInvalid, "uriTemplate", "uriTemplate is missing")
	}
	if err := c.server.PutTemplate(t); err != nil {
		return 0, nil, problem(CodeInvalid, "", "%s", err)
	}
	return writtenTemplate(t)
}

// patchTemplate replaces a template by what the patch makes of it.
func patchTemplate(c *call) (int, any, error) {
	if err := isObject(c.body); err != nil {
		return 0, nil, err
	}
	t, err := c.template()
	if err != nil {
		return 0, nil, err
	}
	changed, err := world.MergeTemplate(t, c.body)
	if err != nil {
		return 0, nil, refused(err)
	}
	if changed.URITemplate != t.URITemplate {
		return 0, nil, problem(CodeInvalid, "uriTemplate", "the URI template cannot be changed")
	}
	if err := c.server.PutTemplate(changed); err != nil {
		return 0, nil, problem(CodeInvalid, "", "%s", err)
	}
	return writtenTemplate(changed)
}

func deleteTemplate(c *call) (int, any, error) {
	uriTemplate, err := c.param("uriTemplate")
	if err != nil {
		return 0, nil, err
	}
	if !c.server.RemoveTemplate(uriTemplate) {
		return 0, nil, noTemplate(uriTemplate)
	}
	return http.StatusNoContent, nil, nil
}

func postTouch(c *call) (int, any, error) {
	var t Touch
	if err := decode(c.body, &t); err != nil {
		return 0, nil, err
	}
	if t.URI == "" {
		return 0, nil, problem(CodeInvalid, "uri", "uri is missing")
	}
	if !c.server.Touch(t.URI) {
		return 0, nil, noResource(t.URI)
	}
	return http.StatusNoContent, nil, nil
}

func postListChanged(c *call) (int, any, error) {
	c.server.ListChanged()
	return http.StatusNoContent, nil, nil
}

func postEndSubscriptions(c *call) (int, any, error) {
	c.server.EndSubscriptions()
	return http.StatusNoContent, nil, nil
}
