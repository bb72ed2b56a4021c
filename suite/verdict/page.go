package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
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
