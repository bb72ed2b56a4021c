// Package sess is the area SESS: sessions over Streamable HTTP
// (basic/transports#session-management).
package sess

import (
	_ "embed"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// Checks lists the checks of the area.
func Checks() []verdict.Check { return sessChecks }
