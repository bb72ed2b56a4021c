package main

import (
	"cmp"
	"fmt"
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
