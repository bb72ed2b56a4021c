package batch

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Batches recording.Name = "batches" // arrays of messages
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return batchChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{batchesScenario} }
