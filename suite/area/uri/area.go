package uri

import (
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(uriChecks, uriAskedChecks) }
