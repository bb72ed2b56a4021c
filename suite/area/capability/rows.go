// Package capability is the area CAP: the capabilities that a server declares, and
// whether it does what they promise (server/resources#capabilities).
package capability

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
