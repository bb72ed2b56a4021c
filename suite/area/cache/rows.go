// Package cache is the area CACHE: hints on how long results may be kept
// (server/utilities/caching).
package cache

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
