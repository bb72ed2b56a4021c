// Package comp is the area COMP: completion of the variables of templates
// (server/utilities/completion).
package comp

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
	GuardedCompletions recording.Name = "guarded-completions" // completions that must not give something away
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return compChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{guardedCompletionsScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepGuarded recording.Step = "guarded"
)
