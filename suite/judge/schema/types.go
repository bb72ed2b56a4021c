package schema

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

//go:embed types.yaml
var typesText string

// node is a schema, or a part of one, as the members of its JSON object.
type node = map[string]any

// The keywords of types.yaml that are none of JSON Schema; see there. The last two stay in
// the schemas of the revisions.
const (
	keySince      = "x-since"
	keyUntil      = "x-until"
	keyByRevision = "x-by-revision"
	keyRequired   = "x-required"
	judgedBy      = "x-requirement"
	judgedByBelow = "x-requirement-below"
)

// typeFile is what types.yaml holds.
type typeFile struct {
	Shared        node              `yaml:"shared"` // what others refer to by aliases
	Types         node              `yaml:"types"`
	Requests      map[string]string `yaml:"requests"`      // names of types by method
	Notifications map[string]string `yaml:"notifications"` // names of types by method
	Results       map[string]string `yaml:"results"`       // names of types by method
	Errors        map[string]string `yaml:"errors"`        // names of types by error code
}

// types are the types of all revisions. It panics if they cannot be read: that is an error of
// this package, which every use of it shows.
var types = sync.OnceValue(func() *typeFile {
	f := &typeFile{}
	if _, err := yamlfile.Decode("suite/judge/schema/types.yaml", []byte(typesText), f); err != nil {
		panic(err)
	}
	return f
})

// Defines reports whether a revision, or the extension that tasks became, has a request or notification of a
// method.
func Defines(method string) bool {
	_, request := types().Requests[method]
	_, notification := types().Notifications[method]
	return request || notification ||
		strings.HasPrefix(strings.TrimPrefix(method, "notifications/"), "tasks/")
}

// inRevision is a part of a schema as a revision has it; ok is false if it has none.
func inRevision(part node, rev requirement.Revision) (made node, ok bool) {
	since, _ := part[keySince].(string)
	until, _ := part[keyUntil].(string)
	if !(requirement.Span{Since: requirement.Revision(since), Until: requirement.Revision(until)}).Holds(
		rev) {
		return nil, false
	}
	made = node{}
	for keyword, value := range part {
		switch keyword {
		case keySince, keyUntil, keyByRevision:
		case "properties":
			addMembers(made, value.(node), rev)
		default:
			made[keyword] = valueIn(value, rev)
		}
	}
	alternatives, _ := part[keyByRevision].([]any)
	for _, a := range alternatives {
		if one, ok := inRevision(a.(node), rev); ok {
			maps.Copy(made, one)
			break
		}
	}
	return made, true
}

// valueIn is the value of a keyword as a revision has it.
func valueIn(value any, rev requirement.Revision) any {
	switch v := value.(type) {
	case node:
		part, _ := inRevision(v, rev)
		return part
	case []any:
		items := make([]any, len(v))
		for i, item := range v {
			items[i] = valueIn(item, rev)
		}
		return items
	}
	return value
}

// addMembers adds the members that a revision has, and which of them are required.
func addMembers(object, members node, rev requirement.Revision) {
	properties, required := node{}, []any{}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if m, ok := inRevision(members[name].(node), rev); ok {
			if m[keyRequired] == true {
				required = append(required, name)
			}
			delete(m, keyRequired)
			properties[name] = m
		}
	}
	object["properties"] = properties
	if len(required) > 0 {
		object["required"] = required
	}
}
