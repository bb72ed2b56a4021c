package schema

import (
	"maps"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// node is a schema, or a part of one, as the members of its JSON object.
type node = map[string]any

// fragment is a piece of schema that can differ by revision.
type fragment func(rev requirement.Revision) node

// member is a member of an object, in the revisions that have it.
type member struct {
	name     string
	of       fragment
	required bool
	in       requirement.Span
}

// must is a member that has to be there, may one that can be left out.
func must(name string, of fragment) member { return member{name: name, of: of, required: true} }
func may(name string, of fragment) member  { return member{name: name, of: of} }

// since and until bound the revisions that have a member, only names the one that does.
func (m member) since(rev requirement.Revision) member { m.in.Since = rev; return m }
func (m member) until(rev requirement.Revision) member { m.in.Until = rev; return m }
func (m member) only(rev requirement.Revision) member {
	m.in = requirement.Span{Since: rev, Until: rev}
	return m
}

// by names the requirements that judge a member, below those that judge what is inside
// of it as well; see [by] and [below].
func (m member) by(ids string) member    { m.of = by(ids, m.of); return m }
func (m member) below(ids string) member { m.of = below(ids, m.of); return m }

// fixed is a fragment that is the same in every revision.
func fixed(n node) fragment { return func(requirement.Revision) node { return n } }

// The fragments that everything else is made of.
var (
	anything = fixed(node{})
	text     = fixed(node{"type": "string"})
	boolean  = fixed(node{"type": "boolean"})
	number   = fixed(node{"type": "number"})
	integer  = fixed(node{"type": "integer"})
	token    = fixed(node{"type": []any{"string", "integer"}}) // ids and progress tokens
	open     = fixed(node{"type": "object"})
)

// object is an open object: members that the revision does not define are legal.
func object(members ...member) fragment {
	return func(rev requirement.Revision) node {
		properties, required := node{}, []any{}
		for _, m := range members {
			if !m.in.Holds(rev) {
				continue
			}
			properties[m.name] = m.of(rev)
			if m.required {
				required = append(required, m.name)
			}
		}
		n := node{"type": "object", "properties": properties}
		if len(required) > 0 {
			n["required"] = required
		}
		return n
	}
}

// ref is a definition by name.
func ref(name string) fragment { return fixed(node{"$ref": "#/$defs/" + name}) }

func list(of fragment) fragment {
	return func(rev requirement.Revision) node { return node{"type": "array", "items": of(rev)} }
}

func mapOf(of fragment) fragment {
	return func(rev requirement.Revision) node {
		return node{"type": "object", "additionalProperties": of(rev)}
	}
}

// word is one of some strings.
func word(words ...string) fragment {
	values := make([]any, len(words))
	for i, w := range words {
		values[i] = w
	}
	return fixed(node{"enum": values})
}

// with adds keywords to a fragment.
func with(of fragment, keywords node) fragment {
	return func(rev requirement.Revision) node {
		n := maps.Clone(of(rev))
		maps.Copy(n, keywords)
		return n
	}
}

// The keywords by which a schema says who judges a value beside it: the ids of
// requirements, with spaces between.
const (
	judgedBy      = "x-requirement"
	judgedByBelow = "x-requirement-below"
)

// by says which requirements judge that a value is there and of its type, each of them
// in the revisions that it is for. Without ids none does.
func by(ids string, of fragment) fragment {
	if ids == "" {
		return of
	}
	return with(of, node{judgedBy: ids})
}

// below says it of a value and of all inside of it that does not say otherwise.
func below(ids string, of fragment) fragment { return with(of, node{judgedByBelow: ids}) }

// within says who judges members of a shared type where it is used.
func within(of fragment, members ...member) fragment {
	return func(rev requirement.Revision) node {
		return with(of, node{"properties": object(members...)(rev)["properties"]})(rev)
	}
}

// share is a number from 0 to 1, count an integer that is not negative.
var (
	share = with(number, node{"minimum": 0, "maximum": 1})
	count = with(integer, node{"minimum": 0})
)

// changed is one fragment before a revision and another one from it on.
func changed(at requirement.Revision, before, after fragment) fragment {
	return func(rev requirement.Revision) node {
		if rev.Before(at) {
			return before(rev)
		}
		return after(rev)
	}
}

// tagged is an object whose member tag is a word that says which fragment it has to
// match besides, and which the requirements ids judge.
func tagged(tag, ids string, cases map[string]fragment) fragment {
	words := slices.Sorted(maps.Keys(cases))
	return func(rev requirement.Revision) node {
		var branches []any
		for _, w := range words {
			branches = append(branches, node{"if": is(tag, w), "then": cases[w](rev)})
		}
		n := object(must(tag, word(words...)).by(ids))(rev)
		n["allOf"] = branches
		return n
	}
}

// is the condition that a member is a certain word.
func is(name, value string) node {
	return node{"properties": node{name: node{"const": value}}, "required": []any{name}}
}
