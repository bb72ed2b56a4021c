// Package disc is the area DISC: discovery, versions and statelessness in the modern
// revisions (server/discover and basic/versioning).
package disc

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
	Versions       recording.Name = "versions"        // requests under versions that nobody implements
	Advertised     recording.Name = "advertised"      // the versions that discovery lists, each in its own era
	AfterHandshake recording.Name = "after-handshake" // a modern request after a handshake
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(discChecks, discVersionsChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{versionsScenario, advertisedScenario, afterHandshakeScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepSupported      recording.Step = "supported"
	stepSupportedAgain recording.Step = "supported-again"
	stepUnsupported    recording.Step = "unsupported"
	stepModern         recording.Step = "modern"
	stepLegacy         recording.Step = "legacy"
	stepAfterHandshake recording.Step = "after-handshake"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagMain recording.Tag = "main"
)
