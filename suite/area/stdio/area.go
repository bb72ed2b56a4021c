// Package stdio is the area STDIO: the stdio transport (basic/transports#stdio and
// basic/transports/stdio).
package stdio

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
	Framing recording.Name = "framing" // messages split and joined on stdio, and a long one
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return stdioChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{framingScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepJoined    recording.Step = "joined"
	stepLong      recording.Step = "long"
	stepCRLF      recording.Step = "crlf"
	stepBlankLine recording.Step = "blank-line"
	stepPart      recording.Step = "part"
	stepSplit     recording.Step = "split"
)
