package quirk

import (
	"context"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var changesCode = code{
	"needless-announcements": afterReads,
	"merged-updates":         merging,
}

// afterReads announces a change of the list after each answer to a read of a
// legacy session.
func afterReads() hook.Hooks {
	raw := hook.NewNotification(hook.NotificationListChanged, nil).Raw
	return hook.OnResponse(hook.MethodRead, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if err := next(ctx, m); err != nil {
			return err
		}
		if m.Call.Modern || m.Peer == nil || m.Peer.Revision() == "" {
			return nil
		}
		// Without a stream to send it on it is lost, which does no harm.
		_ = m.Peer.Send(ctx, raw)
		return nil
	})
}

// merging holds updates back for a moment; another one for the same resource on
// the same way is left out meanwhile.
func merging() hook.Hooks {
	const moment = 20 * time.Millisecond
	var mu sync.Mutex
	waiting := map[string]bool{}
	return hook.OnNotification(hook.NotificationUpdated, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		key := string(m.Raw)
		if m.Peer != nil {
			key = m.Peer.ID() + " " + key
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
