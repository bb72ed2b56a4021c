package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// ReadsUnknown reports whether the target does not know resources/read at all: it
// refused every read of a listed or known resource as an unknown method. That is
// judged elsewhere, and refusals of other reads say nothing then.
func ReadsUnknown(v *Verdict) bool {
	refused := 0
	for _, name := range []recording.Name{recording.Reads, recording.KnownReads} {
		r := v.Recording(name)
		if r == nil {
			continue
		}
		for _, x := range r.Calls("resources/read") {
			switch {
			case Unknown(x):
				refused++
			case x.Outcome == recording.Replied:
				return false
			}
		}
	}
	if refused > 0 {
		v.Skip(recording.CodeNotExercised, "the target does not know resources/read")
	}
	return refused > 0
}
