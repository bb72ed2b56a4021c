package fault

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of the announcements that the list has changed.
func init() {
	Register(
		Fault{
			Name: "lch-01-never-announced", Requirement: "LCH-01",
			Summary: "changes of the list are not announced",
			Needs:   Needs{Trigger: true},
			Hooks:   hook.DropNotification(hook.NotificationListChanged),
		},
		Fault{
			Name: "lch-02-array-params", Requirement: "LCH-02",
			Summary: "list_changed carries an array as params",
			Needs:   Needs{Trigger: true},
			Hooks: hook.EditNotification(hook.NotificationListChanged, func(n hook.Object) {
				n["params"] = []any{}
			}),
		},
		Fault{
			Name: "lch-02-camel-case", Requirement: "LCH-02",
			Summary: "the method of list_changed is spelled listChanged",
			Needs:   Needs{Trigger: true},
			Hooks: hook.EditNotification(hook.NotificationListChanged, func(n hook.Object) {
				n["method"] = "notifications/resources/listChanged"
			}),
		},
		Fault{
			Name: "lch-04-undeclared", Requirement: "LCH-04",
			Summary: "list_changed is sent, but listChanged is not declared",
			Needs:   Needs{Trigger: true},
			Hooks: hook.EditResult("initialize|"+hook.MethodDiscover, func(result hook.Object) {
				delete(hook.ObjectAt(result, "capabilities", "resources"), "listChanged")
			}),
		},
		Fault{
			Name: "lch-04-undeclared-debounced", Requirement: "LCH-04",
			Summary: "list_changed is sent once the list has been quiet for a tenth of a second, unless all is as before, and listChanged is not declared",
			Needs:   Needs{Trigger: true, Revisions: legacyRevisions},
			Make:    undeclaredDebounced,
		},
		Fault{
			Name: "lch-04-declared-false", Requirement: "LCH-04",
			Summary: "list_changed is sent, but listChanged is declared as false",
			Needs:   Needs{Trigger: true},
			Hooks: hook.EditResult("initialize|"+hook.MethodDiscover, func(result hook.Object) {
				hook.MakeObjectAt(result, "capabilities", "resources")["listChanged"] = false
			}),
		},
		Fault{
			Name: "lch-06-not-acknowledged", Requirement: "LCH-06",
			Summary: "listChanged is declared, but never acknowledged",
			Hooks:   withoutFilter("resourcesListChanged"),
		},
		Fault{
			Name: "lch-07-stale-list", Requirement: "LCH-07",
			Summary: "resources/list is answered for ever from what was listed first",
			Needs:   Needs{Trigger: true},
			Hooks:   hook.Hooks{Handle: staleLists},
		},
	)
}

// undeclaredDebounced takes two changes in a row for none, as who looks at the list
// now and then does: what was added is gone again.
func undeclaredDebounced(*rand.Rand) hook.Hooks {
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

// withoutFilter leaves a member out of the filter of listen requests, as if it had
// not been asked for.
func withoutFilter(member string) hook.Hooks {
	return hook.EditParams(hook.MethodListen, func(_ *hook.Call, params hook.Object) {
		if filter := hook.ObjectAt(params, "notifications"); filter != nil {
			delete(filter, member)
		}
	})
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
