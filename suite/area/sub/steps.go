package sub

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepOldSubscribe   recording.Step = "old-subscribe"
	stepOldUnsubscribe recording.Step = "old-unsubscribe"
)

// markShutdown is set before the trigger by which the target ends its subscriptions.
const markShutdown recording.MarkName = "shutdown"

// The tags of the area's scripts, which say what they mean.
const (
	tagCanceled recording.Tag = "canceled"
	tagLost     recording.Tag = "lost"
	tagUpdate   recording.Tag = "update"
)
