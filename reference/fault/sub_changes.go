package fault

import (
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func subChangesCode() code {
	return code{
		// The updates of listen streams go to all stdio connections without a handshake.
		"sub-43-unasked": broadcast(func(m hook.Message, p hook.Session) bool {
			return m.Transport == hook.Stdio && m.Session.Revision() == "" && p.Transport() == hook.Stdio &&
				p.Revision() == ""
		}),
		"sub-43-inherited": inheritedUpdates(),
	}
}

// inheritance is which connections listen for which resources, and what those have
// inherited that came later.
type inheritance struct {
	mu        sync.Mutex
	listening map[string]map[string][]any // session, id of the listen request: URIs
	inherited map[string][]any            // session, once it has said something: URIs
}

// inheritedUpdates keeps the listen streams of stdio connections when these end: what
// connects afterwards gets their updates.
func inheritedUpdates() hook.Hooks {
	s := &inheritance{listening: map[string]map[string][]any{}, inherited: map[string][]any{}}
	return hook.Join(hook.EditCall("", s.note), broadcast(func(m hook.Message, p hook.Session) bool {
		update, _ := hook.DecodeObject(m.Raw)
		return s.heir(p.ID(), hook.ObjectAt(update, "params")["uri"])
	}))
}

// note follows what is listened for, and lets a connection that is heard for the first
// time inherit from those that are gone.
func (s *inheritance) note(c *hook.Call) {
	if c.Session == nil || c.Transport != hook.Stdio || !c.Modern && c.Method != methodCancelled {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	me := c.Session.ID()
	if _, known := s.inherited[me]; !known {
		s.inherited[me] = nil
		sessions := c.Session.Sessions()
		for dead, streams := range s.listening {
			if slices.ContainsFunc(sessions, func(p hook.Session) bool { return p.ID() == dead }) {
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

func (s *inheritance) heir(session string, uri any) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.inherited[session], uri)
}
