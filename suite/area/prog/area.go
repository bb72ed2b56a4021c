// Package prog is the area PROG: progress notifications (basic/utilities/progress
// and basic/patterns/progress).
package prog

import (
	_ "embed"

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
	Progress recording.Name = "progress" // reads with progress tokens
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return progChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{progressScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepStringToken  recording.Step = "string-token"
	stepIntegerToken recording.Step = "integer-token"
	stepNoToken      recording.Step = "no-token"
)
