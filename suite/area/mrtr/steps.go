package mrtr

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepSuperfluous recording.Step = "superfluous"
	stepMalformed   recording.Step = "malformed"
)
