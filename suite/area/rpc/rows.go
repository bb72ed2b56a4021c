// Package rpc is the area RPC: the JSON-RPC messages that carry everything else
// (basic/index).
package rpc

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
