package stdio

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepJoined    recording.Step = "joined"
	stepLong      recording.Step = "long"
	stepCRLF      recording.Step = "crlf"
	stepBlankLine recording.Step = "blank-line"
	stepPart      recording.Step = "part"
	stepSplit     recording.Step = "split"
)
