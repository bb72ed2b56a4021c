package fault

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var sseCode = code{
	"sse-07-everything-replayed":      replaying(streaming, everyEvent),
	"sse-07-log-of-the-session":       loggingSessions,
	"sse-07-of-other-sessions":        replaying(streaming, ofStream),
	"sse-07-of-request-ids":           replaying(streaming, ofRequestID),
	"sse-07-of-unknown-events":        replaying(streaming, ofUnknown),
	"sse-07-reads-resumed-by-anybody": replaying(streamingReads, ofStream),
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

// streamingReads makes the answers to reads event streams, and spares those of a slow one the ids.
var streamingReads = hook.Join(hook.Hooks{EventStreams: func(t *hook.Trace) bool { return t != nil && t.Method == hook.MethodRead }},
	hook.OnEvent(nil, func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
		if t := hook.TraceOf(ctx); t != nil && t.URI == "test://slow" && hook.May(ctx) {
			e.ID = ""
		}
		return next(ctx, e)
	}))

// replaying keeps the latest events of all streams and lets a function say which of them whoever names one
// gets. Where it is not ok, nothing is wrong.
func replaying(streams hook.Hooks, pick func(kept []hook.Event, named string) (some []hook.Event, ok bool)) func() hook.Hooks {
	return func() hook.Hooks {
		const most = 1024
		var mu sync.Mutex
		var all []hook.Event
		return hook.Join(streams, hook.EditEvent(func(e *hook.Event) {
			mu.Lock()
			defer mu.Unlock()
			if e.ID != "" && e.Stream == "post" {
				all = append(all, *e)
				all = all[max(len(all)-most, 0):]
			}
		}), hook.OnHTTP(func(r *http.Request) bool { return r.Header.Get(lastEventID) != "" && r.Method == http.MethodGet },
			func(w http.ResponseWriter, r *http.Request, next http.Handler) {
				mu.Lock()
				some, ok := pick(slices.Clone(all), r.Header.Get(lastEventID))
				mu.Unlock()
				if !ok {
					next.ServeHTTP(w, r)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				for _, e := range some {
					_, _ = w.Write([]byte("id: " + e.ID + "\ndata: " + string(e.Data) + "\n\n")) // a client that has gone needs nothing
				}
			}))
	}
}

// loggingSessions gives all events that answer requests to who names one of a stream that GET opened.
func loggingSessions() hook.Hooks {
	var mu sync.Mutex
	listened := map[string]bool{}
	return hook.Join(hook.OnEvent(nil, func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
		mu.Lock()
		listened[e.ID] = listened[e.ID] || e.Stream == "get" && e.ID != ""
		mu.Unlock()
		return next(ctx, e)
	}), replaying(streaming, func(kept []hook.Event, named string) ([]hook.Event, bool) {
		mu.Lock()
		defer mu.Unlock()
		return kept, listened[named]
	})())
}

// lendingUpdates gives the events of a stream by GET to whoever names one, whichever session it belongs to.
func lendingUpdates() hook.Hooks {
	type sent struct {
		session string
		hook.Event
	}
	var mu sync.Mutex
	var all []sent
	return hook.Join(hook.OnEvent(nil, func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
		if t := hook.TraceOf(ctx); t != nil && e.Stream == "get" && e.ID != "" && len(e.Data) > 0 {
			mu.Lock()
			all = append(all, sent{t.Session, e})
			mu.Unlock()
		}
		return next(ctx, e)
	}), hook.OnHTTP(func(r *http.Request) bool { return r.Header.Get(lastEventID) != "" && r.Method == http.MethodGet },
		func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			mu.Lock()
			kept := slices.Clone(all)
			mu.Unlock()
			named, session := r.Header.Get(lastEventID), r.Header.Get(headerSession)
			i := slices.IndexFunc(kept, func(e sent) bool { return e.ID == named && e.session != session })
			if i < 0 || slices.ContainsFunc(kept, func(e sent) bool { return e.ID == named && e.session == session }) {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			w.WriteHeader(http.StatusOK)
			for _, e := range kept[i+1:] {
				if e.session == kept[i].session {
					_, _ = w.Write([]byte("id: " + e.ID + "\ndata: " + string(e.Data) + "\n\n")) // a client that has gone needs nothing
				}
			}
		}))
}

func everyEvent(kept []hook.Event, _ string) ([]hook.Event, bool) { return kept, true }

// ofUnknown is all there is, to who names an event that is not known.
func ofUnknown(kept []hook.Event, named string) ([]hook.Event, bool) {
	return kept, !slices.ContainsFunc(kept, func(e hook.Event) bool { return e.ID == named })
}

// ofStream is what came after an event on its stream, which the ids of its events begin with, if that has ended.
func ofStream(kept []hook.Event, named string) ([]hook.Event, bool) {
	stream := named[:strings.LastIndex(named, "-")+1]
	i := slices.IndexFunc(kept, func(e hook.Event) bool { return e.ID == named })
	if i < 0 {
		return nil, false
	}
	rest := slices.DeleteFunc(kept[i+1:], func(e hook.Event) bool { return !strings.HasPrefix(e.ID, stream) })
	return rest, kept[i].Response || slices.ContainsFunc(rest, func(e hook.Event) bool { return e.Response })
}

// ofRequestID is what came after a response under the same request id, in whatever session.
func ofRequestID(kept []hook.Event, named string) ([]hook.Event, bool) {
	i := slices.IndexFunc(kept, func(e hook.Event) bool { return e.ID == named && e.Response })
	if i < 0 {
		return nil, false
	}
	id := requestID(kept[i])
	some := slices.DeleteFunc(kept[i+1:], func(e hook.Event) bool { return !e.Response || requestID(e) != id })
	return some, len(some) > 0 && !slices.ContainsFunc(kept, func(e hook.Event) bool { return e.ID == named && !e.Response })
}

func requestID(e hook.Event) string {
	o, _ := hook.DecodeObject(e.Data)
	return string(hook.Encode(o["id"]))
}
