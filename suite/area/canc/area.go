// Package canc is the area CANC: the cancellation of requests
// (basic/utilities/cancellation and basic/patterns/cancellation).
package canc

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
	OddCancellations recording.Name = "odd-cancellations" // cancellations of what is not under way, and malformed ones
	CancelRace       recording.Name = "cancel-race"       // requests that are cancelled at once
	CancelledRead    recording.Name = "cancelled-read"    // a slow read that is cancelled
	DroppedReads     recording.Name = "dropped-reads"     // many slow reads whose streams are closed
	ResumedRead      recording.Name = "resumed-read"      // a slow read whose stream is closed and resumed
	ListenChurn      recording.Name = "listen-churn"      // listen streams opened and closed again and again
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return cancChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{oddCancellationsScenario, cancelRaceScenario, cancelledReadScenario, droppedReadsScenario, resumedReadScenario, listenChurnScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepDone     recording.Step = "done"
	stepFinished recording.Step = "finished"
	stepUnknown  recording.Step = "unknown"
	stepNoID     recording.Step = "no-id"
	stepObjectID recording.Step = "object-id"
	stepAfter    recording.Step = "after"
	stepRaced    recording.Step = "raced"
	stepSlow     recording.Step = "slow"
	stepDropped  recording.Step = "dropped"
	stepFirst    recording.Step = "first"
	stepLast     recording.Step = "last"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagGrace        recording.Tag = "grace"
	tagEvent        recording.Tag = "event"
	tagRequest      recording.Tag = "request"
	tagAcknowledged recording.Tag = "acknowledged"
)

// The marks of the area's scripts, which say what they mean.
const (
	markCancelling recording.MarkName = "cancelling"
)
