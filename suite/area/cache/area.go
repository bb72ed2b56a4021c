// Package cache is the area CACHE: hints on how long results may be kept
// (server/utilities/caching).
package cache

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
	Callers recording.Name = "callers" // the same requests by several callers
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return cacheChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{callersScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepMine      recording.Step = "mine"
	stepProtected recording.Step = "protected"
	stepTheirs    recording.Step = "theirs"
	stepMineAgain recording.Step = "mine-again"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagIdentity recording.Tag = "identity"
	tagSubject  recording.Tag = "subject"
)
