package schema

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/tidwall/gjson"
)

// Member is what a type says of a place in it, without what is inside.
type Member struct {
	// Want says in a few words what is due there.
	Want string
	// Required says that it has to be there; Each that it is what items of an array or
	// members of a map have to be.
	Required, Each bool
	// Known is false where the revision does not define the place: anything will do.
	Known bool

	kinds, values []any // one of which it has to be; without any all will do
}

// Member is what a named type says of a place in it, which is written as in
// [Violation.Member].
func (s *Set) Member(of, path string) *Member {
	if s == nil {
		return &Member{}
	}
	key := [2]string{of, path}
	m, found := s.members.Load(key)
	if !found {
		m, _ = s.members.LoadOrStore(key, s.member(of, path))
	}
	return m.(*Member)
}

func (s *Set) member(of, path string) *Member {
	m := &Member{}
	at := s.expand(node{"$ref": "#/$defs/" + of})
	for step := range strings.SplitSeq(path, ".") {
		name, items := strings.CutSuffix(step, "[]")
		m.Required, m.Each = false, items || name == "*"
		for _, n := range at {
			required, _ := n["required"].([]any)
			m.Required = m.Required || !m.Each && slices.Contains(required, any(name))
		}
		if name == "*" {
			at = s.under(at, "additionalProperties")
		} else {
			at = s.named(at, name)
		}
		if items {
			at = s.under(at, "items")
		}
	}
	for _, n := range slices.Backward(at) { // the first that says it counts
		switch kind := n["type"].(type) {
		case string:
			m.kinds = []any{kind}
		case []any:
			m.kinds = kind
		}
		if values, ok := n["enum"].([]any); ok {
			m.values = values
		}
	}
	m.Want, m.Known = want(at), len(at) > 0
	return m
}

// Fits reports whether a value is of the type that is due, or one of the words. Bounds are
// not looked at.
func (m *Member) Fits(value gjson.Result) bool {
	if m.values != nil {
		return slices.Contains(m.values, value.Value())
	}
	return m.kinds == nil || slices.ContainsFunc(m.kinds, func(kind any) bool { return kinds[kind](value) })
}

// kinds are the types of JSON Schema.
var kinds = map[any]func(gjson.Result) bool{
	"string": judge.IsString, "integer": judge.IsInteger, "number": judge.IsNumber, "boolean": judge.IsBool,
	"object": judge.IsObject, "array": judge.IsArray,
	"null": func(r gjson.Result) bool { return r.Type == gjson.Null },
}
