package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// InputRequired lists the results that ask for input.
func InputRequired(r *recording.Recording) []*recording.Exchange {
	var all []*recording.Exchange
	for _, x := range r.Exchanges {
		if AsksForInput(x) {
			all = append(all, x)
		}
	}
	return all
}
