package area

import (
	"strings"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// Join names a scenario that would never be played.
func TestPlayable(t *testing.T) {
	t.Parallel()
	for want, all := range map[string][]*scenario.Scenario{
		`two scenarios have the name "a"`:         {{Name: "a"}, {Name: "a"}},
		`"a" builds on "b", and there is no such`: {{Name: "a", After: []recording.Name{"b"}}},
		`"a" builds on "a", which is played later`: {{Name: "a", After: []recording.Name{"b"}},
			{Name: "b", After: []recording.Name{"a"}}},
		`"mine" builds on "late", which is played later`: {{Name: "mine", After: []recording.Name{"late"}},
			{Name: "late", Phase: scenario.Mutate}},
		`"opens" builds on "spends", which is played lat`: {{Name: "opens", In: scenario.Opening,
			After: []recording.Name{"spends"}}, {Name: "spends", In: scenario.Expendable}},
		`"mine" builds on "ends", which is played later`: {{Name: "mine", After: []recording.Name{"ends"}},
			{Name: "ends", In: scenario.Closing}},
	} {
		areas := All()
		areas[0].Scenarios = append(all, areas[0].Scenarios...)
		if _, err := Join(areas...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want: %s", err, want)
		}
	}
}
