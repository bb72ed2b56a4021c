package meta_test

import (
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/meta"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/tidwall/gjson"
)

// TestEraOfAProcess: a server of both eras may take a request without a version for the first one of a
// legacy client, and its process for one of that era from then on. What other scripts ask is not asked
// there.
func TestEraOfAProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		legacy := map[int64]bool{} // the connections that are
		server := &scenariotest.Server{}
		server.Script = func(n int64, m gjson.Result, say func(string, ...any)) bool {
			known := m.Get(`params._meta.io\.modelcontextprotocol/protocolVersion`).Exists()
			legacy[n] = legacy[n] || !known && m.Get("id").Exists() && m.Get("method").Type == gjson.String
			era := map[bool]string{true: "legacy", false: "modern"}[legacy[n]]
			say(`{"jsonrpc":"2.0","id":%s,"result":{"era":%q}}`, m.Get("id").Raw, era)
			return true
		}
		st := scenariotest.Stage(t, server)
		st.Combination.Revision = requirement.R20260728
		st.Facts.Served = []requirement.Revision{requirement.R20251125, requirement.R20260728}
		for _, name := range []recording.Name{meta.BadMetadata, recording.InvalidMessages} {
			sc, _ := area.BuiltIn().Scenario(name)
			rec := scenario.Perform(t.Context(), st.Stage, sc, nil)
			if x := rec.Step(scenario.StepNoVersion); x != nil && x.Value("era").Str != "legacy" {
				t.Errorf("the request without a version: %s", x.Message().Raw)
			}
			if x := rec.Step("odd-version"); x != nil && x.Value("era").Str != "modern" {
				t.Errorf("the request with an odd version: %s", x.Message().Raw)
			}
			scenariotest.Perform(t, st, func(p *scenario.Play) {
				c, _ := p.Expendable()
				if x := c.Do(p.Ordinary("others")); x.Value("era").Str != "modern" {
					t.Errorf("after %s: %s", name, x.Message().Raw)
				}
			})
		}
	})
}
