package compare

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tidwall/gjson"
)

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
	best := -1
	for i, x := range r {
		if strings.HasPrefix(s, x.To) && (best < 0 || len(x.To) > len(r[best].To)) {
			best = i
		}
	}
	if best < 0 {
		return s
	}
	return r[best].From + strings.TrimPrefix(s, r[best].To)
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
	var all []finding
	for _, d := range deltas(prefix, a, b, func(path []string, x, y string) bool { return len(path) > 0 && n.same(path, x, y) }) {
		f := finding{subject: subject, path: d.path, kind: Changed, direct: d.a, through: d.b}
		switch {
		case !d.a.Exists():
			f.kind = Added
		case !d.b.Exists():
			f.kind = Dropped
		}
		all = append(all, f)
	}
	return all
}
