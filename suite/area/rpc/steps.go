package rpc

import "github.com/mcpcheck/mcpcheck/suite/recording"

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
