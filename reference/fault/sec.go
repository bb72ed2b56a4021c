package fault

import "github.com/mcpcheck/mcpcheck/reference/hook"

var secCode = code{
	"sec-63-dies-of-numeric-uri": stateless(killedBy(func(in hook.Incoming) bool {
		o, _ := hook.DecodeObject(in.Raw)
		params, _ := o["params"].(map[string]any)
		_, text := params["uri"].(string)
		return o["method"] == "resources/read" && params["uri"] != nil && !text
	})),
}
