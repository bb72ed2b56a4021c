package area

import (
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// Nothing builds on what closes its phase, and what opens the expendable session builds on nothing that waits
// for it.
func TestNothingBuildsOnWhatIsPlayedLater(t *testing.T) {
	t.Parallel()
	var look func(sc *scenario.Scenario, name recording.Name)
	look = func(sc *scenario.Scenario, name recording.Name) {
		earlier, ok := BuiltIn().Scenario(name)
		waits := sc.In == scenario.Opening && ok && earlier.In == scenario.Expendable
		if !ok || (waits || earlier.In == scenario.Closing) && earlier.Phase == sc.Phase {
			t.Errorf("%q builds on %q, which is played later, if at all", sc.Name, name)
			return
		}
		for _, before := range earlier.After {
			look(sc, before)
		}
	}
	for _, sc := range BuiltIn().Scenarios() {
		for _, name := range sc.After {
			look(sc, name)
		}
	}
}
