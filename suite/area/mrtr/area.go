// Package mrtr is the area MRTR: requests that the server answers by asking for
// further input (multi round-trip requests) (basic/patterns/mrtr).
package mrtr

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
	Superfluous recording.Name = "superfluous-answers" // answers that nobody asked for
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return mrtrChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{superfluousScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepSuperfluous recording.Step = "superfluous"
	stepMalformed   recording.Step = "malformed"
)
