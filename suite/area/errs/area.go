// Package errs is the area ERR: which errors are due when
// (server/resources#error-handling and basic/index#error-codes).
package errs

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
	BrokenRead     recording.Name = "broken-read"     // a read whose backend fails
	RemovedMethods recording.Name = "removed-methods" // methods that 2026-07-28 no longer has
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return errChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{brokenReadScenario, removedMethodsScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepBroken   recording.Step = "broken"
	stepPing     recording.Step = "ping"
	stepSetLevel recording.Step = "set-level"
)
