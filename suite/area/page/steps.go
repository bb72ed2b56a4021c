package page

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepFirst     recording.Step = "first"
	stepSecond    recording.Step = "second"
	stepNext      recording.Step = "next"
	stepNextAgain recording.Step = "next-again"
	stepMiddle    recording.Step = "middle"
	stepElsewhere recording.Step = "elsewhere"
	stepUnknown   recording.Step = "unknown"
	stepLong      recording.Step = "long"
	stepJunk      recording.Step = "junk"
	stepScript    recording.Step = "script"
	stepBlank     recording.Step = "blank"
	stepEmpty     recording.Step = "empty"
	stepOld       recording.Step = "old"
	stepForeign   recording.Step = "foreign"
	stepNumber    recording.Step = "number"
	stepObject    recording.Step = "object"
	stepNull      recording.Step = "null"
	stepAfter     recording.Step = "after"
	stepChanged   recording.Step = "changed"
	stepAppended  recording.Step = "appended"
	stepTruncated recording.Step = "truncated"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagExpected recording.Tag = "expected"
)
