package fault

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var lchCode = code{
	"lch-04-undeclared-debounced": undeclaredDebounced,
	"lch-07-stale-list":           stateless(hook.Hooks{Handle: staleLists}),
}

// undeclaredDebounced takes two changes in a row for none, as who looks at the list
// now and then does: what was added is gone again.
func undeclaredDebounced() hook.Hooks {
	var mu sync.Mutex
	pending := map[string]*time.Timer{}
	return hook.Join(hook.EditResult("initialize", func(result hook.Object) {
		delete(hook.ObjectAt(result, "capabilities", "resources"), "listChanged")
	}), hook.OnNotification(hook.NotificationListChanged, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		mu.Lock()
		defer mu.Unlock()
		id := m.Peer.ID()
		if t := pending[id]; t != nil && t.Stop() {
			delete(pending, id)
			return nil
		}
		pending[id] = time.AfterFunc(100*time.Millisecond, func() { _ = next(context.WithoutCancel(ctx), m) })
		return nil
	}))
}

// staleLists keeps the first answer to each list request.
func staleLists(next hook.Handler) hook.Handler {
	var mu sync.Mutex
	kept := map[string][]byte{}
	return func(ctx context.Context, c *hook.Call) *hook.Reply {
		if c.Method != hook.MethodList {
			return next(ctx, c)
		}
		key := c.Revision + " " + string(hook.Encode(c.Param("cursor")))
		mu.Lock()
		old := kept[key]
		mu.Unlock()
		r := next(ctx, c)
		if r == nil || r.Result == nil {
			return r
		}
		if old == nil {
			mu.Lock()
			kept[key] = hook.Encode(r.Result)
			mu.Unlock()
			return r
		}
		if result, ok := hook.DecodeObject(json.RawMessage(old)); ok {
			r.Result = result
		}
		return r
	}
}
