// Package tmpl is the area TMPL: resources/templates/list, the templates and their
// expansions (server/resources#resource-templates).
package tmpl

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
