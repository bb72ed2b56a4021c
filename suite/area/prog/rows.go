// Package prog is the area PROG: progress notifications (basic/utilities/progress
// and basic/patterns/progress).
package prog

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
