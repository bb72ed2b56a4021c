package life

import (
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

// Violations lists what is wrong in a message, also what requirements judge.
func Violations(r *recording.Recording, facts *recording.Facts, m recording.Message) []schema.Violation {
	b := newBreaches(verdict.New(r, nil), schema.For(facts.Combination.Revision))
	asked := m.Asker(b.sent[m.Frame.Session])
	if m.Kind == wire.KindResponse {
		method := ""
		if asked != nil {
			method = asked.Method
		}
		return b.set.ResponseIn(method, m.Result)
	}
	found, _ := b.violations(m, asked)
	return found
}
