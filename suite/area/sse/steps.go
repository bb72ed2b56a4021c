package sse

import "github.com/mcpcheck/mcpcheck/suite/recording"

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
