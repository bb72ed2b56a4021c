package canc_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/canc"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// TestControlOfTheRace: what is deaf after a race is found, and the control asks for no more than the race
// did, however much was said to the server before. One that ends after so many messages is not accused, nor
// one whose control the end of the run cuts off.
func TestControlOfTheRace(t *testing.T) {
	const before = 400 // messages of other scripts
	list := func(size int) string {
		return `{"jsonrpc":"2.0","id":%s,"result":{"resources":[],"_meta":{"x/y":"` + strings.Repeat("x",
			size) + `"}}}`
	}
	for name, c := range map[string]struct {
		deaf   bool  // after a cancellation
		twice  bool  // what is cancelled is answered
		from   int64 // ids that are not below it; it is a matter of chance which
		ends   int   // after so many messages of a connection; 0 is never
		list   string
		each   time.Duration // that a list takes
		budget time.Duration // of the script
		want   verdict.Outcome
	}{
		"deaf":                 {true, false, 0, 0, list(1), 0, time.Hour, verdict.Fail},
		"deaf, long lists":     {true, false, 0, 0, list(2 << 20), 0, time.Hour, verdict.Fail},
		"deaf, slow lists":     {true, false, 0, 0, list(1), time.Second, time.Hour, verdict.Fail},
		"deaf, budget spent":   {true, false, 0, 0, list(1), time.Second, 115 * time.Second, verdict.Blocked},
		"deaf, two responses":  {true, true, 0, 0, list(1), 0, time.Hour, verdict.Fail},
		"two responses":        {false, true, 0, 0, list(1), 0, time.Hour, verdict.Fail},
		"two responses, late":  {false, true, 930_100, 0, list(1), 0, time.Hour, verdict.Fail},
		"ends early":           {false, false, 0, 20, list(1), 0, time.Hour, verdict.NotApplicable},
		"ends after all of it": {false, false, 0, before + 20, list(1), 0, time.Hour, verdict.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				lists, heard, deaf := 0, map[int64]int{}, map[int64]bool{}
				st := scenariotest.Stage(t,
					&scenariotest.Server{Script: func(n int64, m gjson.Result, say func(
						string, ...any)) bool {
						mu.Lock()
						defer mu.Unlock()
						method := m.Get("method").Str
						heard[n]++
						deaf[n] = deaf[n] || c.deaf && method == "notifications/cancelled"
						if c.twice && method == "notifications/cancelled" &&
							m.Get("params.requestId").Int() >= c.from {
							say(c.list, m.Get("params.requestId").Raw)
						}
						if deaf[n] {
							return true
						}
						if method == "resources/list" {
							lists++
							time.Sleep(c.each)
							say(c.list, m.Get("id").Raw)
						}
						return c.ends == 0 || heard[n] < c.ends
					}})
				st.Limits.Timeout = time.Minute
				st.Facts.Declared = json.RawMessage(`{"capabilities":{"resources":{}}}`)
				scenariotest.Perform(t, st, func(p *scenario.Play) {
					if client, ok := p.Expendable(); ok {
						for range min(before, max(c.ends-1, 0)) {
							client.S.Do(p, p.Ordinary("of others"))
						}
					}
				})
				lists = 0
				ctx, stop := context.WithTimeout(t.Context(), c.budget)
				defer stop()
				began := time.Now()
				sc, _ := area.BuiltIn().Scenario(canc.CancelRace)
				rec := scenario.Perform(ctx, st.Stage, sc, nil)
				rec.Frames = st.Transcript.Since(0)
				areatest.Due(t, "CANC-03", c, c.want, rec)
				if c.twice && len(heard) > 1 {
					t.Errorf("%d sessions, though the first shows what is wrong", len(heard))
				}
				raced, took := len(rec.Steps("raced")), time.Since(began)
				if lists > 2*(raced+2) || took > 150*time.Second {
					t.Errorf("%d lists and %s for %d requests that were raced", lists, took, raced)
				}
				st.Close()
			})
		})
	}
}
