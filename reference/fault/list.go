package fault

import (
	"strconv"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var listCode = code{
	"list-10-by-connection": listByConnection,
	"list-11-recent-reads":  recentReads,
}

// listByConnection leaves out of the first page a resource that depends on the
// order in which connections appeared.
func listByConnection() hook.Hooks {
	var mu sync.Mutex
	order := map[string]int{}
	return hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
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

// recentReads adds to the last page of the list what was read on the connection.
func recentReads() hook.Hooks {
	var mu sync.Mutex
	reads := map[string]int{}
	return hook.Join(
		hook.EditResultOf(hook.MethodRead, func(c *hook.Call, _ hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			if c.Modern {
				reads[c.Connection()]++
			}
		}),
		hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			entries, _ := result["resources"].([]any)
			for i := range reads[c.Connection()] {
				n := strconv.Itoa(i + 1)
				entries = append(entries, hook.Object{"uri": "recent:" + n, "name": "recently used " + n})
			}
			if _, more := result["nextCursor"]; !more {
				result["resources"] = entries
			}
		}))
}
