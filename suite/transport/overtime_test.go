package transport

import (
	"strings"
	"testing"
	"time"
)

func TestOvertime(t *testing.T) {
	always := strings.Repeat("w", 1000)
	for name, c := range map[string]struct {
		limit time.Duration
		looks string // what they find: work, or idleness
		given time.Duration
		share float64 // of its time in which it did not wait for a processor; 0 if nobody asks
	}{
		"idle":                    {30 * time.Second, "", 0, 0},
		"at work, then idle":      {30 * time.Second, "w", 4 * time.Second, 0},
		"at work after a look":    {30 * time.Second, ".w", 5 * time.Second, 0},
		"with pauses":             {30 * time.Second, "w..w..w....w", 10 * time.Second, 0},
		"at work for long":        {30 * time.Second, always, time.Minute, 0},
		"a short limit":           {100 * time.Millisecond, always, 200 * time.Millisecond, 0},
		"no limit":                {0, always, 0, 0},
		"on a machine of its own": {30 * time.Second, always, time.Minute, 1},
		"among other work":        {30 * time.Second, always, 330 * time.Second, 0.25},
		"hardly ever at work":     {30 * time.Second, always, 870 * time.Second, 0.01},
		"idle among other work":   {30 * time.Second, "w", 4 * time.Second, 0.01},
	} {
		looks := 0
		o := NewOvertime(c.limit, func() bool {
			looks++
			return looks <= len(c.looks) &&
				c.looks[looks-1] == 'w'
		})
		if c.share > 0 {
			o.waited = func() time.Duration {
				return time.Duration(float64(o.limit+o.given+time.Second) * (1 - c.share))
			}
		}
		for o.More() > 0 {
		}
		if o.Given() != c.given {
			t.Errorf("%s: %v more were given", name, o.Given())
		}
	}
}
