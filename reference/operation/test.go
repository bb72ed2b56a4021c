package operation

import (
	"encoding/base64"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// kinds are the types that a member can have, as Test.Type names them.
var kinds = []string{"string", "number", "boolean", "null", "object", "array", "missing"}

func kindOf(v any, there bool) string {
	if !there {
		return "missing"
	}
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case hook.Object:
		return "object"
	case []any:
		return "array"
	}
	return "number"
}

// textOf is a value as a text: a string as it is, anything else in JSON.
func textOf(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	return string(hook.Encode(v))
}

// test is a Test made ready.
type test struct {
	path    path
	in      path // nil if there is none
	is      any
	matches *regexp.Regexp
	kind    string
	not     bool
}

// compiled makes tests ready that have been checked.
func compiled(tests []Test) []test {
	var all []test
	for _, t := range tests {
		made := test{is: hook.Plain(t.Is), kind: t.Type, not: t.Not}
		made.path, _ = parsePath(t.At)
		made.in, _ = parsePath(t.In)
		if t.Matches != "" {
			made.matches, _ = regexp.Compile(t.Matches)
		}
		all = append(all, made)
	}
	return all
}

// holds reports whether the test holds for what find finds.
func (t *test) holds(find func(path) (any, bool)) bool {
	v, there := find(t.path)
	yes := there || t.kind != ""
	if t.kind != "" && t.kind != kindOf(v, there) || t.is != nil && !reflect.DeepEqual(t.is, v) ||
		t.matches != nil && !(there && t.matches.MatchString(textOf(v))) || t.in != nil &&
		!among(v, there, t.in, find) {
		yes = false
	}
	return yes != t.not
}

// among reports whether a value is one of those at a path.
func among(v any, there bool, at path, find func(path) (any, bool)) bool {
	values, found := find(at)
	list, several := values.([]any)
	if !several {
		list = []any{values}
	}
	return there && found && slices.ContainsFunc(list, func(one any) bool {
		return reflect.DeepEqual(one, v)
	})
}

// all reports whether tests hold for what find finds.
func all(tests []test, find func(path) (any, bool)) bool {
	return !slices.ContainsFunc(tests, func(t test) bool { return !t.holds(find) })
}

// retyped is a value in another type, if it has a form in it.
func retyped(v any, as string) any {
	text, isText := v.(string)
	switch as {
	case "string":
		return textOf(v)
	case "number":
		if n, err := hook.Decode([]byte(text)); isText && err == nil && kindOf(n, true) == "number" {
			return n
		}
	case "array":
		o, ok := v.(hook.Object)
		if !ok {
			return []any{v}
		}
		list := []any{}
		for _, name := range slices.Sorted(maps.Keys(o)) {
			list = append(list, o[name])
		}
		return list
	case "element":
		if list, ok := v.([]any); ok && len(list) > 0 {
			return list[0]
		}
	case "json":
		if document, err := hook.Decode([]byte(text)); isText && err == nil {
			return document
		}
	case "base64":
		if isText {
			return base64.StdEncoding.EncodeToString([]byte(text))
		}
	case "plain":
		if data, err := base64.StdEncoding.DecodeString(text); isText && err == nil {
			return strings.ToValidUTF8(string(data), "\uFFFD")
		}
	}
	return v
}
