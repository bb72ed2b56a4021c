package engine

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const maxCompletions = 100

// completion suggests values for a variable of a template: those that begin
// with what has been typed.
func (q serving) completion() *hook.Reply {
	params := q.params.decode()
	ref, ok := params["ref"].(hook.Object)
	if !ok {
		return badParams(`"ref" must be an object`)
	}
	argument, ok := params["argument"].(hook.Object)
	if !ok {
		return badParams(`"argument" must be an object`)
	}
	name, hasName := argument["name"].(string)
	typed, hasValue := argument["value"].(string)
	if !hasName || !hasValue {
		return badParams(`"argument" needs a name and a value, both strings`)
	}
	others, why := contextArguments(q.Revision, params)
	if why != "" {
		return badParams(why)
	}
	values, r := q.suggest(ref, name, typed, others)
	if r != nil {
		return r
	}
	return reply(hook.Object{"completion": suggestions(values, typed)})
}

// suggestions are those of the values that begin with what has been typed.
func suggestions(values []string, typed string) hook.Object {
	list := []any{}
	total := 0
	for _, v := range values {
		if !strings.HasPrefix(strings.ToLower(v), strings.ToLower(typed)) {
			continue
		}
		total++
		if len(list) < maxCompletions {
			list = append(list, v)
		}
	}
	return hook.Object{"values": list, "total": hook.Number(int64(total)), "hasMore": total > len(list)}
}

// contextArguments reads the values of other variables (2025-06-18 on).
func contextArguments(revision string, params hook.Object) (others map[string]string, why string) {
	others = map[string]string{}
	v, there := params["context"]
	if !there || revision < hook.R20250618 {
		return others, ""
	}
	context, ok := v.(hook.Object)
	if !ok {
		return nil, `"context" must be an object`
	}
	v, there = context["arguments"]
	if !there {
		return others, ""
	}
	arguments, ok := v.(hook.Object)
	if !ok {
		return nil, `"context.arguments" must be an object`
	}
	for name, v := range arguments {
		value, ok := v.(string)
		if !ok {
			return nil, `"context.arguments" must hold strings`
		}
		others[name] = value
	}
	return others, ""
}

// suggest lists all values of a variable of the referenced template.
func (q serving) suggest(ref hook.Object, name, typed string, others map[string]string) ([]string,
	*hook.Reply) {
	switch ref["type"] {
	case "ref/prompt":
		for _, p := range q.served().world.Prompts {
			if p.Name == ref["name"] && slices.ContainsFunc(p.Arguments, func(a world.Argument) bool {
				return a.Name == name
			}) {
				return nil, nil // a text of which nothing is known
			}
		}
		return nil, badParams("there is no such prompt, or no such argument of it")
	case "ref/resource":
	default:
		return nil, badParams(`unknown type of "ref"`)
	}
	uri, ok := ref["uri"].(string)
	if !ok {
		return nil, badParams(`"ref.uri" must be a string`)
	}
	for _, t := range q.served().templates {
		if t.URITemplate != uri {
			continue
		}
		if !slices.Contains(t.names, name) {
			return nil, badParams("the template has no such variable")
		}
		if t.Source != nil {
			return t.Source.Suggest(q.ctx, name, typed), nil
		}
		return t.variable(name).Suggestions(others), nil
	}
	if q.exists(q.ctx, uri) {
		return nil, nil // a resource without variables: nothing to suggest
	}
	return nil, badParams("there is no such template")
}
