package verdict

import (
	"github.com/tidwall/gjson"
)

// Remarks notes what an author of resources or templates would want to know about
// the list.
func Remarks(items []Item, members []string, v *Verdict) {
	var bare, misspelt Sightings
	for _, i := range items {
		if description := i.Get("description"); i.IsObject() && (!description.Exists() || description.Str == "" && description.Type == gjson.String) {
			bare.Add(i.Name, i.Frames...)
		}
		misspelt.AddMisspelt(i, members)
	}
	bare.Observe(v, "no-description", "%d listed without a description, by which users and models choose: %s")
	misspelt.ObserveMisspelt(v)
}
