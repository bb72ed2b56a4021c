package quirk

import (
	"context"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var changesCode = code{
	"merged-updates": merging,
}

// merging holds updates back for a moment; another one for the same resource on
// the same way is left out meanwhile.
func merging() hook.Hooks {
	const moment = 20 * time.Millisecond
	var mu sync.Mutex
	waiting := map[string]bool{}
	return hook.OnNotification(hook.NotificationUpdated, hook.Every, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		key := string(m.Raw)
		if m.Session != nil {
			key = m.Session.ID() + " " + key
		}
		mu.Lock()
		defer mu.Unlock()
		if waiting[key] {
			return nil
		}
		waiting[key] = true
		time.AfterFunc(moment, func() {
			mu.Lock()
			delete(waiting, key)
			mu.Unlock()
			// A stream that has ended meanwhile needs no update.
			_ = next(context.WithoutCancel(ctx), m)
		})
		return nil
	})
}
