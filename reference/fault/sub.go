package fault

import (
	"context"
	"math/rand/v2"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"

	subscriptionID = "io.modelcontextprotocol/subscriptionId"
)

// changing is what a fault needs that shows only when something changes.
var changing = Needs{Trigger: true}

// Faults of subscriptions in the legacy revisions.
func init() {
	Register(
		Fault{
			Name: "sub-01-refuses-all", Requirement: "SUB-01",
			Summary: "every subscription is an internal error",
			Hooks:   legacyReply(methodSubscribe, func(*hook.Call) *hook.Reply { return hook.Fail(-32603, "Internal error") }),
		},
		Fault{
			Name: "sub-01-no-unsubscribe", Requirement: "SUB-01",
			Summary: "every unsubscription is an internal error",
			Hooks:   legacyReply(methodUnsubscribe, func(*hook.Call) *hook.Reply { return hook.Fail(-32603, "Internal error") }),
		},
		Fault{
			Name: "sub-01-result-true", Requirement: "SUB-01",
			Summary: "a subscription is confirmed with true instead of an object",
			Hooks: hook.EditEnvelope(methodSubscribe, func(envelope hook.Object) {
				if _, ok := envelope["result"]; ok {
					envelope["result"] = true
				}
			}),
		},
		Fault{
			Name: "sub-03-no-updates", Requirement: "SUB-03",
			Summary: "subscriptions are confirmed, but no update is ever sent",
			Needs:   changing,
			Hooks:   hook.DropNotification(hook.NotificationUpdated),
		},
		Fault{
			Name: "sub-03-second-subscribe-ends", Requirement: "SUB-03",
			Summary: "who subscribes a resource once more gets no updates any more",
			Needs:   changing,
			Make:    func(*rand.Rand) hook.Hooks { return secondEnds() },
		},
		Fault{
			Name: "sub-03-unsubscribe-ends-all", Requirement: "SUB-03",
			Summary: "who unsubscribes one resource loses all subscriptions of the session",
			Needs:   changing,
			Make:    func(*rand.Rand) hook.Hooks { return endsAll() },
		},
		Fault{
			Name: "sub-04-update-without-uri", Requirement: "SUB-04",
			Summary: "updates do not say which resource has changed",
			Needs:   changing,
			Hooks: hook.EditNotification(hook.NotificationUpdated, func(n hook.Object) {
				delete(hook.ObjectAt(n, "params"), "uri")
			}),
		},
		Fault{
			Name: "sub-06-broadcast", Requirement: "SUB-06",
			Summary: "updates go to every session, whether it has subscribed or not",
			Needs:   changing,
			Hooks:   broadcast(func(_ hook.Message, p hook.Peer) bool { return p.Revision() != "" }),
		},
		Fault{
			Name: "sub-07-unsubscribe-ignored", Requirement: "SUB-07",
			Summary: "resources/unsubscribe is confirmed, but the updates go on",
			Needs:   changing,
			Hooks: legacyReply(methodUnsubscribe, func(*hook.Call) *hook.Reply {
				return &hook.Reply{Result: hook.Object{}}
			}),
		},
		Fault{
			Name: "sub-09-all-resources", Requirement: "SUB-09",
			Summary: "one subscription brings the updates of all resources",
			Needs:   changing,
			Hooks:   subscribeAll(),
		},
		Fault{
			Name: "sub-10-other-sessions", Requirement: "SUB-10",
			Summary: "an update goes to the streams of all sessions on the transport",
			Needs:   changing,
			Hooks:   broadcast(func(m hook.Message, p hook.Peer) bool { return p.Revision() != "" && p.Transport() == m.Transport }),
		},
		Fault{
			Name: "sub-10-unsubscribed-for-all", Requirement: "SUB-10",
			Summary: "resources/unsubscribe ends the subscriptions of all sessions to the resource",
			Needs:   changing,
			Make:    func(*rand.Rand) hook.Hooks { return unsubscribedForAll() },
		},
		Fault{
			Name: "sub-11-no-uri-confirmed", Requirement: "SUB-11",
			Summary: "a subscription without a uri is confirmed",
			Hooks: hook.EditReply(methodSubscribe, func(c *hook.Call, r *hook.Reply) {
				if _, ok := c.Param("uri").(string); !ok && !c.Modern {
					*r = hook.Reply{Result: hook.Object{}}
				}
			}),
		},
	)
}

