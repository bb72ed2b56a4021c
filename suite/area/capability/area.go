// Package capability is the area CAP: the capabilities that a server declares, and
// whether it does what they promise (server/resources#capabilities).
package capability

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
	Capabilities recording.Name = "capabilities" // what a target does for the capabilities it declares
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return capChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{capabilitiesScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepUnlisted recording.Step = "unlisted"
	stepRichList recording.Step = "rich-list"
)
