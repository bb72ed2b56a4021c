package fault

import (
	"context"
	"maps"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func lchCode() code {
	return code{
		"lch-04-undeclared-debounced": undeclaredDebounced(),
		"lch-07-stale-list": remembering(
			hook.MethodList,
			func(c *hook.Call) string { return c.Revision + " " + string(hook.Encode(c.Param("cursor"))) },
		),
	}
}

// undeclaredDebounced takes two changes in a row for none, as who looks at the list
// now and then does: what was added is gone again.
func undeclaredDebounced() hook.Hooks {
	var mu sync.Mutex
	pending := map[string]*time.Timer{}
	return hook.Join(hook.EditResult("initialize", func(_ *hook.Call, result hook.Object) {
		delete(hook.ObjectAt(result, "capabilities", "resources"), "listChanged")
	}), hook.OnNotification(hook.NotificationListChanged, func(m hook.Sending) error {
		mu.Lock()
		defer mu.Unlock()
		id := m.Session.ID()
		if t := pending[id]; t != nil && t.Stop() {
			delete(pending, id)
			return nil
		}
		pending[id] = time.AfterFunc(100*time.Millisecond, func() {
			m.Context = context.WithoutCancel(m.Context)
			_ = m.Next()
		})
		return nil
	}))
}

// remembering answers a request by the first result that one with the same key had, whoever asked; one
// without a key is left as it is.
func remembering(methods string, key func(c *hook.Call) string) hook.Hooks {
	var kept sync.Map
	return hook.EditResult(methods, func(c *hook.Call, result hook.Object) {
		at := key(c)
		if at == "" {
			return
		}
		first, stale := kept.LoadOrStore(at, hook.Encode(result))
		if old, ok := hook.DecodeObject(first.([]byte)); stale && ok {
			clear(result)
			maps.Copy(result, old)
		}
	})
}
