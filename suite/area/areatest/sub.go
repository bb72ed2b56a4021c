package areatest

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
)

// Pairs makes tags of pairs.
func Pairs(all ...string) recording.Tags {
	tags := recording.Tags{}
	for i := 0; i+1 < len(all); i += 2 {
		tags[recording.Tag(all[i])] = all[i+1]
	}
	return tags
}

// And adds further tags to a line.
func And(l rt.Line, more ...string) rt.Line {
	tags := Pairs(more...)
	for k, v := range l.Tags {
		if _, replaced := tags[k]; !replaced {
			tags[k] = v
		}
	}
	l.Tags = tags
	return l
}
