// Package sse is the area SSE: event streams and the HTTP+SSE transport
// (basic/transports#http-with-sse and basic/transports/streamable-http).
package sse

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
	HTTPResume  recording.Name = "http-resume"  // a stream asked for again by the id of its last event
	SSEEndpoint recording.Name = "sse-endpoint" // the event stream of HTTP+SSE, opened by hand
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return sseChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{sseEndpointScenario, httpResumeScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepOpen   recording.Step = "open"
	stepFirst  recording.Step = "first"
	stepSecond recording.Step = "second"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagURL recording.Tag = "url"
	tagID  recording.Tag = "id"
)
