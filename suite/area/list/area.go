// Package list is the area LIST: resources/list and what it lists
// (server/resources#listing-resources).
package list

import (
	_ "embed"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

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

// The steps of the area's scripts, which say what they mean.
const (
	stepAgain      recording.Step = "again"
	stepRepeat     recording.Step = "repeat"
	stepReread     recording.Step = "reread"
	stepWith       recording.Step = "with"
	stepWithout    recording.Step = "without"
	stepWithAgain  recording.Step = "with-again"
	stepOne        recording.Step = "one"
	stepOther      recording.Step = "other"
	stepBetween    recording.Step = "between"
	stepOneAgain   recording.Step = "one-again"
	stepOtherAgain recording.Step = "other-again"
)
