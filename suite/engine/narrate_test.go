package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestNarrator: a line every few seconds says how far the run is, and none once it is stopped; who
// listened before hears everything.
func TestNarrator(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n Narrator
		var out strings.Builder
		heard := 0
		progress := func(Event) { heard++ }
		n.Listen(&progress)
		stop := n.Write(&out)
		time.Sleep(6 * time.Second)
		progress(Event{Kind: Playing, Title: "a walk", Done: 3, Total: 9})
		time.Sleep(5 * time.Second)
		stop()
		time.Sleep(time.Minute)
		lines := strings.Split(out.String(), "\n")
		if heard != 1 || len(lines) != 3 || !strings.Contains(lines[0], "has not begun") ||
			!strings.Contains(lines[1], "3 of 9 ") || !strings.Contains(lines[1], "a walk") {
			t.Errorf("%d events heard, and written is\n%s", heard, out.String())
		}
	})
}
