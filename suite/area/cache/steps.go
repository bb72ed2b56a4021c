package cache

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepMine      recording.Step = "mine"
	stepProtected recording.Step = "protected"
	stepTheirs    recording.Step = "theirs"
	stepMineAgain recording.Step = "mine-again"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagIdentity recording.Tag = "identity"
	tagSubject  recording.Tag = "subject"
)
