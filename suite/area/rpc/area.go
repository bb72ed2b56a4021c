package rpc

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	RequestIDs          recording.Name = "request-ids"          // requests under unusual but legal ids
	Concurrency         recording.Name = "concurrency"          // many requests in flight together
	ClientNotifications recording.Name = "client-notifications" // notifications, known and unknown
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(rpcChecks, rpcRequestsChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{concurrencyScenario, requestIDsScenario, clientNotificationsScenario}
}
