package world

import (
	"fmt"
	"maps"
	"slices"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
)

// lintStates finds rules that wait for a state which nothing in the world sets.
func (w World) lintStates() problems {
	set := map[string][]string{}
	collect := func(states map[string]string) {
		for scenario, state := range states {
			set[scenario] = append(set[scenario], state)
		}
	}
	collect(w.States)
	for _, r := range w.Rules {
		collect(r.Become)
	}
	for _, s := range w.Timeline {
		collect(s.Become)
		if s.PutRule != nil {
			collect(s.PutRule.Become)
		}
	}
	var found problems
	for i, r := range w.Rules {
		for _, scenario := range slices.Sorted(maps.Keys(r.While)) {
			state, at := r.While[scenario], fmt.Sprintf("rules[%d].while.%s", i, scenario)
			known := set[scenario]
			switch {
			case slices.Contains(known, state) || state == "" && w.States[scenario] == "":
			case len(known) == 0:
				hint := nearest.Question(scenario, slices.Sorted(maps.Keys(set)))
				found.Say(at, "waits for %q, and nothing in this world sets a state of %s%s", clip(state), scenario, hint)
			default:
				found.Say(at, "waits for %q, which nothing in this world sets%s", clip(state), nearest.Question(state, known))
			}
		}
	}
	return found
}
