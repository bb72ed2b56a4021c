package life

import (
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Violations lists what is wrong in a message.
func Violations(r *recording.Recording, facts *recording.Facts, m verdict.Message) []schema.Violation {
	b := newBreaches(r, &verdict.Verdict{Facts: facts}, schema.For(facts.Combination.Revision))
	found, _ := b.violations(m, verdict.Asker(b.sent[m.Frame.Session], m))
	return found
}
