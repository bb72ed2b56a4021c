// Package comp is the area COMP: completion of the variables of templates
// (server/utilities/completion).
package comp

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
