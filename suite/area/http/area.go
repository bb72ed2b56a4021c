package http

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	HTTPHeaders   recording.Name = "http-headers"   // modern requests with headers missing, wrong, or oddly written
	HTTPStatuses  recording.Name = "http-statuses"  // notifications, malformed bodies, and unusual but conforming headers
	HTTPStreams   recording.Name = "http-streams"   // event streams that answer requests, and the one opened by GET
	HTTPBroadcast recording.Name = "http-broadcast" // two GET streams, a subscription, and one change
)

// Checks lists the checks of the area.
func Checks() []verdict.Check {
	return slices.Concat(httpChecks, httpMessagesChecks, httpStreamsChecks)
}

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{httpHeadersScenario, httpStatusesScenario, httpStreamsScenario, httpBroadcastScenario}
}
