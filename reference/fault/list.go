package fault

import (
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func listCode() code {
	return code{
		"list-10-by-connection": listByConnection(),
	}
}

// listByConnection leaves out of the first page a resource that depends on the
// order in which connections appeared.
func listByConnection() hook.Hooks {
	var mu sync.Mutex
	order := map[string]int{}
	return hook.EditResult(hook.MethodList, func(c *hook.Call, result hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		if !c.Modern {
			return
		}
		name := c.Connection()
		if _, known := order[name]; !known {
			order[name] = len(order)
		}
		entries, _ := result["resources"].([]any)
		if c.Param("cursor") == nil && len(entries) > 1 {
			i := order[name] % len(entries)
			result["resources"] = append(append([]any{}, entries[:i]...), entries[i+1:]...)
		}
	})
}
