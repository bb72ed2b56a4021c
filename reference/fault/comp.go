package fault

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func compCode() code {
	return code{
		"comp-03-all-values": hook.EditResult(hook.MethodComplete, func(_ *hook.Call, result hook.Object) {
			c := hook.MakeObjectAt(result, "completion")
			values, _ := c["values"].([]any)
			for i := len(values); i < 150; i++ {
				values = append(values, "value "+strconv.Itoa(i))
			}
			c["values"], c["total"], c["hasMore"] = values, hook.Number(150), false
		}),
	}
}
