// Package mrtr is the area MRTR: requests that the server answers by asking for
// further input (multi round-trip requests) (basic/patterns/mrtr).
package mrtr

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
