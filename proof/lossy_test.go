package proof

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// A server that ends one connection in so many, whatever was asked, breaks the rule that requests are
// answered, and none about what it was sent when it did.
func TestEachSoManyIsLost(t *testing.T) {
	every := map[string]func(n int64) bool{
		"second": func(n int64) bool { return n%2 == 0 },
		"third":  func(n int64) bool { return n%3 == 0 },
		"33rd":   func(n int64) bool { return n%33 == 0 },
	}
	if sample.InAll() {
		for seed := range uint64(30) {
			every[fmt.Sprint("3 of 100, seed ", seed)] = func(n int64) bool {
				return rand.New(rand.NewPCG(seed, uint64(n))).IntN(100) < 3
			}
		}
	}
	for name, lost := range every {
		for _, revision := range []requirement.Revision{requirement.R20251125, requirement.R20260728} {
			t.Run(fmt.Sprint(name, " ", revision), func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var asked atomic.Int64
					report := judge(t, reference.Options{},
						suite.Config{Revisions: []requirement.Revision{revision}},
						func(described *target.Target) {
							described.Triggers = target.Triggers{}
							described.Endpoints = slices.DeleteFunc(described.Endpoints,
								func(e target.Endpoint) bool {
									return e.Handler == nil || e.Transport() == requirement.SSE
								})
							for i := range described.Endpoints {
								serves := described.Endpoints[i].Handler
								described.Endpoints[i].Handler = http.HandlerFunc(
									func(w http.ResponseWriter, r *http.Request) {
										if lost(asked.Add(1)) {
											panic(http.ErrAbortHandler)
										}
										serves.ServeHTTP(w, r)
									})
							}
						})
					for i := range report.Results {
						if x := &report.Results[i]; x.Verdict.Red() && x.ID != "RPC-09" {
							t.Error(describe(x))
						}
					}
				})
			})
		}
	}
}
