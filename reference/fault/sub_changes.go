package fault

import (
	"context"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var subChangesCode = code{
	"sub-43-unasked":   unaskedUpdates,
	"sub-43-inherited": inheritedUpdates,
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
