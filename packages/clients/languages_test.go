package clients

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// language is how a language writes types.
type language struct {
	any          string            // what may be any value
	plain        map[string]string // by the types of JSON Schema
	named        map[string]string // by the types of the document, where they have other names
	from         string            // stands before the others
	list, record string            // formats, of the type of what is in them
	choice       string            // a format, of quoted strings
	or           string            // between them
}

var (
	typescript = language{
		any: "any",
		plain: map[string]string{"string": "string", "number": "number", "boolean": "boolean",
			"integer": "number"},
		list: "Array<%s>", record: "Record<string, %s>", choice: `"%s"`, or: `" | "`,
	}
	python = language{
		any:   "Any",
		plain: map[string]string{"string": "str", "number": "float", "boolean": "bool", "integer": "int"},
		list:  "list[%s]", record: "dict[str, %s]", choice: "Literal['%s']", or: "', '",
	}
	golang = language{
		any: "any",
		plain: map[string]string{"string": "string", "number": "float64", "boolean": "bool",
			"integer": "int"},
		list: "[]%s", record: "map[string]%s", choice: "string",
		from: "admin.",
		named: map[string]string{
			"Answer": "reference.Answer", "Health": "reference.Health", "Namespace": "reference.Namespace",
			"SessionInfo": "reference.Session", "StepStatus": "reference.StepStatus",
			"Rule": "control.Rule", "Status": "control.Status", "Client": "oauth.Client",
			"Grant": "oauth.Grant",
			"Owner": "admin.Identity", "Report": "*reports.Report",
			"Resource": "world.Resource", "WrittenResource": "world.Resource", "ResourcePatch": "any",
			"Template": "world.Template", "WrittenTemplate": "world.Template", "TemplatePatch": "any",
		},
	}
)

// of is the type of what a schema describes.
func (l language) of(s schema) string {
	switch {
	case s.Ref != "":
		return cmp.Or(l.named[s.reference()], l.from+s.reference())
	case len(s.Enum) > 0:
		return fmt.Sprintf(l.choice, strings.Join(s.Enum, l.or))
	case s.Type == "array":
		return fmt.Sprintf(l.list, l.of(*s.Items))
	case s.Type == "object":
		values := l.any
		if v := s.values(); v != nil {
			values = l.of(*v)
		}
		return fmt.Sprintf(l.record, values)
	}
	return cmp.Or(l.plain[s.Type], l.any)
}

var capital = regexp.MustCompile("[A-Z]")

// snake is a name as Python writes it.
func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
}

// PythonPath is the path as an f-string has it.
func (c call) PythonPath() string {
	return c.filled(func(name string) string { return "{quote(" + snake(name) + ", safe='')}" })
}

// Arguments are the names of what a call is given.
func (c call) Arguments() string {
	var names []string
	for _, p := range c.InPath {
		names = append(names, p.Name)
	}
	if len(c.InQuery) > 0 {
		names = append(names, "query")
	}
	if c.Takes != nil {
		names = append(names, "body")
	}
	return strings.Join(names, ", ")
}

// JavaScriptPath is the path as a template literal has it.
func (c call) JavaScriptPath() string {
	return c.filled(func(name string) string { return "${encodeURIComponent(" + name + ")}" })
}

// declared is the arguments of a call with their types.
func declared(c call) string {
	var all []string
	for _, p := range c.InPath {
		all = append(all, p.Name+": string")
	}
	if len(c.InQuery) > 0 {
		var members []string
		needed := false
		for _, p := range c.InQuery {
			members = append(members, p.Name+optional(p.Required)+": "+typescript.of(p.Schema))
			needed = needed || p.Required
		}
		all = append(all, "query"+optional(needed)+": { "+strings.Join(members, "; ")+" }")
	}
	if c.Takes != nil {
		all = append(all, "body: "+typescript.of(*c.Takes))
	}
	return strings.Join(all, ", ")
}

// comment is a text within a comment, which it does not end.
func comment(text string) string { return strings.ReplaceAll(text, "*/", "*\\/") }

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// method is a call as a method of the client in Go.
type method struct {
	call
	Name, Comment string
	Answer        *schema // what it returns: Gives, or the only member of that
	Only          string  // which that is
}

// Method is the call of that id as a method, with the name that its comment begins with. What is written
// whole is not returned.
func (a api) Method(id, comment string) (method, error) {
	i := slices.IndexFunc(a.Calls, func(c call) bool { return c.ID == id })
	if i < 0 {
		return method{}, fmt.Errorf("there is no operation %s", id)
	}
	m := method{call: a.Calls[i], Comment: comment, Answer: a.Calls[i].Gives}
	m.Name, _, _ = strings.Cut(comment, " ")
	if m.Verb == "PUT" {
		m.Gives = nil
	}
	for _, o := range a.Types {
		if m.Gives != nil && o.Name == m.Gives.reference() && len(o.Members) == 1 {
			only := o.Members[0]
			m.Only, m.Answer = strings.ToUpper(only.Name[:1])+only.Name[1:], &only.Schema
		}
	}
	return m, nil
}

// GoPath is the path with its query, as an expression in Go.
func (m method) GoPath() string {
	path := m.filled(func(name string) string { return `" + url.PathEscape(` + name + `) + "` })
	for _, p := range m.InQuery {
		path += "?" + p.Name + `=" + url.QueryEscape(` + p.Name + `) + "`
	}
	return strings.TrimSuffix(`"`+path+`"`, ` + ""`)
}

// Body is the name of the argument with the body.
func (m method) Body() string {
	switch {
	case m.Takes == nil:
		return "nil"
	case m.Verb == "PATCH":
		return "patch"
	}
	return strings.ToLower(m.Takes.reference()[:1])
}
