package errs

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	BrokenRead     recording.Name = "broken-read"     // a read whose backend fails
	RemovedMethods recording.Name = "removed-methods" // methods that 2026-07-28 no longer has
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return errChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{brokenReadScenario, removedMethodsScenario}
}
