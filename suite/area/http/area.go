// Package http is the area HTTP: the Streamable HTTP transport
// (basic/transports#streamable-http and basic/transports/streamable-http).
package http

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

// The steps of the area's scripts, which say what they mean.
const (
	stepGet                recording.Step = "get"
	stepOrdinary           recording.Step = "ordinary"
	stepMismatch           recording.Step = "mismatch"
	stepUnsupportedVersion recording.Step = "unsupported-version"
	stepNoCapabilities     recording.Step = "no-capabilities"
	stepNoVersionMeta      recording.Step = "no-version-meta"
	stepSessionHeader      recording.Step = "session-header"
	stepLastEvent          recording.Step = "last-event"
	stepOtherMethod        recording.Step = "other-method"
	stepMethodCase         recording.Step = "method-case"
	stepSpelling           recording.Step = "spelling"
	stepNameless           recording.Step = "nameless"
	stepNoName             recording.Step = "no-name"
	stepOtherName          recording.Step = "other-name"
	stepEncodedName        recording.Step = "encoded-name"
	stepBrokenName         recording.Step = "broken-name"
	stepWrongName          recording.Step = "wrong-name"
	stepUnlistedRead       recording.Step = "unlisted-read"
	stepNotify             recording.Step = "notify"
	stepListAfter          recording.Step = "list-after"
	stepRefused            recording.Step = "refused"
	stepMalformed          recording.Step = "malformed"
	stepBody               recording.Step = "body"
	stepAccept             recording.Step = "accept"
	stepCharset            recording.Step = "charset"
	stepChunked            recording.Step = "chunked"
	stepHeaderCase         recording.Step = "header-case"
	stepOddMethod          recording.Step = "odd-method"
	stepTemplates          recording.Step = "templates"
	stepSlow               recording.Step = "slow"
	stepGet1               recording.Step = "get-1"
	stepGet2               recording.Step = "get-2"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagDiffers  recording.Tag = "differs"
	tagUnlisted recording.Tag = "unlisted"
	tagVerb     recording.Tag = "verb"
)

// The marks of the area's scripts, which say what they mean.
const (
	markTriggered recording.MarkName = "triggered"
)
