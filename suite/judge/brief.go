package judge

import (
	"bytes"

	"github.com/tidwall/gjson"
)

// Brief is a JSON value cut to a length that fits into a sentence, without what it holds
// of files of the system: sentences are passed on as frames are.
func Brief(r gjson.Result) string {
	if !r.Exists() {
		return "absent"
	}
	const limit = 120
	raw := ""
	for word := range bytes.FieldsSeq(LeakCut{}.Cut([]byte(r.Raw))) {
		if raw != "" {
			raw += " "
		}
		if raw += string(word[:min(len(word), limit+1)]); len(raw) > limit {
			break // the rest is cut off
		}
	}
	if len(raw) <= limit {
		return raw
	}
	cut := limit
	for cut > 0 && raw[cut]&0xc0 == 0x80 {
		cut--
	}
	return raw[:cut] + "…"
}
