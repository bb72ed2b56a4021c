package fault

import (
	"bytes"
	"net/http"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// streaming makes every answer an event stream.
var streaming = hook.Hooks{EventStreams: hook.Always}

// broadcasting copies messages with a certain member that are written to one event stream of a session, of
// those that are opened by some requests, to all others.
func broadcasting(opens func(*http.Request) bool, member string) hook.Hooks {
	all := &audience{listeners: map[*listener]bool{}, member: []byte(`"` + member + `":`)}
	return hook.OnHTTP(nil, func(x hook.Serving) {
		if !opens(x.Request) || x.Header.Get(lastEventID) != "" {
			x.Next()
			return
		}
		l := &listener{ResponseWriter: x.W, audience: all, session: x.Header.Get(headerSession)}
		all.set(l, true)
		defer all.set(l, false)
		x.Serve(l, x.Request)
	})
}

// starved serves so many requests of a kind at a time, streams among them, as a pool of threads does; the
// others wait.
func starved(most int, kind func(*http.Request) string) hook.Hooks {
	var pools sync.Map // of chan bool
	return hook.OnHTTP(nil, func(x hook.Serving) {
		pool, _ := pools.LoadOrStore(kind(x.Request), make(chan bool, most))
		select {
		case pool.(chan bool) <- true:
			defer func() { <-pool.(chan bool) }()
			x.Next()
		case <-x.Context().Done():
		}
	})
}

// audience is all event streams, and whether they are open.
type audience struct {
	mu        sync.Mutex
	listeners map[*listener]bool
	member    []byte
}

func (a *audience) set(l *listener, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners[l] = open; !open {
		delete(a.listeners, l)
	}
}

// listener is the response to one request.
type listener struct {
	http.ResponseWriter
	audience *audience
	session  string
	streams  bool // it is an event stream, and has begun
}

// WriteHeader begins the response.
func (l *listener) WriteHeader(status int) {
	l.audience.mu.Lock()
	defer l.audience.mu.Unlock()
	l.streams = l.Header().Get("Content-Type") == "text/event-stream"
	l.ResponseWriter.WriteHeader(status)
}

// Write writes to all streams of the session.
func (l *listener) Write(p []byte) (int, error) {
	l.audience.mu.Lock()
	defer l.audience.mu.Unlock()
	for other := range l.audience.listeners {
		if other != l && l.streams && other.streams && other.session == l.session &&
			bytes.Contains(p, l.audience.member) {
			if _, err := other.ResponseWriter.Write(p); err == nil {
				_ = http.NewResponseController(
					other.ResponseWriter,
				).Flush() // a writer that cannot flush sends by itself
			}
		}
	}
	return l.ResponseWriter.Write(p)
}

// Flush sends what is buffered.
func (l *listener) Flush() {
	l.audience.mu.Lock()
	defer l.audience.mu.Unlock()
	_ = http.NewResponseController(l.ResponseWriter).Flush() // as above
}
