package requirement

import (
	"maps"
	"regexp"
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
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

// ReadObservations reads a file of observations that several areas share, as strictly as [ReadArea].
func ReadObservations(file, text string) ([]Observation, error) {
	var f struct {
		Title        string                 `yaml:"title"`
		Observations map[string]Observation `yaml:"observations"`
	}
	x, err := yamlfile.Decode(file, []byte(text), &f)
	if err != nil {
		return nil, err
	}
	r := reader{index: x}
	all := r.observations(f.Title, f.Observations)
	return all, r.err()
}

var observationID = regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)

// observations lists the observations of an area by id, and notes what is wrong with them.
func (r *reader) observations(area string, given map[string]Observation) []Observation {
	var all []Observation
	for _, id := range slices.Sorted(maps.Keys(given)) {
		o, path := given[id], "observations."+id
		if !observationID.MatchString(id) {
			r.fail(path, "the id of an observation is lowercase words with hyphens, not %q", id)
		}
		r.complete(path, id, [2]string{"title", o.Title}, [2]string{"text", o.Text}, [2]string{"why", o.Why})
		o.ID, o.Area = id, area
		all = append(all, o)
	}
	return all
}

// complete wants a text in each field.
func (r *reader) complete(path, id string, fields ...[2]string) {
	for _, f := range fields {
		if f[1] == "" {
			r.fail(path, "%s: %s is missing", id, f[0])
		}
	}
}
