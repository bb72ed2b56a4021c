package mrtr

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Superfluous recording.Name = "superfluous-answers" // answers that nobody asked for
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return mrtrChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{superfluousScenario} }
