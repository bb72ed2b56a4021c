package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// TemplateTexts lists the URI templates of a walk; those that are no strings are
// judged by TMPL-02.
func TemplateTexts(r *recording.Recording, v *Verdict) []Item {
	var all []Item
	for _, i := range ListedItems(r, v) {
		if u := i.Get("uriTemplate"); judge.IsString(u) {
			all = append(all, NewItem(u, i.Name, i.Frames))
		}
	}
	return all
}
