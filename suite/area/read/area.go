package read

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	TaskRead recording.Name = "task-read" // a read with a task parameter
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(readChecks, readBytesChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{taskReadScenario} }
