package capability

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepUnlisted recording.Step = "unlisted"
	stepRichList recording.Step = "rich-list"
)
