package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/engine/pool"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// Scripts that talk wait no longer for one that is never silent than a part of a window, and not long where windows are long.
func TestLeadIsShort(t *testing.T) {
	for window, want := range map[time.Duration]time.Duration{300 * time.Millisecond: 100 * time.Millisecond, time.Minute: mostLead} {
		synctest.Test(t, func(t *testing.T) {
			facts := &recording.Facts{Combination: requirement.Combination{Revision: requirement.R20251125, Transport: requirement.HTTP}}
			st := pool.New(&scenario.Stage{Combination: facts.Combination, Facts: facts}, pool.Options{})
			r := &Run{cfg: Config{QuietWindow: window, Jobs: 8}}
			began := time.Now()
			r.lead(st, []*scenario.Scenario{{Name: "watch", Phase: scenario.Read, Waits: true}}).wait()
			if took := time.Since(began); took != want {
				t.Errorf("with windows of %s the others waited for %s, want %s", window, took, want)
			}
		})
	}
}
