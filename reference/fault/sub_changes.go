package fault

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of listen streams (2026-07-28) while resources and the list change, and
// when the server ends them.
func init() {
	Register(
		Fault{
			Name: "sub-28-no-updates", Requirement: "SUB-28",
			Summary: "streams are acknowledged, but updates are dropped",
			Needs:   changing,
			Hooks:   hook.DropNotification(hook.NotificationUpdated),
		},
		Fault{
			Name: "sub-29-update-without-id", Requirement: "SUB-29",
			Summary: "updates do not name their subscription",
			Needs:   changing,
			Hooks: hook.EditNotification(hook.NotificationUpdated, func(n hook.Object) {
				delete(hook.ObjectAt(n, "params"), "_meta")
			}),
		},
		Fault{
			Name: "sub-29-list-changed-without-params", Requirement: "SUB-29",
			Summary: "list_changed comes without params on listen streams",
			Needs:   changing,
			Hooks:   hook.EditNotification(hook.NotificationListChanged, func(n hook.Object) { delete(n, "params") }),
		},
		Fault{
			Name: "sub-30-all-types", Requirement: "SUB-30",
			Summary: "who asks for updates gets list_changed as well",
			Needs:   changing,
			Hooks: widen(func(filter hook.Object) {
				if _, there := filter["resourcesListChanged"]; !there {
					filter["resourcesListChanged"] = true
				}
			}),
		},
		Fault{
			Name: "sub-31-all-resources", Requirement: "SUB-31",
			Summary: "who watches one resource gets the updates of all",
			Needs:   changing,
			Hooks: widen(func(filter hook.Object) {
				if uris, ok := filter["resourceSubscriptions"].([]any); ok {
					filter["resourceSubscriptions"] = slices.Concat(uris, allURIs)
				}
			}),
		},
		Fault{
			Name: "sub-32-last-takes-over", Requirement: "SUB-32",
			Summary: "updates bear the id of the latest listen request only",
			Needs:   changing,
			Make:    func(*rand.Rand) hook.Hooks { return lastTakesOver() },
		},
		Fault{
			Name: "sub-33-cancel-ignored", Requirement: "SUB-33",
			Summary: "cancelling a listen request does not end its stream",
			Needs:   changing,
			Hooks: hook.OnMethod(methodCancelled, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Peer.Revision() != "" {
					return next(ctx, c)
				}
				return nil
			}),
		},
		Fault{
			Name: "sub-34-ends-silently", Requirement: "SUB-34",
			Summary: "the server ends subscriptions without a word",
			Needs:   changing,
			Hooks:   hook.Join(dropListenResults(), hook.DropNotification(methodCancelled)),
		},
		Fault{
			Name: "sub-34-connection-cut", Requirement: "SUB-34",
			Summary: "the server ends subscriptions by cutting the connection",
			Needs:   Needs{Trigger: true, Transports: []string{hook.Stdio}},
			Hooks: hook.Join(hook.DropNotification(methodCancelled), hook.OnResponse(hook.MethodListen, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				if r, ok := hook.DecodeObject(m.Raw); ok && r["result"] != nil && m.Peer != nil {
					m.Peer.Abort()
					return nil
				}
				return next(ctx, m)
			})),
		},
		Fault{
			Name: "sub-35-result-without-meta", Requirement: "SUB-35",
			Summary: "the result that ends a subscription does not name it",
			Needs:   changing,
			Hooks: hook.EditEnvelope(hook.MethodListen, func(envelope hook.Object) {
				delete(hook.ObjectAt(envelope, "result"), "_meta")
			}),
		},
		Fault{
			Name: "sub-42-presence-is-enough", Requirement: "SUB-42",
			Summary: "resourcesListChanged asks for list_changed even if it is false",
			Needs:   changing,
			Hooks: hook.EditParams(hook.MethodListen, func(_ *hook.Call, params hook.Object) {
				if filter := hook.ObjectAt(params, "notifications"); filter["resourcesListChanged"] == false {
					filter["resourcesListChanged"] = true
				}
			}),
		},
		Fault{
			Name: "sub-43-unasked", Requirement: "SUB-43",
			Summary: "on stdio updates go to every connection, listening or not",
			Needs:   Needs{Trigger: true, Transports: []string{hook.Stdio}},
			Hooks:   unaskedUpdates(),
		},
		Fault{
			Name: "sub-43-inherited", Requirement: "SUB-43",
			Summary: "on stdio a new connection inherits the subscriptions of those that ended without giving them up",
			Needs:   Needs{Trigger: true, Transports: []string{hook.Stdio}},
			Make:    func(*rand.Rand) hook.Hooks { return inheritedUpdates() },
		},
	)
}

// asked is the member in which a widened filter keeps what was asked for.
const asked = "asked"

