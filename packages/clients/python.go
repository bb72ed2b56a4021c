package main

import (
	"regexp"
	"strings"
)

var capital = regexp.MustCompile("[A-Z]")

// snake is a name as Python writes it.
func snake(name string) string {
	return capital.ReplaceAllStringFunc(name, func(c string) string { return "_" + strings.ToLower(c) })
}

// PythonPath is the path as an f-string has it.
func (c call) PythonPath() string {
	return c.filled(func(name string) string { return "{quote(" + snake(name) + ", safe='')}" })
}

// python is the type of what a schema describes.
func python(s schema) string {
	switch {
	case s.Ref != "":
		return s.reference()
	case len(s.Enum) > 0:
		return "Literal['" + strings.Join(s.Enum, "', '") + "']"
	}
	switch s.Type {
	case "string":
		return "str"
	case "number":
		return "float"
	case "boolean":
		return "bool"
	case "integer":
		return "int"
	case "array":
		return "list[" + python(*s.Items) + "]"
	case "object":
		if v := s.values(); v != nil {
			return "dict[str, " + python(*v) + "]"
		}
		return "dict[str, Any]"
	}
	return "Any"
}
