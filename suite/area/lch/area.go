// Package lch is the area LCH: announcements that the resource list has changed
// (server/resources#list-changed-notification).
package lch

import (
	_ "embed"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// Checks lists the checks of the area.
func Checks() []verdict.Check { return lchChecks }
