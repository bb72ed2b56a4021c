package reports

import _ "embed"

// JSONSchema is the JSON Schema (2020-12) of the contract [Schema].
//
//go:embed schema/mcpcheck.report-1.schema.json
var JSONSchema []byte
