// Package area lists the areas of the catalogue. Each area is a package below it, which
// holds its rows, its scripts, its checks and their tests.
package area

import (
	"cmp"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/suite/area/ann"
	"github.com/mcpcheck/mcpcheck/suite/area/batch"
	"github.com/mcpcheck/mcpcheck/suite/area/cache"
	"github.com/mcpcheck/mcpcheck/suite/area/canc"
	"github.com/mcpcheck/mcpcheck/suite/area/capability"
	"github.com/mcpcheck/mcpcheck/suite/area/comp"
	"github.com/mcpcheck/mcpcheck/suite/area/disc"
	"github.com/mcpcheck/mcpcheck/suite/area/errs"
	"github.com/mcpcheck/mcpcheck/suite/area/http"
	"github.com/mcpcheck/mcpcheck/suite/area/icon"
	"github.com/mcpcheck/mcpcheck/suite/area/lch"
	"github.com/mcpcheck/mcpcheck/suite/area/life"
	"github.com/mcpcheck/mcpcheck/suite/area/list"
	"github.com/mcpcheck/mcpcheck/suite/area/meta"
	"github.com/mcpcheck/mcpcheck/suite/area/mrtr"
	"github.com/mcpcheck/mcpcheck/suite/area/page"
	"github.com/mcpcheck/mcpcheck/suite/area/prog"
	"github.com/mcpcheck/mcpcheck/suite/area/read"
	"github.com/mcpcheck/mcpcheck/suite/area/rpc"
	"github.com/mcpcheck/mcpcheck/suite/area/sec"
	"github.com/mcpcheck/mcpcheck/suite/area/sess"
	"github.com/mcpcheck/mcpcheck/suite/area/sse"
	"github.com/mcpcheck/mcpcheck/suite/area/stdio"
	"github.com/mcpcheck/mcpcheck/suite/area/sub"
	"github.com/mcpcheck/mcpcheck/suite/area/tmpl"
	"github.com/mcpcheck/mcpcheck/suite/area/uri"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Area is one area of the catalogue, and what judges it.
type Area struct {
	// Package is the last element of the package's path.
	Package string
	// Rows is the requirements, as [requirement.ReadArea] reads them.
	Rows      string
	Checks    []verdict.Check
	Scenarios []*scenario.Scenario
}

// All lists the areas in the order of the specification's table of contents.
func All() []Area {
	return []Area{
		{Package: "rpc", Rows: rpc.Rows, Checks: rpc.Checks(), Scenarios: rpc.Scenarios()},
		{Package: "batch", Rows: batch.Rows, Checks: batch.Checks(), Scenarios: batch.Scenarios()},
		{Package: "errs", Rows: errs.Rows, Checks: errs.Checks(), Scenarios: errs.Scenarios()},
		{Package: "meta", Rows: meta.Rows, Checks: meta.Checks(), Scenarios: meta.Scenarios()},
		{Package: "icon", Rows: icon.Rows, Checks: icon.Checks()},
		{Package: "life", Rows: life.Rows, Checks: life.Checks(), Scenarios: life.Scenarios()},
		{Package: "mrtr", Rows: mrtr.Rows, Checks: mrtr.Checks(), Scenarios: mrtr.Scenarios()},
		{Package: "prog", Rows: prog.Rows, Checks: prog.Checks(), Scenarios: prog.Scenarios()},
		{Package: "canc", Rows: canc.Rows, Checks: canc.Checks(), Scenarios: canc.Scenarios()},
		{Package: "stdio", Rows: stdio.Rows, Checks: stdio.Checks(), Scenarios: stdio.Scenarios()},
		{Package: "http", Rows: http.Rows, Checks: http.Checks(), Scenarios: http.Scenarios()},
		{Package: "sess", Rows: sess.Rows, Checks: sess.Checks()},
		{Package: "sse", Rows: sse.Rows, Checks: sse.Checks(), Scenarios: sse.Scenarios()},
		{Package: "sec", Rows: sec.Rows, Checks: sec.Checks(), Scenarios: sec.Scenarios()},
		{Package: "disc", Rows: disc.Rows, Checks: disc.Checks(), Scenarios: disc.Scenarios()},
		{Package: "capability", Rows: capability.Rows, Checks: capability.Checks(), Scenarios: capability.Scenarios()},
		{Package: "list", Rows: list.Rows, Checks: list.Checks(), Scenarios: list.Scenarios()},
		{Package: "read", Rows: read.Rows, Checks: read.Checks(), Scenarios: read.Scenarios()},
		{Package: "tmpl", Rows: tmpl.Rows, Checks: tmpl.Checks(), Scenarios: tmpl.Scenarios()},
		{Package: "lch", Rows: lch.Rows, Checks: lch.Checks()},
		{Package: "sub", Rows: sub.Rows, Checks: sub.Checks(), Scenarios: sub.Scenarios()},
		{Package: "ann", Rows: ann.Rows, Checks: ann.Checks()},
		{Package: "uri", Rows: uri.Rows, Checks: uri.Checks()},
		{Package: "comp", Rows: comp.Rows, Checks: comp.Checks(), Scenarios: comp.Scenarios()},
		{Package: "page", Rows: page.Rows, Checks: page.Checks(), Scenarios: page.Scenarios()},
		{Package: "cache", Rows: cache.Rows, Checks: cache.Checks(), Scenarios: cache.Scenarios()},
	}
}

type index struct {
	checks    map[string]*verdict.Check
	scenarios []*scenario.Scenario
}

var built = sync.OnceValue(func() index {
	i := index{checks: map[string]*verdict.Check{}, scenarios: scenario.Common()}
	for _, a := range All() {
		for n := range a.Checks {
			i.checks[a.Checks[n].Requirement] = &a.Checks[n]
		}
		i.scenarios = append(i.scenarios, a.Scenarios...)
	}
	slices.SortStableFunc(i.scenarios, func(a, b *scenario.Scenario) int {
		return cmp.Or(int(a.Phase)-int(b.Phase), cmp.Compare(a.Name, b.Name))
	})
	return i
})

// Find finds the check of a requirement.
func Find(id string) (*verdict.Check, bool) {
	c, ok := built().checks[id]
	return c, ok
}

// Scenarios lists the scenarios by phase and name.
func Scenarios() []*scenario.Scenario { return slices.Clone(built().scenarios) }

// Scenario finds a scenario by name.
func Scenario(name recording.Name) (*scenario.Scenario, bool) {
	for _, s := range built().scenarios {
		if s.Name == name {
			return s, true
		}
	}
	return nil, false
}

// Checks lists the checks by requirement id.
func Checks() []*verdict.Check {
	var all []*verdict.Check
	for _, c := range built().checks {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *verdict.Check) int { return cmp.Compare(a.Requirement, b.Requirement) })
	return all
}
