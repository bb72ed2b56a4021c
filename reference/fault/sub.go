package fault

import (
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func subCode() code {
	return code{
		"sub-03-first-session-only":    firstOnly(),
		"sub-03-read-ends":             endedByRead(),
		"sub-03-second-subscribe-ends": secondEnds(),
		"sub-03-unsubscribe-ends-all":  endsAll(),
		"sub-06-broadcast": broadcast(
			func(m hook.Message, p hook.Session) bool { return shaken(m) && p.Revision() != "" },
		),
		"sub-06-undeclared-without-sessions": hook.Sessionless(),
		"sub-09-all-resources":               subscribeAll(),
		"sub-09-flag-of-the-session":         flagged(),
		"sub-10-other-sessions": broadcast(func(m hook.Message, p hook.Session) bool {
			return shaken(m) && p.Revision() != "" && p.Transport() == m.Transport
		}),
		"sub-10-last-session-only":    lastOnly(),
		"sub-10-replayed-to-others":   replaying(hook.Hooks{}, "get", lendingUpdates),
		"sub-10-subscriber-ends-all":  unsubscribedForAll(true),
		"sub-10-unsubscribed-for-all": unsubscribedForAll(false),
		"sub-62-announced-too-early":  announcedTooEarly(),
		"sub-62-cached-by-session":    cachedBySession(),
	}
}

const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"

	subscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// subscription is one of a resource in a session: the id of the session, and the URI.
type subscription [2]string

// muting drops the legacy updates of subscriptions that are muted. The function sees subscriptions, their
// end, and further methods.
func muting(
	told func(muted map[subscription]bool, c *hook.Call, s subscription),
	further ...string,
) hook.Hooks {
	var mu sync.Mutex
	muted := map[subscription]bool{}
	methods := strings.Join(append(further, methodSubscribe, methodUnsubscribe), "|")
	return hook.Join(hook.EditReply(methods, func(c *hook.Call, r *hook.Reply) {
		if uri, ok := c.Param("uri").(string); ok && !c.Modern && r.Error == nil {
			mu.Lock()
			defer mu.Unlock()
			told(muted, c, subscription{c.Session.ID(), uri})
		}
	}), hook.Withhold(hook.NotificationUpdated, func(m hook.Message) bool {
		mu.Lock()
		defer mu.Unlock()
		uri := gjson.GetBytes(m.Raw, "params.uri").Str
		return m.Session != nil && muted[subscription{m.Session.ID(), uri}]
	}))
}

// secondEnds takes a second subscription for the end of the first.
func secondEnds() hook.Hooks {
	first := map[subscription]bool{}
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		muted[s] = c.Method == methodSubscribe && first[s]
		first[s] = c.Method == methodSubscribe
	})
}

// endsAll empties the set of a session where one URI is to be taken out of it.
func endsAll() hook.Hooks {
	held := map[subscription]bool{}
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		if c.Method == methodSubscribe {
			held[s], muted[s] = true, false
			return
		}
		for other := range held {
			muted[other] = muted[other] || other[0] == s[0]
		}
	})
}

// firstOnly tells nobody but the session that subscribed a resource first.
func firstOnly() hook.Hooks {
	owner := map[string]string{} // by URI
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		me, uri := s[0], s[1]
		stands := slices.ContainsFunc(
			c.Session.Sessions(),
			func(p hook.Session) bool { return p.ID() == owner[uri] },
		)
		switch {
		case c.Method == methodSubscribe && !stands:
			owner[uri] = me
		case c.Method == methodUnsubscribe && owner[uri] == me:
			delete(owner, uri)
		}
		muted[s] = owner[uri] != me
	})
}

// lastOnly tells nobody but the session that subscribed a resource last.
func lastOnly() hook.Hooks {
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		for _, p := range c.Session.Sessions() {
			if c.Method == methodSubscribe {
				muted[subscription{p.ID(), s[1]}] = p.ID() != s[0]
			}
		}
	})
}

// endedByRead takes a read of what is subscribed for the end of the subscription.
func endedByRead() hook.Hooks {
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		muted[s] = c.Method == hook.MethodRead
	}, hook.MethodRead)
}

