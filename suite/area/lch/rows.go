// Package lch is the area LCH: announcements that the resource list has changed
// (server/resources#list-changed-notification).
package lch

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
