package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strings"
)

// language is how a language writes types.
type language struct {
	any          string            // what may be any value
	plain        map[string]string // by the types of JSON Schema
	list, record string            // formats, of the type of what is in them
	choice       string            // a format, of quoted strings
	or           string            // between them
}

var (
	typescript = language{
		any:   "any",
		plain: map[string]string{"string": "string", "number": "number", "boolean": "boolean", "integer": "number"},
		list:  "Array<%s>", record: "Record<string, %s>", choice: `"%s"`, or: `" | "`,
	}
	python = language{
		any:   "Any",
		plain: map[string]string{"string": "str", "number": "float", "boolean": "bool", "integer": "int"},
		list:  "list[%s]", record: "dict[str, %s]", choice: "Literal['%s']", or: "', '",
	}
)

// of is the type of what a schema describes.
func (l language) of(s schema) string {
	switch {
	case s.Ref != "":
		return s.reference()
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
