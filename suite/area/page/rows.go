// Package page is the area PAGE: pagination of the two lists
// (server/utilities/pagination).
package page

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
