package read

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepTask recording.Step = "task"
)
