package fault

import (
	"net/http"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// streaming makes every answer an event stream.
var streaming = hook.Hooks{EventStreams: hook.Always}

// broadcasting copies what is written to the response of one GET to those of all
// other GETs of the same session.
func broadcasting() hook.Hooks {
	all := &audience{listeners: map[*listener]bool{}}
	return hook.OnHTTP(nil, func(w http.ResponseWriter, r *http.Request, next http.Handler) {
		if !by(http.MethodGet)(r) || r.Header.Get(lastEventID) != "" {
			next.ServeHTTP(w, r)
			return
		}
		l := &listener{ResponseWriter: w, audience: all, session: r.Header.Get(headerSession), may: func() bool { return hook.May(r.Context()) }}
		all.set(l, true)
		defer all.set(l, false)
		next.ServeHTTP(l, r)
	})
}

// audience is all GET streams, and whether they are open.
type audience struct {
	mu        sync.Mutex
	listeners map[*listener]bool
}

func (a *audience) set(l *listener, open bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners[l] = open; !open {
		delete(a.listeners, l)
	}
}

// listener is the response to one GET.
type listener struct {
	http.ResponseWriter
	audience *audience
	session  string
	may      func() bool
}

// Write writes to all streams of the session.
func (l *listener) Write(p []byte) (int, error) {
	l.audience.mu.Lock()
	defer l.audience.mu.Unlock()
	for other := range l.audience.listeners {
		if other != l && other.session == l.session && strings.Contains(string(p), `"method"`) && l.may() {
			if _, err := other.ResponseWriter.Write(p); err == nil {
				_ = http.NewResponseController(other.ResponseWriter).Flush() // a writer that cannot flush sends by itself
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
