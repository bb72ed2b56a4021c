package engine

import (
	"cmp"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// Row is one requirement in one combination: what one verdict is about.
type Row struct {
	Requirement *requirement.Requirement
	Combination requirement.Combination
}

// rows lists the rows of the combinations, in the order of the catalogue.
func rows(combinations []requirement.Combination, want func(Row) bool) []Row {
	var all []Row
	catalogue := area.Catalogue().Requirements()
	for i := range catalogue {
		for _, c := range combinations {
			row := Row{Requirement: &catalogue[i], Combination: c}
			if row.Requirement.Names(c) && (want == nil || want(row)) {
				all = append(all, row)
			}
		}
	}
	return all
}

// sortCombinations puts combinations into the order of the grid; those outside
// of it follow their revision.
func sortCombinations(all []requirement.Combination) {
	rank := func(t requirement.Transport) int { return slices.Index(requirement.Transports(), t) }
	slices.SortFunc(all, func(a, b requirement.Combination) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(rank(a.Transport), rank(b.Transport)))
	})
}

// scenariosFor lists the scenarios that the checks of the rows judge, with all
// that they build on, in the order in which they are to be played.
func scenariosFor(rows []Row, c requirement.Combination) []*scenario.Scenario {
	needed := map[recording.Name]bool{}
	for _, row := range rows {
		if row.Combination != c {
			continue
		}
		if k, ok := area.Find(row.Requirement.ID); ok {
			for _, name := range k.Inputs() {
				need(needed, name)
			}
		}
	}
	return inOrder(needed)
}

// need adds a scenario and what it builds on.
func need(needed map[recording.Name]bool, name recording.Name) {
	if name == recording.Everything || name == recording.Every {
		// Clean sessions, and probes, occur in any scenario: a verdict on all of them
		// must not depend on what else was selected.
		for _, s := range area.Scenarios() {
			need(needed, s.Name)
		}
		return
	}
	if needed[name] {
		return
	}
	needed[name] = true
	if s, ok := area.Scenario(name); ok {
		for _, earlier := range s.After {
			need(needed, earlier)
		}
	}
}

// inOrder lists scenarios by phase, each after those that it builds on.
func inOrder(needed map[recording.Name]bool) []*scenario.Scenario {
	var order []*scenario.Scenario
	placed := map[recording.Name]bool{}
	var place func(*scenario.Scenario)
	place = func(s *scenario.Scenario) {
		if placed[s.Name] {
			return
		}
		placed[s.Name] = true
		for _, name := range s.After {
			if earlier, ok := area.Scenario(name); ok && needed[name] {
				place(earlier)
			}
		}
		order = append(order, s)
	}
	for _, s := range area.Scenarios() {
		if needed[s.Name] {
			place(s)
		}
	}
	slices.SortStableFunc(order, func(a, b *scenario.Scenario) int { return int(a.Phase) - int(b.Phase) })
	return order
}
