package verdict

import (
	"github.com/mcpcheck/mcpcheck/suite/recording"
)

// IDsOf lists the URIs or templates of a page.
func IDsOf(x *recording.Exchange) []string { return Identities(x, memberOf(x)) }

// memberOf is the member that holds the entries of a page.
func memberOf(x *recording.Exchange) string {
	if x.Method == "resources/templates/list" {
		return "resourceTemplates"
	}
	return "resources"
}
