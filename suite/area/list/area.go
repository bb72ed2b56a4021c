package list

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Relist     recording.Name = "relist"      // the list, the reads, the list again, and reads that failed once more
	SameList   recording.Name = "same-list"   // the list on two connections, before and after other requests
	ListParams recording.Name = "list-params" // resources/list with and without params
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(listChecks, relistChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{relistScenario, listParamsScenario, sameListScenario}
}
