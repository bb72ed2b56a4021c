package fault

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var compCode = code{
	"comp-03-all-values": stateless(hook.EditResult(hook.MethodComplete, func(result hook.Object) {
		c := hook.MakeObjectAt(result, "completion")
		values, _ := c["values"].([]any)
		for i := len(values); i < 150; i++ {
			values = append(values, "value "+strconv.Itoa(i))
		}
		c["values"], c["total"], c["hasMore"] = values, hook.Number(150), false
	})),
}
