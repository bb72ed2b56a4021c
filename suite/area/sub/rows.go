// Package sub is the area SUB: subscriptions and resource updates
// (server/resources#subscriptions and basic/patterns/subscriptions).
package sub

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
