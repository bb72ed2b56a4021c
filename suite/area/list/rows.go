// Package list is the area LIST: resources/list and what it lists
// (server/resources#listing-resources).
package list

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
