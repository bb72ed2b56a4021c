package verdict

import (
	"fmt"
	"slices"
	"sort"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// Walked lists the pages of a walk that got beyond its first page; otherwise it
// says why nothing about paging can be judged and returns nil.
func Walked(r *recording.Recording, v *Verdict) []*recording.Exchange {
	pages := r.Steps(recording.StepPage)
	switch {
	case len(pages) == 0 || !v.Answered(pages[0]):
	case !pages[0].Succeeded():
		v.Skip(recording.CodeNeedsSubject, "the list was refused: "+matcher.Describe(pages[0]))
	case len(pages) == 1:
		v.Skip(recording.CodeNeedsSubject, "the whole list fits on one page")
	default:
		return pages
	}
	return nil
}

// Identities lists the URIs (or URI templates) of a page.
func Identities(x *recording.Exchange, member string) []string {
	var all []string
	for _, item := range x.Result().Get(member).Array() {
		if u := item.Get("uri"); u.Exists() {
			all = append(all, u.Raw)
		} else {
			all = append(all, item.Get("uriTemplate").Raw)
		}
	}
	return all
}

// IDsOf lists the URIs or templates of a page.
func IDsOf(x *recording.Exchange) []string { return Identities(x, memberOf(x)) }

// memberOf is the member that holds the entries of a page.
func memberOf(x *recording.Exchange) string {
	if x.Method == "resources/templates/list" {
		return "resourceTemplates"
	}
	return "resources"
}

// ListEntries lists the entries of a list result in an order that does not depend on
// the target.
func ListEntries(x *recording.Exchange) []string {
	var all []string
	for _, member := range []string{"resources", "resourceTemplates"} {
		for _, e := range x.Result().Get(member).Array() {
			all = append(all, e.Raw)
		}
	}
	sort.Strings(all)
	return all
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
