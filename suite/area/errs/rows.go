// Package errs is the area ERR: which errors are due when
// (server/resources#error-handling and basic/index#error-codes).
package errs

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
