package disc

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

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
