package life

import (
	"iter"

	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Owners lists, for each entry of the table of owners, the requirements that judge.
func Owners() []string {
	var all []string
	for _, o := range owned {
		all = append(all, o.ids)
	}
	return all
}

// OwnersOf yields what is wrong in a message, and the entry that says who judges it.
func OwnersOf(r *recording.Recording, facts *recording.Facts, m verdict.Message) iter.Seq2[schema.Violation, int] {
	b := newBreaches(r, &verdict.Verdict{Facts: facts}, schema.For(facts.Combination.Revision))
	found, _ := b.violations(m, verdict.Asker(b.sent[m.Frame.Session], m))
	return func(yield func(schema.Violation, int) bool) {
		for _, f := range found {
			if !yield(f, ownerOf(f, facts.Combination.Revision)) {
				return
			}
		}
	}
}
