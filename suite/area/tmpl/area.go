// Package tmpl is the area TMPL: resources/templates/list, the templates and their
// expansions (server/resources#resource-templates).
package tmpl

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
	Expansions             recording.Name = "expansions"               // reads of templates expanded with configured arguments
	TemplatesWithoutParams recording.Name = "templates-without-params" // resources/templates/list with and without params
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return tmplChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{expansionsScenario, templatesWithoutParamsScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepExpansion     recording.Step = "expansion"
	stepQuery         recording.Step = "query"
	stepWithParams    recording.Step = "with-params"
	stepWithoutParams recording.Step = "without-params"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagEncoded recording.Tag = "encoded"
	tagGiven   recording.Tag = "given"
)
