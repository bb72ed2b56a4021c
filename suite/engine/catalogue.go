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
type catalogue struct {
	set *area.Set
	// quick leaves destructive scenarios out of what is put together from all of them.
	quick bool
}

// requirements lists the requirements in the order of the report.
func (c catalogue) requirements() []requirement.Requirement { return c.set.Requirements() }

func (c catalogue) requirement(id string) (*requirement.Requirement, bool) { return c.set.Find(id) }

// check is what judges a requirement; false if nothing does.
func (c catalogue) check(id string) (*verdict.Check, bool) { return c.set.Check(id) }

func (c catalogue) scenario(name recording.Name) (*scenario.Scenario, bool) {
	return c.set.Scenario(name)
}

// scenarios lists the scenarios by phase and name.
func (c catalogue) scenarios() []*scenario.Scenario { return c.set.Scenarios() }

// selfContained reports whether what a check looks at is recorded by single scenarios, and
// not put together from all of them.
func selfContained(k *verdict.Check) bool {
	inputs := k.Inputs()
	return !slices.Contains(inputs, recording.Everything) && !slices.Contains(inputs, recording.Every)
}
