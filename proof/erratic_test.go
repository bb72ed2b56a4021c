package proof

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mcpcheck/mcpcheck/internal/sample"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// erratic fails so many of a hundred reads, as chance has it.
func erratic(seed uint64, percent int, fail func(c *hook.Call) *hook.Reply) hook.Hooks {
	var mu sync.Mutex
	rng := rand.New(rand.NewPCG(seed, 4))
	return hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		mu.Lock()
		fails := rng.IntN(100) < percent
		mu.Unlock()
		if fails {
			return fail(c.Call)
		}
		return c.Next()
	})
}

// chance is a seed, and how many of a hundred fail.
type chance struct {
	seed    uint64
	percent int
}

func chances() []chance {
	if !sample.InAll() {
		return []chance{{7, 25}}
	}
	var all []chance
	for seed := range uint64(20) {
		all = append(all, chance{seed, 3}, chance{seed, 10}, chance{seed, 25})
	}
	return all
}

// TestErraticReads: a server that fails reads at random is accused of nothing that follows from one that
// failed. What it does wrong each time is found all the same. That is tried with one seed, and where all is
// judged in all combinations with twenty, and more rarely.
func TestErraticReads(t *testing.T) {
	internal := hook.Object{"code": hook.Number(-32603), "message": "Internal error"}
	for name, fail := range map[string]func(c *hook.Call) *hook.Reply{
		"error": func(*hook.Call) *hook.Reply { return &hook.Reply{Error: internal} },
		"error of its own": func(*hook.Call) *hook.Reply {
			return &hook.Reply{Error: hook.Object{"code": hook.Number(1503), "message": "database is locked"}}
		},
		"error with status": func(*hook.Call) *hook.Reply {
			return &hook.Reply{Error: internal, Status: http.StatusInternalServerError}
		},
		"status": func(c *hook.Call) *hook.Reply {
			if c.Transport == hook.HTTP {
				return &hook.Reply{Raw: []byte("Bad Gateway"), Status: http.StatusBadGateway}
			}
			return &hook.Reply{Error: internal}
		},
		"no response": func(c *hook.Call) *hook.Reply {
			if c.Transport == hook.HTTP {
				return &hook.Reply{Raw: []byte{}, Status: http.StatusAccepted}
			}
			return &hook.Reply{Error: internal}
		},
	} {
		for _, faults := range [][]string{nil, {"meta-06-unknown-key-fails"}} {
			if len(faults) > 0 && name != "error" {
				continue
			}
			for _, chance := range chances() {
				t.Run(fmt.Sprint(name, faults, chance.percent, chance.seed), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						cfg := suite.Config{Revisions: []requirement.Revision{requirement.R20250618,
							requirement.R20260728}}
						report := judge(t,
							reference.Options{Hooks: erratic(chance.seed, chance.percent, fail),
								Faults: faults}, cfg)
						seen := 0
						for i := range report.Results {
							x := &report.Results[i]
							if len(faults) > 0 && x.ID == "META-06" && x.Verdict.Red() {
								seen++
								continue
							}
							// That a response is missing is RPC-09's, and the code for a failure of the
							// server's own ERR-08's.
							just := name == "no response" && x.ID == "RPC-09" || name == "error of its own" &&
								x.ID == "ERR-08"
							if x.Verdict.Red() && len(faults) == 0 && !just {
								t.Error(describe(x))
							}
						}
						if want := 4 * len(faults); seen != want {
							t.Errorf("META-06 is red in %d combinations instead of %d", seen, want)
						}
					})
				})
			}
		}
	}
}
