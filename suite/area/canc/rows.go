// Package canc is the area CANC: the cancellation of requests
// (basic/utilities/cancellation and basic/patterns/cancellation).
package canc

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
