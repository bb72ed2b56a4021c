// Package batch is the area BATCH: JSON-RPC batches, which came with 2025-03-26 and
// went with 2025-06-18 (basic/index#batching).
package batch

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
