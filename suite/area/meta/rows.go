// Package meta is the area META: the _meta member, result types and log messages
// (basic/index#meta, basic/index#resulttype and server/utilities/logging).
package meta

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
