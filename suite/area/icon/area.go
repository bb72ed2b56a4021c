// Package icon is the area ICON: the icons of resources, templates and the server
// (basic/index#icons).
package icon

import (
	_ "embed"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// Checks lists the checks of the area.
func Checks() []verdict.Check { return iconChecks }
