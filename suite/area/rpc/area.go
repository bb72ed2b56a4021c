// Package rpc is the area RPC: the JSON-RPC messages that carry everything else
// (basic/index).
package rpc

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

// The steps of the area's scripts, which say what they mean.
const (
	stepAfter     recording.Step = "after"
	stepTogether  recording.Step = "together"
	stepID        recording.Step = "id"
	stepEmpty     recording.Step = "empty"
	stepDigits    recording.Step = "digits"
	stepUnknown   recording.Step = "unknown"
	stepCancelled recording.Step = "cancelled"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagID recording.Tag = "id"
)
