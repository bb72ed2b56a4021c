// Package sse is the area SSE: event streams and the HTTP+SSE transport
// (basic/transports#http-with-sse and basic/transports/streamable-http).
package sse

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
