package tmpl

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenarios of the area.
const (
	Expansions             recording.Name = "expansions"               // reads of templates expanded with configured arguments
	TemplatesWithoutParams recording.Name = "templates-without-params" // resources/templates/list with and without params
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return tmplChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{expansionsScenario, templatesWithoutParamsScenario}
}
