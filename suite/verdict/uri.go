package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// ListedURIs lists the URIs of a walk through the resources; those that are no
// strings are judged elsewhere.
func ListedURIs(r *recording.Recording, v *Verdict) []Item {
	var all []Item
	for _, i := range ListedItems(r, v) {
		if u := i.Get("uri"); judge.IsString(u) {
			all = append(all, NewItem(u, i.Name, i.Frames))
		}
	}
	return all
}
