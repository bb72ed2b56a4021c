package canc

import "github.com/mcpcheck/mcpcheck/suite/recording"

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
