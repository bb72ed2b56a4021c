package engine

import (
	"github.com/mcpcheck/mcpcheck/suite/check"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// catalogue is where the engine looks up requirements, checks and scenarios; it knows
// no other place.
type catalogue struct{}

// requirements lists the requirements in the order of the report.
func (catalogue) requirements() []requirement.Requirement { return requirement.Catalogue() }

func (catalogue) requirement(id string) (*requirement.Requirement, bool) { return requirement.Find(id) }

// check is what judges a requirement; false if nothing does.
func (catalogue) check(id string) (*check.Check, bool) { return check.Find(id) }

func (catalogue) scenario(name recording.Name) (*scenario.Scenario, bool) { return scenario.Find(name) }

// scenarios lists the scenarios by phase and name.
func (catalogue) scenarios() []*scenario.Scenario { return scenario.All() }
