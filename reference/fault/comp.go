package fault

import (
	"strconv"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var compCode = code{
	"comp-03-all-values": stateless(editCompletion(func(c hook.Object) {
		values, _ := c["values"].([]any)
		for i := len(values); i < 150; i++ {
			values = append(values, "value "+strconv.Itoa(i))
		}
		c["values"], c["total"], c["hasMore"] = values, hook.Number(150), false
	})),
}

// editCompletion changes the completion object of results.
func editCompletion(edit func(completion hook.Object)) hook.Hooks {
	return hook.EditResult(hook.MethodComplete, func(result hook.Object) {
		if c := hook.ObjectAt(result, "completion"); c != nil {
			edit(c)
		}
	})
}
