// Package http is the area HTTP: the Streamable HTTP transport
// (basic/transports#streamable-http and basic/transports/streamable-http).
package http

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
