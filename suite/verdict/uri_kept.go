package verdict

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Leaked says what a read yields from outside of the root; empty if nothing. A
// marker of the target file is sure; what only looks like a file of the system is not.
// Error messages give a marker away as well as contents do.
func Leaked(x *recording.Exchange) (what string, sure bool) {
	if told := x.Tags[recording.TagLeaked]; told != "" {
		return told, x.Tags[recording.TagProven] != ""
	}
	marker := x.Tags[recording.TagMarker]
	if marker != "" && strings.Contains(x.Error().Raw, marker) {
		return "an error with what a file outside of the root contains", true
	}
	looks := ""
	for _, c := range ContentsOf(x) {
		text := c.Get("text").String()
		if data, err := judge.Decode(c.Get("blob").String()); err == nil {
			text += string(data)
		}
		if marker != "" && strings.Contains(text, marker) {
			return "a file outside of the root", true
		}
		if looks == "" {
			looks = judge.SystemFile(text)
		}
	}
	if looks != "" {
		return "what looks like " + looks, false
	}
	return "", marker != ""
}
