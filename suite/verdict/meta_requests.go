package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Incomplete: a request that lacks required metadata is refused with -32602. Over
// HTTP -32020 fits as well, because a header then has no counterpart.
func (v *Verdict) Incomplete(r *recording.Recording, x *recording.Exchange, about string) {
	if !Baseline(r, v, recording.StepPlain) {
		return
	}
	codes := []int64{CodeInvalidParams}
	if v.Facts.Combination.Transport == requirement.HTTP {
		codes = append(codes, CodeHeaderMismatch)
	}
	v.Expect(x).To(matcher.BeErrorReply(codes...), "a request "+about)
}
