package compare

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// The bounds of a comparison of two values.
const (
	maxNested = 200 // below that text is compared
	maxDeltas = 200 // what differs beyond that is not listed
)

// diff lists the places at which two values of the two sides differ. What is the same but
// spelled differently does not.
func (n names) diff(k key, a, b gjson.Result, prefix ...string) (all []finding) {
	var compare func(path []string, a, b gjson.Result)
	compare = func(path []string, a, b gjson.Result) {
		if len(all) >= maxDeltas || a.Exists() == b.Exists() && (a.Raw == b.Raw || n.same(path, a, b)) {
			return
		}
		f := finding{key: k, path: slices.Clone(path), kind: Changed, direct: a, through: b}
		switch {
		case !a.Exists():
			f.kind = Added
		case !b.Exists():
			f.kind = Dropped
		case len(path) <= maxNested && (a.IsObject() && b.IsObject() || a.IsArray() && b.IsArray()):
			x, y := parted(path, a), parted(path, b)
			for _, name := range union(x, y) {
				compare(append(path, name), x[name], y[name])
			}
			return
		}
		all = append(all, f)
	}
	compare(prefix, a, b)
	return all
}

// supported is the member of server/discover that lists revisions. Those that are defined
// are compared one by one, as they are offered; a transport may leave some no place.
const supported = "supportedVersions"

// parted are the members of an object, or the elements of an array. Some arrays have no order:
// an element is dropped or added there, never changed.
func parted(path []string, v gjson.Result) map[string]gjson.Result {
	if v.IsObject() {
		return members(v)
	}
	all := map[string]gjson.Result{}
	for i, x := range v.Array() {
		switch last := last(path); {
		case last != supported && last != "audience":
			all[fmt.Sprintf("[%d]", i)] = x
		case last != supported || !requirement.Revision(x.String()).Known():
			all["["+x.String()+"]"] = x
		}
	}
	return all
}

// members are those of an object by name; of two with one name the last, as most
// readers have it.
func members(o gjson.Result) map[string]gjson.Result {
	all := map[string]gjson.Result{}
	o.ForEach(func(key, value gjson.Result) bool {
		all[key.String()] = value
		return true
	})
	return all
}

// union lists the names of both in their order, elements of arrays by number.
func union(a, b map[string]gjson.Result) []string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return slices.SortedFunc(maps.Keys(both), func(x, y string) int {
		if strings.HasPrefix(x, "[") && len(x) != len(y) && strings.HasPrefix(y, "[") {
			return len(x) - len(y)
		}
		return cmp.Compare(x, y)
	})
}

func last(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[len(path)-1]
}

// pathText writes a path as people do: contents[0].annotations.priority. Names that
// have more in them than a name should are quoted.
func pathText(path []string) string {
	var b strings.Builder
	for _, p := range path {
		switch {
		case strings.HasPrefix(p, "["):
			b.WriteString(p)
			continue
		case b.Len() > 0:
			b.WriteByte('.')
		}
		if strings.ContainsAny(p, ".[]\"' ") || p == "" {
			p = strconv.Quote(p)
		}
		b.WriteString(p)
	}
	return b.String()
}

// Rename is a prefix that the gateway replaces on purpose: what begins with From on
// the server itself begins with To behind the gateway. One of them may be empty.
type Rename struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// ParseRename reads 'FROM=>TO'.
func ParseRename(s string) (Rename, error) {
	from, to, ok := strings.Cut(s, "=>")
	switch {
	case !ok:
		return Rename{}, fmt.Errorf("%q is not of the form 'DIRECT=>THROUGH'", s)
	case from == to:
		return Rename{}, errors.New("both sides of => are the same")
	}
	return Rename{From: from, To: to}, nil
}

// renames are prefixes; the longest one that fits decides.
type renames []Rename

// forward is what the gateway makes of a name of the server.
func (r renames) forward(s string) string {
	best := -1
	for i, x := range r {
		if strings.HasPrefix(s, x.From) && (best < 0 || len(x.From) > len(r[best].From)) {
			best = i
		}
	}
	if best < 0 {
		return s
	}
	return r[best].To + strings.TrimPrefix(s, r[best].From)
}

// back is the name that the server has for one of the gateway.
func (r renames) back(s string) string {
	back := make(renames, len(r))
	for i, x := range r {
		back[i] = Rename{From: x.To, To: x.From}
	}
	return back.forward(s)
}

// names says how strings of the second side are to be read. The zero value is for two
// answers of one side, which have the same words for everything.
type names struct{ uri, name renames }

// same reports whether two values at a place, neither of them an object or array, mean the same.
func (n names) same(path []string, a, b gjson.Result) bool {
	if a.Type != b.Type || a.Type == gjson.JSON {
		return false
	}
	switch place := last(path); {
	case a.Type == gjson.Number:
		return judge.SameNumber(a.Raw, b.Raw)
	case a.Str == b.Str: // true, false and null have one spelling
		return true
	case place == "uri" || place == "uriTemplate":
		return a.Str == n.uri.back(b.Str)
	case place == "name":
		return path[0] != "serverInfo" && a.Str == n.name.back(b.Str)
	case place == "blob":
		x, errX := judge.Decode(a.Str)
		y, errY := judge.Decode(b.Str)
		return errX == nil && errY == nil && slices.Equal(x, y)
	}
	return false
}
