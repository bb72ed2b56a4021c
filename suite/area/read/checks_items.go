package read

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// noContents says why a check of contents saw none.
func noContents(v *verdict.Verdict) {
	v.Skip(recording.CodeNeedsSubject, "no read yielded contents of the kind that is judged")
}

// The members that have a meaning, in lists and in contents.
var (
	contentMembers = []string{"uri", "mimeType", "text", "blob", "_meta"}
)
