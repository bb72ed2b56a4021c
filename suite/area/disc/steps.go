package disc

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepSupported      recording.Step = "supported"
	stepSupportedAgain recording.Step = "supported-again"
	stepUnsupported    recording.Step = "unsupported"
	stepModern         recording.Step = "modern"
	stepLegacy         recording.Step = "legacy"
	stepAfterHandshake recording.Step = "after-handshake"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagMain recording.Tag = "main"
)
