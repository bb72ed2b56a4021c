package world

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/goccy/go-yaml"
)

// DecodeResource reads one resource from JSON (or YAML), in the form that it has in
// a world. Members that no resource has are errors.
func DecodeResource(data []byte) (Resource, error) { return decode[Resource]("resource", data) }

// DecodeTemplate reads one template as DecodeResource does a resource.
func DecodeTemplate(data []byte) (Template, error) { return decode[Template]("template", data) }

// EncodeResource writes a resource as JSON in the form that DecodeResource reads,
// without the members that say nothing.
func EncodeResource(r Resource) ([]byte, error) { return encode(r) }

// EncodeTemplate writes a template as EncodeResource does a resource.
func EncodeTemplate(t Template) ([]byte, error) { return encode(t) }

func encode(v any) ([]byte, error) { return yaml.MarshalWithOptions(v, yaml.JSON(), yaml.OmitZero()) }

func object(data []byte) (map[string]any, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var members map[string]any
	if err := d.Decode(&members); err != nil || members == nil {
		return nil, errors.New("a JSON object is expected")
	}
	return members, nil
}

// MergeResource applies a JSON merge patch (RFC 7396) to a resource: members of the
// patch replace those of the resource, and null removes them. A new content
// replaces the old one, of whatever kind that was. The URI stays.
func MergeResource(r Resource, patch []byte) (Resource, error) {
	contents, source := []string{"text", "blob", "contains", "generate"}, r.Source
	result, err := merged(r, patch, DecodeResource, func(members, changes map[string]any) error {
		if uri, there := changes["uri"]; there && uri != r.URI {
			return fmt.Errorf("resource %s: its URI cannot be changed", r.URI)
		}
		for _, name := range contents {
			value, new := changes[name]
			if new {
				source = nil
			}
			if value == nil {
				continue
			}
			for _, other := range contents {
				if other != name {
					delete(members, other)
				}
			}
			if _, sized := changes["size"]; !sized {
				delete(members, "size")
			}
		}
		return nil
	})
	result.Source = source // which has no form in JSON
	return result, err
}

// MergeTemplate applies a JSON merge patch to a template as MergeResource does to a resource.
// Whether the URI template may become another one is up to the caller.
func MergeTemplate(t Template, patch []byte) (Template, error) {
	result, err := merged(t, patch, DecodeTemplate, func(_, _ map[string]any) error { return nil })
	result.Source = t.Source // which has no form in JSON
	return result, err
}

// merged is what a merge patch makes of a part of a world; prepare sees its members, which it may change, and
// the patch before.
func merged[T any](part T, patch []byte, decode func([]byte) (T, error),
	prepare func(members, changes map[string]any) error) (T, error) {
	changes, err := object(patch)
	if err != nil {
		return *new(T), fmt.Errorf("patch: %w", err)
	}
	data, err := encode(part)
	if err != nil {
		return *new(T), err
	}
	members, err := object(data)
	if err == nil {
		err = prepare(members, changes)
	}
	if err == nil {
		data, err = json.Marshal(merge(members, changes))
	}
	if err != nil {
		return *new(T), err
	}
	return decode(data)
}

// merge is the algorithm of RFC 7396, section 2.
func merge(target any, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	members, ok := target.(map[string]any)
	if !ok {
		members = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(members, name)
			continue
		}
		members[name] = merge(members[name], value)
	}
	return members
}

// Revert undoes a change of a world that led from before to after, in a world that may
// have changed further since: what is still as after left it becomes what it was before.
func Revert(now, before, after World) World {
	now = now.Clone()
	now.Resources = revert(now.Resources, before.Resources, after.Resources, func(r Resource) string {
		return r.URI
	})
	now.Templates = revert(now.Templates, before.Templates, after.Templates, func(t Template) string {
		return t.URITemplate
	})
	back(&now.Server, before.Server, after.Server)
	back(&now.Instructions, before.Instructions, after.Instructions)
	back(&now.PageSize, before.PageSize, after.PageSize)
	back(&now.Capabilities, before.Capabilities, after.Capabilities)
	back(&now.Caching, before.Caching, after.Caching)
	return now.Clone()
}

func back[T any](now *T, before, after T) {
	if reflect.DeepEqual(*now, after) {
		*now = before
	}
}

func revert[T any](now, before, after []T, key func(T) string) []T {
	index := func(all []T) map[string]T {
		m := make(map[string]T, len(all))
		for _, v := range all {
			m[key(v)] = v
		}
		return m
	}
	was, became, present := index(before), index(after), index(now)
	var result []T
	for _, v := range now {
		k := key(v)
		left, touched := became[k]
		old, had := was[k]
		switch {
		case !touched || !reflect.DeepEqual(v, left):
			result = append(result, v) // changed since, or new since
		case had:
			result = append(result, old)
		}
	}
	for _, v := range before {
		_, kept := became[key(v)]
		if _, there := present[key(v)]; !kept && !there {
			result = append(result, v)
		}
	}
	return result
}
