package check

import (
	"fmt"
	"strconv"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// The checks of server/utilities/pagination.
func init() {
	add(Check{
		Requirement: "PAGE-01",
		From:        []recording.Name{recording.WalkResources, recording.WalkTemplates},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("page") {
				if !v.Answered(x) || !x.Succeeded() {
					continue
				}
				next := x.Result().Get("nextCursor")
				v.That(!next.Exists() || judge.IsString(next), "nextCursor as a string, or absent at the end of the list",
					"nextCursor is "+judge.TypeName(next), x.Evidence()...)
				if next.Type == gjson.Null && next.Exists() {
					v.Hint("leave the member out on the last page")
				}
			}
		},
	}, Check{
		Requirement: "PAGE-02",
		From:        []recording.Name{recording.WalkResources},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			pages := walked(r, v)
			if pages == nil {
				return
			}
			last := pages[len(pages)-1]
			switch last.Tags["end"] {
			case "done":
				v.Saw()
			case "bound":
				v.Skip(recording.CodeNotExercised, fmt.Sprintf("the list goes on after %d pages: its end was not looked for", len(pages)))
			case "cycle":
				expected := "a last page without nextCursor"
				actual := fmt.Sprintf("page %d repeats an earlier page together with its nextCursor %s", len(pages), Brief(last.Result().Get("nextCursor")))
				if len(last.Result().Get("resources").Array()) == 0 {
					v.Ought(false, expected, actual, last.Evidence()...)
					return
				}
				v.That(false, expected, actual, last.Evidence()...)
			}
		},
	}, Check{
		Requirement: "PAGE-03",
		From:        []recording.Name{recording.WalkResources},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { ownCursors(walked(r, v), v) },
	}, Check{
		Requirement: "PAGE-04",
		From:        []recording.Name{recording.WalkResources},
		Needs:       []Gate{resources},
		Judge:       func(r *recording.Recording, v *Verdict) { advancing(walked(r, v), "resources", v) },
	})
}

// walked lists the pages of a walk that got beyond its first page; otherwise it
// says why nothing about paging can be judged and returns nil.
func walked(r *recording.Recording, v *Verdict) []*recording.Exchange {
	pages := r.Steps("page")
	switch {
	case len(pages) == 0 || !v.Answered(pages[0]):
	case !pages[0].Succeeded():
		v.Skip(recording.CodeNeedsSubject, "the list was refused: "+Describe(pages[0]))
	case len(pages) == 1:
		v.Skip(recording.CodeNeedsSubject, "the whole list fits on one page")
	default:
		return pages
	}
	return nil
}

// ownCursors: a cursor that was just handed out is accepted.
func ownCursors(pages []*recording.Exchange, v *Verdict) {
	for i, x := range pages {
		if i > 0 {
			v.Expect(x).To(Succeed(), "the cursor "+Brief(pages[i-1].Result().Get("nextCursor"))+", which page "+strconv.Itoa(i)+" had just handed out")
		}
	}
}

// advancing: a page goes on after the one before and does not repeat it.
func advancing(pages []*recording.Exchange, member string, v *Verdict) {
	for i, x := range pages {
		if i == 0 || !x.Succeeded() {
			continue
		}
		this, before := identities(x, member), identities(pages[i-1], member)
		if len(this) == 0 {
			v.Saw() // an empty page is legal
			continue
		}
		v.That(fmt.Sprint(this) != fmt.Sprint(before), "a page that goes on after the one before it",
			fmt.Sprintf("page %d lists the same %d items as page %d", i+1, len(this), i), append(pages[i-1].Evidence(), x.Evidence()...)...)
		v.Hint("take the cursor of the request into account")
	}
}

// identities lists the URIs (or URI templates) of a page.
func identities(x *recording.Exchange, member string) []string {
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