// legacyReply answers calls of sessions with a handshake without handling them.
func legacyReply(method string, reply func(c *hook.Call) *hook.Reply) hook.Hooks {
	return hook.OnMethod(method, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Modern {
			return next(ctx, c)
		}
		return reply(c)
	})
}

// muting drops the legacy updates of resources that are muted in a session, by
// session and URI. The function is told of subscriptions and of their end.
func muting(told func(muted map[[2]string]bool, c *hook.Call, uri string)) hook.Hooks {
	var mu sync.Mutex
	muted := map[[2]string]bool{}
	watch := hook.OnMethod(methodSubscribe+"|"+methodUnsubscribe, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if uri, ok := c.Param("uri").(string); ok && !c.Modern && r != nil && r.Error == nil {
			mu.Lock()
			defer mu.Unlock()
			told(muted, c, uri)
		}
		return r
	})
	return hook.Join(watch, hook.OnNotification(hook.NotificationUpdated, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		o, _ := hook.DecodeObject(m.Raw)
		uri, _ := hook.ObjectAt(o, "params")["uri"].(string)
		mu.Lock()
		quiet := m.Peer != nil && muted[[2]string{m.Peer.ID(), uri}]
		mu.Unlock()
		if quiet {
			return nil
		}
		return next(ctx, m)
	}))
}

// secondEnds takes a second subscription for the end of the first.
func secondEnds() hook.Hooks {
	first := map[[2]string]bool{}
	return muting(func(muted map[[2]string]bool, c *hook.Call, uri string) {
		key := [2]string{c.Peer.ID(), uri}
		muted[key] = c.Method == methodSubscribe && first[key]
		first[key] = c.Method == methodSubscribe
	})
}

// endsAll empties the set of a session where one URI is to be taken out of it.
func endsAll() hook.Hooks {
	held := map[[2]string]bool{}
	return muting(func(muted map[[2]string]bool, c *hook.Call, uri string) {
		key := [2]string{c.Peer.ID(), uri}
		if c.Method == methodSubscribe {
			held[key], muted[key] = true, false
			return
		}
		for other := range held {
			muted[other] = muted[other] || other[0] == key[0]
		}
	})
}

// unsubscribedForAll ends the subscriptions of everybody.
func unsubscribedForAll() hook.Hooks {
	return muting(func(muted map[[2]string]bool, c *hook.Call, uri string) {
		delete(muted, [2]string{c.Peer.ID(), uri})
		for _, p := range c.Peer.Peers() {
			if c.Method == methodUnsubscribe && p.ID() != c.Peer.ID() {
				muted[[2]string{p.ID(), uri}] = true
			}
		}
	})
}

// broadcast sends each legacy update to further sessions.
func broadcast(to func(m hook.Message, p hook.Peer) bool) hook.Hooks {
	return hook.OnNotification(hook.NotificationUpdated, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if err := next(ctx, m); err != nil {
			return err
		}
		if m.Peer == nil || hook.Modern(m.Revision) || m.Revision == "" {
			return nil
		}
		for _, p := range m.Peer.Peers() {
			if p.ID() != m.Peer.ID() && to(m, p) {
				// A session that has just ended hears nothing.
				_ = p.Send(ctx, m.Raw)
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
	return hook.OnMethod(methodSubscribe, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if r == nil || r.Error != nil {
			return r
		}
		for _, uri := range allURIs {
			more := *c
			more.Params = hook.Encode(hook.Object{"uri": uri})
			next(ctx, &more)
		}
		return r
	})
}
