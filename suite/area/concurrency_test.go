package area_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/area/rpc"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/scenario/scenariotest"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// What is read together with others was read alone before, however many resources are
// listed and however few of them are read: an alias among them is not taken for a mix-up.
func TestConcurrencyReadsWhatWasReadAlone(t *testing.T) {
	const resources = 60
	uris, listed := make([]string, resources), make([]string, resources)
	for i := range uris {
		uris[i] = fmt.Sprint("x:", i)
		listed[i] = fmt.Sprintf(`{"uri":%q,"name":%[1]q}`, uris[i])
	}
	read := scenario.Sample(uris, 50)
	for _, alias := range scenario.Sample(uris, 8) {
		t.Run(alias, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := scenariotest.Stage(t,
					&scenariotest.Server{Script: func(n int64, m gjson.Result, say func(
						string, ...any)) bool {
						uri := m.Get("params.uri").Str
						if m.Get("method").Str == "resources/list" {
							say(`{"jsonrpc":"2.0","id":%s,"result":{"resources":[%s]}}`, m.Get("id").Raw,
								strings.Join(listed, ","))
							return true
						}
						if uri == "" {
							return scenariotest.Lively(n, m, say)
						}
						if uri == alias {
							uri = uris[1]
						}
						say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":%q,"text":""}]}}`,
							m.Get("id").Raw, uri)
						return true
					}})
				st.Limits.Reads = 50
				st.Facts.Declared = []byte(`{"capabilities":{"resources":{}}}`)
				recs := verdict.Recordings{}
				for _, name := range []recording.Name{recording.WalkResources, recording.Reads,
					recording.WalkTemplates, recording.TemplateCompletions, recording.TemplateSweep,
					rpc.Concurrency} {
					sc, _ := area.BuiltIn().Scenario(name)
					recs[name] = scenario.Perform(t.Context(), st.Stage, sc, recs)
				}
				asked := map[string]bool{}
				for _, x := range recs[rpc.Concurrency].Steps("together") {
					if uri := x.Tags["uri"]; uri != "" {
						asked[uri] = true
					}
				}
				alone := map[string]bool{}
				for _, uri := range read {
					alone[uri] = true
				}
				for uri := range asked {
					if !alone[uri] {
						t.Errorf("%s was read together with others, but never alone", uri)
					}
				}
				if len(asked) != 8 {
					t.Errorf("%d resources were read together, not 8", len(asked))
				}
				k, _ := area.BuiltIn().Check("RPC-17")
				req, _ := area.Catalogue().Find("RPC-17")
				if got := verdict.Evaluate(k, req, st.Facts, recs); got.Outcome != verdict.Pass {
					t.Errorf("%s: %s", got.Outcome, got.Actual)
				}
				st.Close()
			})
		})
	}
}
