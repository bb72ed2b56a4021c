package fault

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// streaming makes every answer an event stream.
var streaming = hook.Hooks{EventStreams: true}

// The faults of Streamable HTTP, event streams.
func init() {
	Register(
		Fault{
			Name: "http-08-no-response", Requirement: "HTTP-08", Needs: overHTTP,
			Summary: "the event streams of lists end without the response",
			Hooks: hook.Join(streaming, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Response && listing(e.Data) {
					return nil
				}
				return next(ctx, e)
			})),
		},
		Fault{
			Name: "http-09-stays-open", Requirement: "HTTP-09", Needs: overHTTP,
			Summary: "event streams stay open after the response",
			Hooks: hook.Join(streaming, hook.OnHTTP(by(http.MethodPost), func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				next.ServeHTTP(w, r)
				if w.Header().Get("Content-Type") == "text/event-stream" {
					<-r.Context().Done()
				}
			})),
		},
		Fault{
			Name: "http-10-list-changed", Requirement: "HTTP-10", Needs: overHTTP,
			Summary: "list_changed comes on the event stream of a read",
			Hooks: hook.Join(streaming, hook.Tee(func(m hook.Message) bool {
				return m.Transport == hook.HTTP && m.Kind == hook.Response && m.Call != nil && m.Call.Method == hook.MethodRead
			}, func(hook.Message) [][]byte {
				return [][]byte{hook.NewNotification(hook.NotificationListChanged, nil).Raw}
			}, nil)),
		},
		Fault{
			Name: "http-11-answers-on-get", Requirement: "HTTP-11", Needs: overHTTP,
			Summary: "answers come on the stream of GET as well",
			Hooks: hook.OnResponse(hook.MethodTemplates, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				if m.Transport == hook.HTTP && m.Peer != nil {
					if err := m.Peer.Send(ctx, m.Raw); err != nil {
						return err
					}
				}
				return next(ctx, m)
			}),
		},
		Fault{
			Name: "http-12-broadcast", Requirement: "HTTP-12",
			Needs:   Needs{Transports: []string{hook.HTTP}, Trigger: true},
			Summary: "what is sent on one stream of GET is sent on all",
			Make:    broadcasting,
		},
		Fault{
			Name: "http-31-buffered", Requirement: "HTTP-31", Needs: modernHTTP,
			Summary: "event streams lack X-Accel-Buffering",
			Hooks: hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
				h.Del("X-Accel-Buffering")
				return status
			}),
		},
		Fault{
			Name: "http-35-answer-refused", Requirement: "HTTP-35", Needs: overHTTP,
			Summary: "the client's answer to a ping is refused",
			Hooks: hook.Join(streaming, pinging(), refuse(func(r *http.Request) bool {
				o := posted(r)
				_, method := o["method"]
				return o != nil && !method
			}, http.StatusBadRequest)),
		},
		Fault{
			Name: "http-40-progress-on-get", Requirement: "HTTP-40", Needs: overHTTP,
			Summary: "progress comes on the stream of GET",
			Hooks: hook.Join(streaming, hook.OnNotification(hook.NotificationProgress, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				if m.Transport != hook.HTTP || hook.Modern(m.Revision) {
					return next(ctx, m)
				}
				return m.Peer.Send(ctx, m.Raw)
			})),
		},
	)
}

func listing(data []byte) bool { return bytes.Contains(data, []byte(`"resources":[`)) }

// pinging asks the client for a sign of life before each list is answered, in
// legacy revisions over Streamable HTTP.
func pinging() hook.Hooks {
	return hook.Tee(func(m hook.Message) bool {
		return m.Transport == hook.HTTP && m.Kind == hook.Response && m.Call != nil && m.Call.Method == hook.MethodList && !hook.Modern(m.Revision)
	}, func(hook.Message) [][]byte {
		return [][]byte{[]byte(`{"jsonrpc":"2.0","id":"server-1","method":"ping"}`)}
	}, nil)
}

// broadcasting copies what is written to the response of one GET to those of all
// other GETs of the same session.
func broadcasting(*rand.Rand) hook.Hooks {
	all := &audience{}
	return hook.OnHTTP(func(r *http.Request) bool { return by(http.MethodGet)(r) && r.Header.Get(lastEventID) == "" },
		func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			l := &listener{ResponseWriter: w, audience: all, session: r.Header.Get(headerSession)}
			all.join(l)
			defer all.leave(l)
			next.ServeHTTP(l, r)
		})
}

// audience is all open GET streams.
type audience struct {
	mu        sync.Mutex
	listeners map[*listener]bool
}

func (a *audience) join(l *listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.listeners == nil {
		a.listeners = map[*listener]bool{}
	}
	a.listeners[l] = true
}

func (a *audience) leave(l *listener) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.listeners, l)
}

// listener is the response to one GET.
type listener struct {
	http.ResponseWriter
	audience *audience
	session  string
}

// Write writes to all streams of the session.
func (l *listener) Write(p []byte) (int, error) {
	l.audience.mu.Lock()
	defer l.audience.mu.Unlock()
	for other := range l.audience.listeners {
		if other != l && other.session == l.session && strings.Contains(string(p), `"method"`) {
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
