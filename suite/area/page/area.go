// Package page is the area PAGE: pagination of the two lists
// (server/utilities/pagination).
package page

import (
	_ "embed"

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
	Paging         recording.Name = "paging"          // the same pages asked for again and again, on a session of their own
	TemplatePaging recording.Name = "template-paging" // the same pages of templates asked for again and again
	BadCursors     recording.Name = "bad-cursors"     // cursors that were never handed out
	CompleteWalks  recording.Name = "complete-walks"  // walks through lists whose entries are known
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return pageChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{completeWalksScenario, pagingScenario, templatePagingScenario, badCursorsScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepFirst     recording.Step = "first"
	stepSecond    recording.Step = "second"
	stepNext      recording.Step = "next"
	stepNextAgain recording.Step = "next-again"
	stepMiddle    recording.Step = "middle"
	stepElsewhere recording.Step = "elsewhere"
	stepUnknown   recording.Step = "unknown"
	stepLong      recording.Step = "long"
	stepJunk      recording.Step = "junk"
	stepScript    recording.Step = "script"
	stepBlank     recording.Step = "blank"
	stepEmpty     recording.Step = "empty"
	stepOld       recording.Step = "old"
	stepForeign   recording.Step = "foreign"
	stepNumber    recording.Step = "number"
	stepObject    recording.Step = "object"
	stepNull      recording.Step = "null"
	stepAfter     recording.Step = "after"
	stepChanged   recording.Step = "changed"
	stepAppended  recording.Step = "appended"
	stepTruncated recording.Step = "truncated"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagExpected recording.Tag = "expected"
)
