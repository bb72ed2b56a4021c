// Package sub is the area SUB: subscriptions and resource updates
// (server/resources#subscriptions and basic/patterns/subscriptions).
package sub

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

// The steps of the area's scripts, which say what they mean.
const (
	stepOldSubscribe   recording.Step = "old-subscribe"
	stepOldUnsubscribe recording.Step = "old-unsubscribe"
)

// markShutdown is set before the trigger by which the target ends its subscriptions.
const markShutdown recording.MarkName = "shutdown"

// The tags of the area's scripts, which say what they mean.
const (
	tagCanceled recording.Tag = "canceled"
	tagLost     recording.Tag = "lost"
	tagUpdate   recording.Tag = "update"
)
