package engine

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// catalogue is where the engine looks up requirements, checks and scenarios; it knows
// no other place.
type catalogue struct{}

// requirements lists the requirements in the order of the report.
func (catalogue) requirements() []requirement.Requirement { return area.Catalogue().Requirements() }

func (catalogue) requirement(id string) (*requirement.Requirement, bool) {
	return area.Catalogue().Find(id)
}

// check is what judges a requirement; false if nothing does.
func (catalogue) check(id string) (*verdict.Check, bool) { return area.Find(id) }

func (catalogue) scenario(name recording.Name) (*scenario.Scenario, bool) { return area.Scenario(name) }

// scenarios lists the scenarios by phase and name.
func (catalogue) scenarios() []*scenario.Scenario { return area.Scenarios() }

// selfContained reports whether what a check looks at is recorded by single scenarios, and
// not put together from all of them.
func selfContained(k *verdict.Check) bool {
	inputs := k.Inputs()
	return !slices.Contains(inputs, recording.Everything) && !slices.Contains(inputs, recording.Every)
}
