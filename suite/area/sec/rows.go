// Package sec is the area SEC: the security of transports, and authorisation
// (basic/transports#security-warning and basic/authorization).
package sec

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
