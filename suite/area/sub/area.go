package sub

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Subscriptions    recording.Name = "subscriptions"     // a listed resource is subscribed and unsubscribed
	BadSubscriptions recording.Name = "bad-subscriptions" // subscriptions without a usable filter, or by methods that are gone
	Shutdown         recording.Name = "shutdown"          // the target ends its subscriptions
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(subChecks, subChangesChecks, subListenChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{shutdownScenario, subscriptionsScenario, badSubscriptionsScenario}
}
