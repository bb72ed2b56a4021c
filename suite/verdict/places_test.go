package verdict_test

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// TestWithin: a violation is part of another one where it stands in the same place, and two members
// of one message are two places.
func TestWithin(t *testing.T) {
	t.Parallel()
	at := func(member string, messages ...string) verdict.Place {
		return verdict.Place{Messages: messages, Member: member}
	}
	const list, read = "resources/list result", "resources/read error -32602"
	for name, c := range map[string]struct {
		places, deeper []verdict.Place
		want           bool
	}{
		"the same message": {[]verdict.Place{at("", list)}, []verdict.Place{at("", read, list)}, true},
		"answered otherwise": {[]verdict.Place{at("", "ping error -32601")},
			[]verdict.Place{at("", "ping silent 0")}, false},
		"the same member": {[]verdict.Place{at("uri of a", read, list)},
			[]verdict.Place{at("uri of a", list)}, true},
		"another member": {[]verdict.Place{at("uri of a", list)},
			[]verdict.Place{at("name of a", list)}, false},
		"a member of what fell": {[]verdict.Place{at("uri of a", list)}, []verdict.Place{at("", list)}, true},
		"one more": {[]verdict.Place{at("uri of a", list), at("uri of b", list)},
			[]verdict.Place{at("uri of a", list)}, false},
		"nowhere": {nil, []verdict.Place{at("", list)}, false},
	} {
		if got := (&verdict.Result{Places: c.places}).Within(
			&verdict.Result{Places: c.deeper}); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
