package area

import "testing"

// Scripts that take over sessions, or come last, are played after all others of their phase:
// nothing can build on them there, nor can they leave anything.
func TestNothingBuildsOnWhatIsPlayedLater(t *testing.T) {
	t.Parallel()
	for _, sc := range BuiltIn().Scenarios() {
		if (sc.TakesOver || sc.Last) && sc.Leaves {
			t.Errorf("%q leaves sessions to scripts that do not wait for it", sc.Name)
		}
		for _, name := range sc.After {
			earlier, ok := BuiltIn().Scenario(name)
			if !ok || earlier.Phase == sc.Phase && (earlier.TakesOver || earlier.Last) {
				t.Errorf("%q builds on %q, which is played later, if at all", sc.Name, name)
			}
		}
	}
}
