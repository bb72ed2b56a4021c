package quirk

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const methodSubscribe = "resources/subscribe"

// What has no occasion without updates, and without announcements of the list.
var (
	withoutUpdates = []string{
		"CAP-09", "HTTP-12", "SUB-01", "SUB-03", "SUB-04", "SUB-06", "SUB-07", "SUB-09", "SUB-10", "SUB-11", "SUB-27", "SUB-28", "SUB-31",
		"SUB-32", "SUB-33", "URI-14",
	}
	withoutAnnouncements = []string{"CANC-60", "LCH-01", "LCH-02", "LCH-06", "LCH-07", "SUB-42"}
	withoutChanges       = []string{
		"CANC-07", "HTTP-39", "SUB-20", "SUB-29", "SUB-30", "SUB-34", "SUB-35", "SUB-37", "SUB-38",
	}
)

// The quirks of subscriptions and announcements.
func init() {
	Register(
		Quirk{
			Name: "no-announcements", Permits: []string{"CAP-05"}, Aspect: "notifications",
			Summary: "no changes can be subscribed, and none are announced",
			Overlay: offering(func(c *world.Capabilities) { c.Subscribe, c.ListChanged = false, false }),
			Idles:   join(withoutUpdates, withoutAnnouncements, withoutChanges),
		},
		Quirk{
			Name: "updates-only", Permits: []string{"CAP-05"}, Aspect: "notifications",
			Summary: "changes of the list are not announced",
			Overlay: offering(func(c *world.Capabilities) { c.ListChanged = false }),
			Idles:   withoutAnnouncements,
		},
		Quirk{
			Name: "announcements-only", Permits: []string{"CAP-05"}, Aspect: "notifications",
			Summary: "only changes of the list are announced",
			Overlay: offering(func(c *world.Capabilities) { c.Subscribe = false }),
			Idles:   join(withoutUpdates, []string{"SUB-42"}),
		},
		Quirk{
			Name: "declared-false", Permits: []string{"CAP-05"}, Aspect: "notifications",
			Summary: "what is not offered is declared as false",
			Overlay: offering(func(c *world.Capabilities) { c.Subscribe, c.ListChanged = false, false }),
			Hooks: declared(func(c hook.Object, _ bool) {
				r := hook.MakeObjectAt(c, "resources")
				r["subscribe"], r["listChanged"] = false, false
			}),
			Idles: join(withoutUpdates, withoutAnnouncements, withoutChanges),
		},
		Quirk{
			Name: "needless-announcements", Permits: []string{"LCH-03", "SUB-61"}, Aspect: "notifications",
			Summary: "up to 2025-11-25 reads are followed by announcements of a list that has not changed",
			Hooks:   afterReads(),
		},
		Quirk{
			Name: "repeated-notifications", Permits: []string{"SUB-61"},
			Summary: "every update and every announcement comes twice",
			Hooks: hook.OnNotification(hook.NotificationUpdated+"|"+hook.NotificationListChanged,
				func(ctx context.Context, m hook.Message, next hook.Emitter) error {
					if err := next(ctx, m); err != nil {
						return err
					}
					return next(ctx, m)
				}),
		},
		Quirk{
			Name: "merged-updates", Permits: []string{"SUB-61"},
			Summary: "updates come a little later, and several at once as one",
			Make:    merging,
		},
		Quirk{
			Name: "updates-of-parts", Permits: []string{"SUB-05"},
			Summary: "updates name a part of the resource that was subscribed",
			Hooks: hook.EditNotification(hook.NotificationUpdated, func(n hook.Object) {
				if params := hook.ObjectAt(n, "params"); params != nil {
					if uri, ok := params["uri"].(string); ok {
						params["uri"] = uri + "/lines/1"
					}
				}
			}),
		},
		Quirk{
			Name: "subscriptions-to-anything", Permits: []string{"SUB-12"},
			Summary: "a subscription to a resource that does not exist is confirmed",
			Hooks: hook.OnMethod(methodSubscribe, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				if r != nil && r.Error != nil && r.Error["message"] == "Resource not found" {
					return &hook.Reply{Result: hook.Object{}}
				}
				return r
			}),
		},
		Quirk{
			Name: "no-progress", Permits: []string{"PROG-06"}, Aspect: "notifications",
			Summary: "progress is never reported, so that no answer over HTTP needs a stream",
			Hooks:   hook.DropNotification(hook.NotificationProgress),
			Idles: []string{"CANC-06", "HTTP-08", "HTTP-09", "HTTP-10", "HTTP-40", "META-19", "PROG-01", "PROG-02", "PROG-03", "PROG-04",
				"SSE-07", "SUB-39"},
		},
		Quirk{
			Name: "progress-for-everyone", Permits: []string{"PROG-06"},
			Summary: "every read that asks for progress gets some",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if token := c.Meta("progressToken"); token != nil && c.Emit != nil && (c.Modern || c.Revision != "") {
					// A client that has gone misses it.
					_ = c.Emit(ctx, hook.NewNotification(hook.NotificationProgress,
						hook.Object{"progressToken": token, "progress": hook.Number(-1), "total": hook.Number(1000)}))
				}
				return next(ctx, c)
			}),
		},
	)
}

// join strings lists together.
func join(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// offering changes the capabilities of a world.
func offering(edit func(c *world.Capabilities)) func(*world.World) {
	return func(w *world.World) {
		c := world.AllCapabilities()
		if w.Capabilities != nil {
			c = *w.Capabilities
		}
		edit(&c)
		w.Capabilities = &c
	}
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
func merging(*rand.Rand) hook.Hooks {
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
