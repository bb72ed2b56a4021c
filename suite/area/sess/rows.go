// Package sess is the area SESS: sessions over Streamable HTTP
// (basic/transports#session-management).
package sess

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
