package capability

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Capabilities recording.Name = "capabilities" // what a target does for the capabilities it declares
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return capChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{capabilitiesScenario} }
