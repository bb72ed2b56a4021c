// Package batch is the area BATCH: JSON-RPC batches, which came with 2025-03-26 and
// went with 2025-06-18 (basic/index#batching).
package batch

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
	Batches recording.Name = "batches" // arrays of messages
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return batchChecks }

// Scenarios lists the scripts whose recordings only this area judges.
func Scenarios() []*scenario.Scenario { return []*scenario.Scenario{batchesScenario} }

// The steps of the area's scripts, which say what they mean.
const (
	stepRequests      recording.Step = "requests"
	stepMixed         recording.Step = "mixed"
	stepNotifications recording.Step = "notifications"
	stepEmpty         recording.Step = "empty"
	stepInvalidMember recording.Step = "invalid-member"
)

// The tags of the area's scripts, which say what they mean.
const (
	tagIDs recording.Tag = "ids"
)
