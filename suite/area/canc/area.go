package canc

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

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
