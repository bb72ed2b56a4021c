package meta

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepNoCapabilities  recording.Step = "no-capabilities"
	stepOddVersion      recording.Step = "odd-version"
	stepOddCapabilities recording.Step = "odd-capabilities"
	stepOddLogLevel     recording.Step = "odd-log-level"
	stepSet             recording.Step = "set"
	stepUnknownLevel    recording.Step = "unknown-level"
)
