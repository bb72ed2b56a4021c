package disc

import (
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/tidwall/gjson"
)

// supported lists the versions that discovery named.
func supported(p *scenario.Play) []string {
	var all []string
	for _, v := range gjson.GetBytes(p.Facts.Declared, "supportedVersions").Array() {
		if v.Type == gjson.String {
			all = append(all, v.Str)
		}
	}
	return all
}
