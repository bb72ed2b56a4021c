package comp

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	GuardedCompletions recording.Name = "guarded-completions" // completions that must not give something away
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return compChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{guardedCompletionsScenario} }
