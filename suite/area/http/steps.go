package http

import "github.com/mcpcheck/mcpcheck/suite/recording"

// The steps of the area's scripts, which say what they mean.
const (
	stepGet                recording.Step = "get"
	stepOrdinary           recording.Step = "ordinary"
	stepMismatch           recording.Step = "mismatch"
	stepUnsupportedVersion recording.Step = "unsupported-version"
	stepNoCapabilities     recording.Step = "no-capabilities"
	stepNoVersionMeta      recording.Step = "no-version-meta"
	stepSessionHeader      recording.Step = "session-header"
	stepLastEvent          recording.Step = "last-event"
	stepOtherMethod        recording.Step = "other-method"
	stepMethodCase         recording.Step = "method-case"
	stepSpelling           recording.Step = "spelling"
	stepNameless           recording.Step = "nameless"
	stepNoName             recording.Step = "no-name"
	stepOtherName          recording.Step = "other-name"
	stepEncodedName        recording.Step = "encoded-name"
	stepBrokenName         recording.Step = "broken-name"
	stepWrongName          recording.Step = "wrong-name"
	stepUnlistedRead       recording.Step = "unlisted-read"
	stepNotify             recording.Step = "notify"
	stepListAfter          recording.Step = "list-after"
	stepRefused            recording.Step = "refused"
	stepMalformed          recording.Step = "malformed"
	stepBody               recording.Step = "body"
	stepAccept             recording.Step = "accept"
	stepCharset            recording.Step = "charset"
	stepChunked            recording.Step = "chunked"
	stepHeaderCase         recording.Step = "header-case"
	stepOddMethod          recording.Step = "odd-method"
	stepTemplates          recording.Step = "templates"
	stepSlow               recording.Step = "slow"
	stepGet1               recording.Step = "get-1"
	stepGet2               recording.Step = "get-2"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagDiffers  recording.Tag = "differs"
	tagUnlisted recording.Tag = "unlisted"
	tagVerb     recording.Tag = "verb"
)

// The marks of the area's scripts, which say what they mean.
const (
	markTriggered recording.MarkName = "triggered"
)
