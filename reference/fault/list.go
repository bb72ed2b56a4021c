package fault

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var listCode = code{
	"list-10-by-connection": listByConnection,
	"list-11-recent-reads":  recentReads,
}

// connectionHeader carries the remote address of a request to the hooks of calls.
const connectionHeader = "X-Fault-Connection"

// tellConnections makes connections known to the hooks of calls; see connection.
func tellConnections() hook.Hooks {
	return hook.EditRequest(func(r *http.Request) { r.Header.Set(connectionHeader, r.RemoteAddr) })
}

// connection names the connection that a call came on.
func connection(c *hook.Call) string {
	if addr := c.Header.Get(connectionHeader); addr != "" {
		return addr
	}
	return c.Peer.ID()
}

// listByConnection leaves out of the first page a resource that depends on the
// order in which connections appeared.
func listByConnection() hook.Hooks {
	var mu sync.Mutex
	order := map[string]int{}
	return hook.Join(tellConnections(), hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		if !c.Modern {
			return
		}
		name := connection(c)
		if _, known := order[name]; !known {
			order[name] = len(order)
		}
		entries, _ := result["resources"].([]any)
		if c.Param("cursor") == nil && len(entries) > 1 {
			i := order[name] % len(entries)
			result["resources"] = append(append([]any{}, entries[:i]...), entries[i+1:]...)
		}
	}))
}

// recentReads adds to the last page of the list what was read on the connection.
func recentReads() hook.Hooks {
	var mu sync.Mutex
	reads := map[string]int{}
	return hook.Join(tellConnections(),
		hook.EditResultOf(hook.MethodRead, func(c *hook.Call, _ hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			if c.Modern {
				reads[connection(c)]++
			}
		}),
		hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			entries, _ := result["resources"].([]any)
			for i := range reads[connection(c)] {
				n := strconv.Itoa(i + 1)
				entries = append(entries, hook.Object{"uri": "recent:" + n, "name": "recently used " + n})
			}
			if _, more := result["nextCursor"]; !more {
				result["resources"] = entries
			}
		}))
}
