package judge

import (
	"strings"

	"github.com/tidwall/gjson"
)

// Brief is a JSON value cut to a length that fits into a sentence, without what it holds
// of files of the system: sentences are passed on as frames are.
func Brief(r gjson.Result) string {
	if !r.Exists() {
		return "absent"
	}
	const limit = 120
	whole := r.Raw
	if len(whole) > leakShort { // nothing shorter is cut
		whole = string(LeakCut{}.Cut([]byte(whole)))
	}
	var raw strings.Builder
	for word := range strings.FieldsSeq(whole) {
		if raw.Len() > 0 {
			raw.WriteByte(' ')
		}
		raw.WriteString(word[:min(len(word), limit+1)])
		if raw.Len() > limit {
			return clip(raw.String(), limit)
		}
	}
	return raw.String()
}
