package scenario

import (
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/suite/check"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// What is read together with others was read alone before, however many resources are
// listed and however few of them are read: an alias among them is not taken for a mix-up.
func TestConcurrencyReadsWhatWasReadAlone(t *testing.T) {
	const resources = 60
	uris := make([]string, resources)
	for i := range uris {
		uris[i] = fmt.Sprint("x:", i)
	}
	read := sample(uris, 50)
	for _, alias := range sample(uris, 5) {
		t.Run(alias, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				st := stage(t, &server{script: func(n int64, m gjson.Result, say func(string, ...any)) bool {
					uri := m.Get("params.uri").Str
					if uri == "" {
						return lively(n, m, say)
					}
					if uri == alias {
						uri = uris[1]
					}
					say(`{"jsonrpc":"2.0","id":%s,"result":{"contents":[{"uri":%q,"text":""}]}}`, m.Get("id").Raw, uri)
					return true
				}})
				st.Limits.Reads = 50
				st.Facts.Declared = []byte(`{"capabilities":{"resources":{}}}`)
				recs := check.Recordings{recording.WalkResources: listedAs("resources", "uri", uris...)}
				for _, name := range []recording.Name{recording.Reads, recording.Concurrency} {
					sc, _ := Find(name)
					recs[name] = Perform(t.Context(), st, sc, recs)
				}
				asked := map[string]bool{}
				for _, x := range recs[recording.Concurrency].Steps("together") {
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
				if len(asked) != 5 {
					t.Errorf("%d resources were read together, not 5", len(asked))
				}
				k, _ := check.Find("RPC-17")
				req, _ := requirement.Find("RPC-17")
				if got := check.Evaluate(k, req, st.Facts, recs); got.Outcome != check.Pass {
					t.Errorf("%s: %s", got.Outcome, got.Actual)
				}
				st.Close()
			})
		})
	}
}
