// Package life is the area LIFE: the handshake of the legacy revisions, what is
// agreed in it, and ping (basic/lifecycle and basic/utilities/ping).
package life

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

// The steps of the area's scripts, which say what they mean.
const (
	stepEarlyPing    recording.Step = "early-ping"
	stepFirst        recording.Step = "first"
	stepAgain        recording.Step = "again"
	stepPing         recording.Step = "ping"
	stepPingMeta     recording.Step = "ping-meta"
	stepNoMembers    recording.Step = "no-members"
	stepNoClientInfo recording.Step = "no-client-info"
	stepSound        recording.Step = "sound"
	stepAlien        recording.Step = "alien"
	stepReturn       recording.Step = "return"
)

// The marks of the area's scripts, which say what they mean.
const (
	markWaiting recording.MarkName = "waiting"
	markWaited  recording.MarkName = "waited"
)
