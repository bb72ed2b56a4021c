package compare

import (
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

// differ compares two values and knows which strings mean the same.
type differ struct {
	same func(path []string, a, b string) bool
	all  []finding
}

// deltas lists the places at which two values differ. What is the same but spelled
// differently does not; same, if not nil, says which strings that differ are meant to.
func deltas(path []string, a, b gjson.Result, same func(path []string, a, b string) bool) []finding {
	d := &differ{same: same}
	d.compare(path, a, b)
	return d.all
}

func (d *differ) compare(path []string, a, b gjson.Result) {
	if len(d.all) >= maxDeltas || a.Exists() == b.Exists() && a.Raw == b.Raw {
		return
	}
	switch {
	case len(path) > maxNested || !a.Exists() || !b.Exists():
	case a.IsObject() && b.IsObject():
		d.objects(path, members(a), members(b))
		return
	case a.IsArray() && b.IsArray():
		d.arrays(path, a.Array(), b.Array())
		return
	case a.Type != b.Type || a.Type == gjson.JSON:
	case a.Type == gjson.String && d.strings(path, a, b):
		return
	case a.Type == gjson.Number && judge.SameNumber(a.Raw, b.Raw):
		return
	case a.Type != gjson.String && a.Type != gjson.Number:
		return // true, false and null have one spelling
	}
	f := finding{path: slices.Clone(path), kind: Changed, direct: a, through: b}
	switch {
	case !a.Exists():
		f.kind = Added
	case !b.Exists():
		f.kind = Dropped
	}
	d.all = append(d.all, f)
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

func (d *differ) objects(path []string, a, b map[string]gjson.Result) {
	names := slices.Collect(maps.Keys(a))
	for name := range b {
		if _, ok := a[name]; !ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		d.compare(append(path, name), a[name], b[name])
	}
}

// supported is the member of server/discover that lists revisions. Those that are defined
// are compared one by one, as they are offered; a transport may leave some no place.
const supported = "supportedVersions"

// sets are members whose arrays have no order.
var sets = []string{supported, "audience"}

func (d *differ) arrays(path []string, a, b []gjson.Result) {
	if len(path) > 0 && slices.Contains(sets, path[len(path)-1]) {
		d.sets(path, a, b)
		return
	}
	for i := range max(len(a), len(b)) {
		var x, y gjson.Result
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		d.compare(append(path, fmt.Sprintf("[%d]", i)), x, y)
	}
}

// sets compares arrays that have no order: an element is dropped or added, never changed.
func (d *differ) sets(path []string, a, b []gjson.Result) {
	byText := func(all []gjson.Result) map[string]gjson.Result {
		set := map[string]gjson.Result{}
		for _, x := range all {
			if path[len(path)-1] != supported || !slices.Contains(requirement.Revisions(), requirement.Revision(x.String())) {
				set["["+x.String()+"]"] = x
			}
		}
		return set
	}
	d.objects(path, byText(a), byText(b))
}

// strings reports whether two strings mean the same.
func (d *differ) strings(path []string, a, b gjson.Result) bool {
	if a.Str == b.Str || d.same != nil && d.same(path, a.Str, b.Str) {
		return true
	}
	if len(path) == 0 || path[len(path)-1] != "blob" {
		return false
	}
	x, errX := judge.Decode(a.Str)
	y, errY := judge.Decode(b.Str)
	return errX == nil && errY == nil && slices.Equal(x, y)
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

// same reports whether two strings at a place are the same name or URI.
func (n names) same(path []string, a, b string) bool {
	switch path[max(len(path)-1, 0)] {
	case "uri", "uriTemplate":
		return a == n.uri.back(b)
	case "name":
		return path[0] != "serverInfo" && a == n.name.back(b)
	}
	return false
}

// diff compares two values of the two sides as findings about a subject.
func (n names) diff(subject string, a, b gjson.Result, prefix ...string) []finding {
	all := deltas(prefix, a, b, func(path []string, x, y string) bool { return len(path) > 0 && n.same(path, x, y) })
	for i := range all {
		all[i].subject = subject
	}
	return all
}
