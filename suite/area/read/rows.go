// Package read is the area READ: resources/read and the contents that it yields
// (server/resources#reading-resources).
package read

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
