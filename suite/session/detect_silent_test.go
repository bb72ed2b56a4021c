package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// A server of both eras that answers server/discover late is found to be one, whether its
// other answers wait for that one or not; a session in which a handshake was tried meanwhile
// is not the one that scripts get.
func TestDetectLateDiscoverers(t *testing.T) {
	both := serving(modern(`["2025-11-25","2026-07-28"]`), "2025-11-25")
	for name, c := range map[string]struct {
		takes  time.Duration
		async  bool
		served int // at least: what answers a list before the handshake is modern, discovered or not
		open   bool
		within time.Duration
	}{
		"soon":                    {200 * time.Millisecond, true, 2, true, 200 * time.Millisecond},
		"late, in its turn":       {1500 * time.Millisecond, false, 2, false, 1500 * time.Millisecond},
		"late, while others come": {600 * time.Millisecond, true, 2, false, 600 * time.Millisecond},
		"never, others come":      {time.Hour, true, 1, false, 750 * time.Millisecond},
		"never, and nothing else": {time.Hour, false, 1, false, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dialer := server(func(m gjson.Result, say teller) bool {
					answer := func() { both(m, say) }
					if m.Get("method").Str == "server/discover" {
						answer = func() { time.Sleep(c.takes); both(m, say) }
					}
					if c.async {
						go answer()
					} else {
						answer()
					}
					return true
				}).pipe()
				begin := time.Now()
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				found, err := Detect(ctx, dialer, options(""), requirement.Revisions(), 0)
				took := time.Since(begin)
				modern := found.Open[requirement.R20260728]
				if err != nil || len(found.Served) < c.served || (modern != nil) != c.open ||
					took > c.within {
					t.Errorf("%v, %v: %v, open: %t, after %v", err, found.Served, found.Reasons,
						modern != nil, took)
				}
				for rev := range found.Open {
					found.shut(rev)
				}
				time.Sleep(2 * time.Hour) // what is under way in the server ends
			})
		})
	}
}
