// Package meta is the area META: the _meta member, result types and log messages
// (basic/index#meta, basic/index#resulttype and server/utilities/logging).
package meta

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
	BadMetadata recording.Name = "bad-metadata" // requests whose metadata lacks something or is ill-typed
	LogLevels   recording.Name = "log-levels"   // logging/setLevel
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(metaChecks, metaRequestsChecks) }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario {
	return []*scenario.Scenario{badMetadataScenario, logLevelsScenario}
}

// The steps of the area's scripts, which say what they mean.
const (
	stepNoCapabilities  recording.Step = "no-capabilities"
	stepOddVersion      recording.Step = "odd-version"
	stepOddCapabilities recording.Step = "odd-capabilities"
	stepOddLogLevel     recording.Step = "odd-log-level"
	stepSet             recording.Step = "set"
	stepUnknownLevel    recording.Step = "unknown-level"
)
