package verdict

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Elsewhere leaves out, of what was heard in all clean sessions together, what a
// scenario about changes heard in sessions of its own: that is judged there.
func Elsewhere(all []Heard, r *recording.Recording, v *Verdict) []Heard {
	if r.Scenario != recording.Everything {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(h Heard) bool {
		for _, name := range []recording.Name{recording.Changes, recording.Listening} {
			if other := v.Recording(name); other != nil && other.Session(h.Frame.Session) != nil {
				return true
			}
		}
		return false
	})
}
