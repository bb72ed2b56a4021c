package errs

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepBroken   recording.Step = "broken"
	stepPing     recording.Step = "ping"
	stepSetLevel recording.Step = "set-level"
)
