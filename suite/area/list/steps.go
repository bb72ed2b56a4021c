package list

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepAgain      recording.Step = "again"
	stepRepeat     recording.Step = "repeat"
	stepReread     recording.Step = "reread"
	stepWith       recording.Step = "with"
	stepWithout    recording.Step = "without"
	stepWithAgain  recording.Step = "with-again"
	stepOne        recording.Step = "one"
	stepOther      recording.Step = "other"
	stepBetween    recording.Step = "between"
	stepOneAgain   recording.Step = "one-again"
	stepOtherAgain recording.Step = "other-again"
)
