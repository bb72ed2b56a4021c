// Package uri is the area URI: the syntax of the URIs that a server gives, and how
// it treats those that it is given (server/resources#common-uri-schemes).
package uri

import (
	_ "embed"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string

// Checks lists the checks of the area.
func Checks() []verdict.Check { return slices.Concat(uriChecks, uriAskedChecks) }
