package stdio

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Framing recording.Name = "framing" // messages split and joined on stdio, and a long one
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return stdioChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{framingScenario} }
