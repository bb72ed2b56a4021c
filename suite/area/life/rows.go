// Package life is the area LIFE: the handshake of the legacy revisions, what is
// agreed in it, and ping (basic/lifecycle and basic/utilities/ping).
package life

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
