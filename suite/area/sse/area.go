package sse

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	HTTPResume  recording.Name = "http-resume"  // a stream asked for again by the id of its last event
	SSEEndpoint recording.Name = "sse-endpoint" // the event stream of HTTP+SSE, opened by hand
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return sseChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{sseEndpointScenario, httpResumeScenario}
}
