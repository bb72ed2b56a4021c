package list_test

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/area/areatest"
	"github.com/mcpcheck/mcpcheck/suite/area/list"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	rt "github.com/mcpcheck/mcpcheck/suite/recording/recordtest"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// TestMovingList: no request is blamed for an entry that comes and goes by itself: it is not
// red in two plays in a row.
func TestMovingList(t *testing.T) {
	const plays = 120
	for _, rarely := range []int{2, 3, 6} {
		var mu sync.Mutex
		dice, there, asked := rand.New(rand.NewPCG(7, uint64(rarely))), false, 0
		server := &scenariotest.Server{Script: func(_ int64, m gjson.Result, say func(string, ...any)) bool {
			if m.Get("method").Str != "resources/list" {
				return scenariotest.Lively(0, m, say)
			}
			mu.Lock()
			defer mu.Unlock()
			entries := `{"uri":"a:1","name":"1"}`
			if asked++; asked > 2 && dice.IntN(rarely) == 0 { // the first two come side by side
				there = !there
			}
			if there {
				entries += `,{"uri":"a:2","name":"2"}`
			}
			say(`{"jsonrpc":"2.0","id":%s,"result":{"resources":[%s]}}`, m.Get("id").Raw, entries)
			return true
		}}
		st := scenariotest.Stage(t, server)
		st.Combination.Revision = requirement.R20260728
		facts := rt.Facts(st.Combination, areatest.HasResources)
		st.Facts = facts
		walked := map[recording.Name]*recording.Recording{}
		for _, name := range verdict.BothWalks {
			walked[name] = rt.New(name, facts)
		}
		red := map[string]bool{}
		for range plays {
			asked = 0
			rec := scenario.Perform(t.Context(), st.Stage, list.Scenarios[2], walked)
			for _, id := range []string{"LIST-10", "LIST-11"} {
				got := areatest.Judge(id, rec)
				if got.Outcome.Red() && red[id] {
					t.Errorf("one in %d: %s is %s twice: %s", rarely, id, got.Outcome, got.Actual)
				}
				red[id] = got.Outcome.Red()
			}
		}
	}
}
