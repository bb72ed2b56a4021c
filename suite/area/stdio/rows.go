// Package stdio is the area STDIO: the stdio transport (basic/transports#stdio and
// basic/transports/stdio).
package stdio

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
