package engine

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
)

func TestOffered(t *testing.T) {
	const everything = `{"capabilities":{"resources":{"subscribe":true},"completions":{}}}`
	const bare = `{"capabilities":{"tools":{}}}`
	const plain = `{"capabilities":{"resources":{"subscribe":false}}}`
	for _, test := range []struct {
		revision requirement.Revision
		declared string
		answered bool
		profile  string
		want     bool
	}{
		{requirement.R20251125, everything, false, requirement.ProfileCompletion, true},
		{requirement.R20251125, plain, true, requirement.ProfileCompletion, false},
		{requirement.R20241105, plain, false, requirement.ProfileCompletion, false},
		{requirement.R20241105, plain, true, requirement.ProfileCompletion, true},
		{requirement.R20251125, everything, false, requirement.ProfileSubscriptions, true},
		{requirement.R20251125, `{"capabilities":{"resources":{"listChanged":true}}}`, false,
			requirement.ProfileSubscriptions, true},
		{requirement.R20251125, plain, false, requirement.ProfileSubscriptions, false},
		{requirement.R20251125, plain, false, requirement.ProfilePagination, true},
		{requirement.R20251125, bare, false, requirement.ProfilePagination, false},
		{requirement.R20251125, bare, false, requirement.ProfileCore, false},
		{requirement.R20251125, bare, false, "transport", true},
		{requirement.R20251125, "", false, requirement.ProfileCore, true},
	} {
		c := requirement.Combination{Revision: test.revision, Transport: requirement.Stdio}
		take := newTake(&recording.Facts{Combination: c, Declared: []byte(test.declared)})
		x := &recording.Exchange{Outcome: recording.Replied}
		if test.answered {
			x.Attach(wire.ObjectOf(`{"jsonrpc":"2.0","id":1,"result":{"completion":{"values":[]}}}`))
		}
		take.Recordings[recording.TemplateCompletions] = &recording.Recording{
			Exchanges: []*recording.Exchange{x},
		}
		r := &Run{takes: round{c: take}}
		if got := r.offered(test.profile, string(c.Revision), string(c.Transport)); got != test.want {
			t.Errorf("%s in %s with %s: %t", test.profile, test.revision, test.declared, got)
		}
	}
	if !(&Run{}).offered(requirement.ProfileCore, "2025-11-25", "stdio") {
		t.Error("nothing is known, but it is not offered")
	}
}
