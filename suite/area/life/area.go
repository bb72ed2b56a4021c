package life

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Handshake       recording.Name = "handshake"        // a handshake in slow motion: the end of it is held back
	Pings           recording.Name = "pings"            // ping with and without params
	FaultyHandshake recording.Name = "faulty-handshake" // initialize with members missing
	Negotiation     recording.Name = "negotiation"      // initialize with a version that nobody implements
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return lifeChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{handshakeScenario, pingsScenario, faultyHandshakeScenario, negotiationScenario}
}
