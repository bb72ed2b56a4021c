package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// Reaction is what became of a message that could upset the target.
func Reaction(x *recording.Exchange) string {
	if x.Fatal {
		return LostWords(x)
	}
	return matcher.Describe(x)
}
