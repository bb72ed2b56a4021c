package ann

import (
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Checks lists the checks of the area.
func Checks() []verdict.Check { return annotationChecks }
