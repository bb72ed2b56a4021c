package verdict

import (
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// NotFound reports whether an error says that a resource does not exist: the code
// of the legacy revisions, or that of 2026-07-28.
func NotFound(x *recording.Exchange) bool {
	code, ok := x.Code()
	return ok && (code == -32002 || code == -32602)
}

// SameSet reports whether two pages list the same URIs, in any order.
func SameSet(a, b *recording.Exchange) bool {
	return slices.Equal(URISet(a), URISet(b))
}

// URISet is the sorted set of the URIs on pages.
func URISet(pages ...*recording.Exchange) []string {
	var all []string
	for _, x := range pages {
		all = append(all, IDsOf(x)...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Difference says in a few words how two sets of URIs differ.
func Difference(a, b []string) string {
	only := func(a, b []string) []string {
		var rest []string
		for _, x := range a {
			if _, in := slices.BinarySearch(b, x); !in {
				rest = append(rest, judge.Brief(gjson.Parse(x)))
			}
		}
		return rest
	}
	text := fmt.Sprintf("%d resources and %d", len(a), len(b))
	if gone := only(a, b); len(gone) > 0 {
		text += ", the second without " + few(gone)
	}
	if fresh := only(b, a); len(fresh) > 0 {
		text += ", the second also with " + few(fresh)
	}
	return text
}
