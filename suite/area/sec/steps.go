package sec

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// The steps of the area's scripts, which say what they mean.
const (
	stepInvalid       recording.Step = "invalid"
	stepAnonymousList recording.Step = "anonymous-list"
	stepMetadata      recording.Step = "metadata"
	stepOwner         recording.Step = "owner"
	stepGet           recording.Step = "get"
	stepLevel         recording.Step = "level"
	stepNoOrigin      recording.Step = "no-origin"
	stepOwnOrigin     recording.Step = "own-origin"
	stepForeignHost   recording.Step = "foreign-host"
	stepRequest       recording.Step = "request"
	stepNotification  recording.Step = "notification"
	stepPublic        recording.Step = "public"
	stepForeign                      = recording.Step(target.RightsForeign)
	stepNone                         = recording.Step(target.RightsNone)
)

// The tags of the area's scripts, which say what they mean.
const (
	tagFrom     recording.Tag = "from"
	tagIdentity recording.Tag = "identity"
	tagGranted  recording.Tag = "granted"
	tagHost     recording.Tag = "host"
	tagAddress  recording.Tag = "address"
)
