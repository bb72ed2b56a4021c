package requirement

import (
	"maps"
	"slices"
)

// Observation describes one kind of observation: it breaks no rule, but the author would want to know.
type Observation struct {
	// ID is permanent: lowercase words with hyphens, such as "leaked-path".
	ID string `yaml:"-" json:"id"`
	// Area is the title of its area, or of what several areas share.
	Area string `yaml:"-" json:"area"`
	// Title is one line; Text says what was seen, and Why what may go wrong.
	Title string `yaml:"title" json:"title"`
	Text  string `yaml:"text" json:"text"`
	Why   string `yaml:"why" json:"why"`
	// Change says what to do; empty if nothing.
	Change string `yaml:"change" json:"change,omitempty"`
}

// observations lists the observations of an area by id, and notes what is wrong with them.
func (r *reader) observations(area string, given map[string]Observation) []Observation {
	var all []Observation
	for _, id := range slices.Sorted(maps.Keys(given)) {
		o := given[id]
		r.complete("observations."+id, id, "title", o.Title, "text", o.Text, "why", o.Why)
		o.ID, o.Area = id, area
		all = append(all, o)
	}
	return all
}

// complete wants a text in each field, which stands behind the name of the field.
func (r *reader) complete(path, id string, fields ...string) {
	for i := 1; i < len(fields); i += 2 {
		if fields[i] == "" {
			r.Fail(path, "%s: %s is missing", id, fields[i-1])
		}
	}
}
