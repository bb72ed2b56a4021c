package fault

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var sseCode = code{
	"sse-07-everything-replayed": replayingAll,
	"sse-23-url-encoded": stateless(hook.EditEvent(func(e *hook.Event) {
		if e.Stream == "sse" && bytes.Contains(e.Data, []byte(`"resourceTemplates"`)) {
			e.Data = []byte(url.QueryEscape(string(e.Data)))
		}
	})),
	"sse-25-broadcast": stateless(hook.OnResponse("", func(m hook.Message) bool {
		return m.Transport == hook.SSE && m.Session != nil && m.Call != nil && len(m.Call.ID) == 4
	}, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		for _, other := range m.Session.Sessions() {
			if other.Transport() == hook.SSE && other.ID() != m.Session.ID() {
				_ = other.Send(ctx, m.Raw) // it may have gone meanwhile
			}
		}
		return next(ctx, m)
	})),
}

// replayingAll keeps the events of all streams and sends them to whoever resumes
// one.
func replayingAll() hook.Hooks {
	const kept = 256
	var mu sync.Mutex
	var all []hook.Event
	return hook.Join(streaming, hook.EditEvent(func(e *hook.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.ID != "" && e.Stream == "post" && len(all) < kept {
			all = append(all, *e)
		}
	}), hook.OnHTTP(func(r *http.Request) bool { return r.Header.Get(lastEventID) != "" && r.Method == http.MethodGet },
		func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", "text/event-stream")
			mu.Lock()
			defer mu.Unlock()
			for _, e := range all {
				_, _ = w.Write([]byte("id: " + e.ID + "\ndata: " + string(e.Data) + "\n\n")) // a client that has gone needs nothing
			}
		}))
}
