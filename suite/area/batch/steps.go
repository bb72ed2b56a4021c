package batch

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepRequests      recording.Step = "requests"
	stepMixed         recording.Step = "mixed"
	stepNotifications recording.Step = "notifications"
	stepEmpty         recording.Step = "empty"
	stepInvalidMember recording.Step = "invalid-member"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagIDs recording.Tag = "ids"
)
