package quirk

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func httpCode() code {
	return code{
		"keep-alive-comments":      preceded(": still here\n\n"),
		"foreign-events":           preceded("event: ping\ndata: 2026-07-28 12:00:00\n\n"),
		"priming-in-all-revisions": priming(),
		"one-session-at-a-time":    hook.OnMethod("initialize", onlySession),
		"off-grid-revisions":       hook.Hooks{OffGrid: hook.Always},
		"no-session-ids":           hook.Sessionless(),
		"version-header-demanded":  hook.Sessionless(),
		"modern-event-ids":         numbered(),
		"broken-streams":           breaking(),
		"passing-streams":          hook.OnEvent(passing),
	}
}

// priming writes an event with an id alone before that which answers a POST.
func priming() hook.Hooks {
	var n atomic.Int64
	return hook.OnEvent(func(e hook.Streaming) error {
		if e.Stream == "post" && e.Response && len(e.Data) > 0 {
			raw := fmt.Appendf(nil, "id: primed-%d\ndata: \n\n", n.Add(1))
			if err := e.Write(hook.Event{Stream: e.Stream, Raw: raw}); err != nil {
				return err
			}
		}
		return e.Next()
	})
}

// passing ends a stream that was opened by GET behind each message, and says how soon to come back for more.
// Before 2025-11-25 no id says where to go on.
func passing(e hook.Streaming) error {
	if e.Stream != "get" || len(e.Data) == 0 {
		return e.Next()
	}
	e.Retry = 20 * time.Millisecond
	if t := hook.TraceOf(e); t == nil || t.Header.Get("Mcp-Protocol-Version") != hook.R20251125 {
		e.ID = ""
	}
	if err := e.Next(); err != nil {
		return err
	}
	return io.ErrClosedPipe
}

// onlySession ends all other sessions when one begins.
func onlySession(c hook.Calling) *hook.Reply {
	r := c.Next()
	if c.Transport != hook.HTTP || r == nil || r.Error != nil {
		return r
	}
	others := slices.DeleteFunc(c.Session.Sessions(), func(s hook.Session) bool {
		return s.ID() == c.Session.ID() || s.Transport() != hook.HTTP || hook.Modern(s.Revision())
	})
	for _, s := range others {
		hook.Abort(c, s)
	}
	return r
}

// preceded writes something before each event.
func preceded(raw string) hook.Hooks {
	return hook.OnEvent(func(e hook.Streaming) error {
		if err := e.Write(hook.Event{Raw: []byte(raw), Stream: e.Stream}); err != nil {
			return err
		}
		return e.Next()
	})
}

// numbered gives ids to events that have none.
func numbered() hook.Hooks {
	var mu sync.Mutex
	last := 0
	return hook.EditEvent(func(e *hook.Event) {
		if e.Stream != "post" || e.ID != "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		last++
		e.ID, e.Retry = "event-"+strconv.Itoa(last), 3*time.Second
	})
}

// breaking ends the stream of each request once before the response is sent, that
// of initialize excepted.
func breaking() hook.Hooks {
	var broken sync.Map
	return hook.OnEvent(func(e hook.Streaming) error {
		if e.ID == "" || !e.Response || e.Stream != "post" ||
			bytes.Contains(e.Data, []byte(`"protocolVersion"`)) {
			return e.Next()
		}
		if _, again := broken.LoadOrStore(e.ID+string(e.Data), true); again {
			return e.Next()
		}
		// The id is that of the event before, so that this one is sent again.
		number, n, _ := bytes.Cut([]byte(e.ID), []byte("-"))
		at, err := strconv.Atoi(string(n))
		if err != nil {
			return e.Next()
		}
		if err := e.Write(hook.Event{ID: string(number) + "-" + strconv.Itoa(at-1),
			Retry: 20 * time.Millisecond, Data: []byte{}, Stream: e.Stream}); err != nil {
			return err
		}
		return io.ErrClosedPipe
	})
}
