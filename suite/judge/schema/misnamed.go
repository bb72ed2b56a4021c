package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/tidwall/gjson"
)

// Misnamed finds a member of a request or notification that the revision does not define and whose name
// is nearly that of a member which it defines in the same place and which is missing: written in other
// letters or with other separators, with a mistake in one letter, or as the member of a result that leads
// to it (nextCursor). Both are empty if there is none, or the method is unknown.
func (s *Set) Misnamed(m gjson.Result) (is, meant string) {
	method := m.Get("method").String()
	name := types().Requests[method]
	if name == "" {
		name = types().Notifications[method]
	}
	if s == nil || s.defs[name] == nil {
		return "", ""
	}
	return s.misnamed(s.expand(node{"$ref": "#/$defs/" + name}), m)
}

func (s *Set) misnamed(at []node, x gjson.Result) (is, meant string) {
	known := map[string]string{}
	for _, n := range at {
		properties, _ := n["properties"].(node)
		for name := range properties {
			known[squeezed(name)] = name
		}
	}
	x.ForEach(func(key, value gjson.Result) bool {
		short := squeezed(key.Str)
		for _, plain := range slices.Sorted(maps.Keys(known)) {
			name := known[plain]
			switch {
			case key.Str == name:
				is, meant = s.misnamed(s.named(at, name), value)
			case known[short] != key.Str && near(short, plain) && !x.Get(gjson.Escape(name)).Exists():
				is, meant = key.Str, name
			}
			if is != "" {
				return false
			}
		}
		return true
	})
	return is, meant
}

// near reports whether a name is nearly another one. A short name has too many neighbours.
func near(name, known string) bool {
	const long = 4
	return name == known || name == "next"+known || len(known) >= long && nearest.Edits(name, known) == 1
}

// squeezed is a name without case and separators.
func squeezed(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