// unsubscribedForAll ends the subscriptions of everybody, only if the session that asks for it has one
// itself.
func unsubscribedForAll(own bool) hook.Hooks {
	held := map[subscription]bool{}
	return muting(func(muted map[subscription]bool, c *hook.Call, s subscription) {
		delete(muted, s)
		for _, p := range c.Session.Sessions() {
			if c.Method == methodUnsubscribe && p.ID() != s[0] && (held[s] || !own) {
				muted[subscription{p.ID(), s[1]}] = true
			}
		}
		held[s] = c.Method == methodSubscribe
	})
}

// shaken reports whether a message is one of a revision with a handshake.
func shaken(m hook.Message) bool { return m.Revision != "" && !hook.Modern(m.Revision) }

// broadcast sends each update to further sessions.
func broadcast(to func(m hook.Message, p hook.Session) bool) hook.Hooks {
	return hook.OnNotification(hook.NotificationUpdated, func(m hook.Sending) error {
		if err := m.Next(); err != nil || m.Session == nil {
			return err
		}
		for _, p := range m.Session.Sessions() {
			if p.ID() != m.Session.ID() && to(m.Message, p) {
				hook.Send(m, p, m.Raw)
			}
		}
		return nil
	})
}

// allURIs are the resources that a subscription to all of them names.
var allURIs = []any{"note:shopping", "log://app/current", "file:///project/README.md"}

// subscribeAll subscribes more than was asked for, by sending further requests
// through the handler.
func subscribeAll() hook.Hooks {
	return hook.OnMethod(methodSubscribe, func(c hook.Calling) *hook.Reply {
		r := c.Next()
		if r == nil || r.Error != nil || !hook.Acts(c) {
			return r
		}
		for _, uri := range allURIs {
			c.Handle(c.With("uri", uri))
		}
		return r
	})
}

// announcedTooEarly yields the old contents for a moment after each update.
func announcedTooEarly() hook.Hooks {
	const moment = 50 * time.Millisecond
	var mu sync.Mutex
	kept := map[string]any{}
	announced := map[string]time.Time{}
	return hook.Join(
		hook.EditResult(hook.MethodRead, func(c *hook.Call, result hook.Object) {
			uri, _ := c.Param("uri").(string)
			mu.Lock()
			defer mu.Unlock()
			if old := kept[uri]; old == nil || time.Since(announced[uri]) >= moment {
				kept[uri] = hook.Plain(result["contents"])
			} else {
				result["contents"] = hook.Plain(old)
			}
		}),
		hook.OnNotification(hook.NotificationUpdated, func(m hook.Sending) error {
			o, _ := hook.DecodeObject(m.Raw)
			uri, _ := hook.ObjectAt(o, "params")["uri"].(string)
			mu.Lock()
			announced[uri] = time.Now()
			mu.Unlock()
			return m.Next()
		}))
}

// cachedBySession yields in each session what was read there first. A modern read belongs to none.
func cachedBySession() hook.Hooks {
	return remembering(hook.MethodRead, func(c *hook.Call) string {
		uri, _ := c.Param("uri").(string)
		if c.Modern || uri == "" {
			return ""
		}
		return c.Session.ID() + " " + uri
	})
}

// flagged takes the subscription of one resource for that of all that are listed, until the last one of the
// session is given up.
func flagged() hook.Hooks {
	var mu sync.Mutex
	held := map[subscription]bool{}
	return hook.OnMethod(methodSubscribe+"|"+methodUnsubscribe, func(c hook.Calling) *hook.Reply {
		uri, ok := c.Param("uri").(string)
		if c.Modern || !ok {
			return c.Next()
		}
		s, stands := subscription{c.Session.ID(), uri}, false
		mu.Lock()
		delete(held, s)
		for other := range held {
			stands = stands || other[0] == s[0]
		}
		if c.Method == methodSubscribe {
			held[s] = true
		}
		mu.Unlock()
		if c.Method == methodUnsubscribe && stands {
			return &hook.Reply{Result: hook.Object{}}
		}
		r := c.Next()
		if r == nil || r.Error != nil || !hook.Acts(c) {
			return r
		}
		list := c.With("uri", nil)
		list.Method = hook.MethodList
		for more := true; more; { // page by page
			page := c.Handle(list)
			if page == nil {
				return r
			}
			resources, _ := page.Result["resources"].([]any)
			for _, one := range resources {
				o, _ := one.(hook.Object)
				c.Handle(c.With("uri", o["uri"]))
			}
			var cursor any
			cursor, more = page.Result["nextCursor"]
			list = list.With("cursor", cursor)
		}
		return r
	})
}
