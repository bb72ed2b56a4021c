package engine

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/check"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
)

// catalogue is where the engine looks up requirements, checks and scenarios; it knows
// no other place.
type catalogue struct{}

// requirements lists the requirements in the order of the report.
func (catalogue) requirements() []requirement.Requirement { return requirement.Catalogue() }

func (catalogue) requirement(id string) (*requirement.Requirement, bool) { return requirement.Find(id) }

// check is what judges a requirement; false if nothing does.
func (catalogue) check(id string) (*check.Check, bool) { return check.Find(id) }

func (catalogue) scenario(name recording.Name) (*scenario.Scenario, bool) { return scenario.Find(name) }

// scenarios lists the scenarios by phase and name.
func (catalogue) scenarios() []*scenario.Scenario { return scenario.All() }

// selfContained reports whether a check looks at nothing but the recordings that it
// names, and these are not put together from others.
func selfContained(k *check.Check) bool {
	return !k.Probes && !slices.Contains(k.From, recording.Everything) && !slices.Contains(lookFurther, k.Requirement)
}

// lookFurther are the requirements whose checks look at recordings that they do not name.
var lookFurther = []string{
	"ERR-01", "ERR-08", "ERR-11", "LCH-02", "LIFE-13", "READ-02", "RPC-17", "SUB-04", "SUB-06", "SUB-07", "SUB-09", "SUB-43",
	"TMPL-09", "TMPL-11", "TMPL-12", "TMPL-13", "URI-08",
}
