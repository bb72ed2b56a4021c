package meta

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

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
