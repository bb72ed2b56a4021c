package page

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

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
