package life

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepEarlyPing    recording.Step = "early-ping"
	stepFirst        recording.Step = "first"
	stepAgain        recording.Step = "again"
	stepPing         recording.Step = "ping"
	stepPingMeta     recording.Step = "ping-meta"
	stepNoMembers    recording.Step = "no-members"
	stepNoClientInfo recording.Step = "no-client-info"
	stepSound        recording.Step = "sound"
	stepAlien        recording.Step = "alien"
	stepReturn       recording.Step = "return"
)

// The marks of the area's scripts, which say what they mean.
const (
	markWaiting recording.MarkName = "waiting"
	markWaited  recording.MarkName = "waited"
)