// widen reads more into the filters of listen requests than they say, and
// acknowledges what they say.
func widen(more func(filter hook.Object)) hook.Hooks {
	return hook.Join(
		hook.EditParams(hook.MethodListen, func(_ *hook.Call, params hook.Object) {
			filter := hook.ObjectAt(params, "notifications")
			if filter == nil {
				return
			}
			before := hook.Object{}
			for name, value := range filter {
				before[name] = value
			}
			more(filter)
			filter[asked] = before
		}),
		editAck(func(m hook.Message, params hook.Object) {
			if m.Call == nil {
				return
			}
			filter, _ := m.Call.Param("notifications").(hook.Object)
			before, ok := filter[asked].(hook.Object)
			if !ok {
				return
			}
			granted := hook.MakeObjectAt(params, "notifications")
			for name := range granted {
				switch {
				case before[name] == nil:
					delete(granted, name)
				case name == "resourceSubscriptions":
					granted[name] = before[name]
				}
			}
		}),
	)
}

// lastTakesOver gives every update the id of the latest listen request for
// resources.
func lastTakesOver() hook.Hooks {
	var mu sync.Mutex
	var last any
	return hook.Join(
		hook.EditCall(hook.MethodListen, func(c *hook.Call) {
			if filter, _ := c.Param("notifications").(hook.Object); filter["resourceSubscriptions"] != nil {
				mu.Lock()
				defer mu.Unlock()
				last = c.IDValue()
			}
		}),
		hook.EditNotification(hook.NotificationUpdated, func(n hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			if meta := hook.ObjectAt(n, "params", "_meta"); meta[subscriptionID] != nil {
				meta[subscriptionID] = last
			}
		}),
	)
}

// dropListenResults keeps the results of listen requests back.
func dropListenResults() hook.Hooks {
	return hook.OnResponse(hook.MethodListen, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if r, ok := hook.DecodeObject(m.Raw); ok && r["result"] != nil {
			return nil
		}
		return next(ctx, m)
	})
}

// unaskedUpdates sends the updates of listen streams to all stdio connections
// without a handshake.
func unaskedUpdates() hook.Hooks {
	return hook.OnNotification(hook.NotificationUpdated, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		if err := next(ctx, m); err != nil {
			return err
		}
		if m.Peer == nil || m.Transport != hook.Stdio || m.Peer.Revision() != "" {
			return nil
		}
		for _, p := range m.Peer.Peers() {
			if p.ID() != m.Peer.ID() && p.Transport() == hook.Stdio && p.Revision() == "" {
				// A connection that has just ended hears nothing.
				_ = p.Send(ctx, m.Raw)
			}
		}
		return nil
	})
}

// inheritance is which connections listen for which resources, and what those have
// inherited that came later.
type inheritance struct {
	mu        sync.Mutex
	listening map[string]map[string][]any // peer, id of the listen request: URIs
	inherited map[string][]any            // peer, once it has said something: URIs
}

// inheritedUpdates keeps the listen streams of stdio connections when these end: what
// connects afterwards gets their updates.
func inheritedUpdates() hook.Hooks {
	s := &inheritance{listening: map[string]map[string][]any{}, inherited: map[string][]any{}}
	return hook.Join(
		hook.EditCall("", s.note),
		hook.OnNotification(hook.NotificationUpdated, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
			if err := next(ctx, m); err != nil || m.Peer == nil {
				return err
			}
			update, _ := hook.DecodeObject(m.Raw)
			for _, p := range m.Peer.Peers() {
				if p.ID() != m.Peer.ID() && s.heir(p.ID(), hook.ObjectAt(update, "params")["uri"]) {
					_ = p.Send(ctx, m.Raw) // a connection that has just ended hears nothing
				}
			}
			return nil
		}),
	)
}

// note follows what is listened for, and lets a connection that is heard for the first
// time inherit from those that are gone.
func (s *inheritance) note(c *hook.Call) {
	if c.Peer == nil || c.Transport != hook.Stdio || !c.Modern && c.Method != methodCancelled {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	me := c.Peer.ID()
	if _, known := s.inherited[me]; !known {
		s.inherited[me] = nil
		peers := c.Peer.Peers()
		for dead, streams := range s.listening {
			if slices.ContainsFunc(peers, func(p hook.Peer) bool { return p.ID() == dead }) {
				continue
			}
			for _, uris := range streams {
				s.inherited[me] = append(s.inherited[me], uris...)
			}
		}
	}
	switch c.Method {
	case hook.MethodListen:
		filter, _ := c.Param("notifications").(hook.Object)
		uris, _ := filter["resourceSubscriptions"].([]any)
		if s.listening[me] == nil {
			s.listening[me] = map[string][]any{}
		}
		s.listening[me][string(c.ID)] = uris
	case methodCancelled:
		delete(s.listening[me], string(hook.Encode(c.Param("requestId"))))
	}
}

func (s *inheritance) heir(peer string, uri any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.inherited[peer], uri)
}
