package prog

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepStringToken  recording.Step = "string-token"
	stepIntegerToken recording.Step = "integer-token"
	stepNoToken      recording.Step = "no-token"
)
