// Package read is the area READ: resources/read and the contents that it yields
// (server/resources#reading-resources).
package read

import (
	_ "embed"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// The scenarios of the area.
const (
	TaskRead recording.Name = "task-read" // a read with a task parameter
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(readChecks, readBytesChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{taskReadScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepTask recording.Step = "task"
)
