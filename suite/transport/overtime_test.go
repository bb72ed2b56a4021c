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
	}{
		"idle":                 {30 * time.Second, "", 0},
		"at work, then idle":   {30 * time.Second, "w", 4 * time.Second},
		"at work after a look": {30 * time.Second, ".w", 5 * time.Second},
		"with pauses":          {30 * time.Second, "w..w..w....w", 10 * time.Second},
		"at work for long":     {30 * time.Second, always, time.Minute},
		"a short limit":        {100 * time.Millisecond, always, 200 * time.Millisecond},
		"no limit":             {0, always, 0},
	} {
		looks := 0
		o := NewOvertime(c.limit, func() bool { looks++; return looks <= len(c.looks) && c.looks[looks-1] == 'w' })
		for o.More() > 0 {
		}
		if o.Given() != c.given {
			t.Errorf("%s: %v more were given", name, o.Given())
		}
	}
}
