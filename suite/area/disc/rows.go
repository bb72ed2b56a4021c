// Package disc is the area DISC: discovery, versions and statelessness in the modern
// revisions (server/discover and basic/versioning).
package disc

import _ "embed"

// Rows is the requirements of the area, as requirement.ReadArea reads them.
//
//go:embed rows.yaml
var Rows string
