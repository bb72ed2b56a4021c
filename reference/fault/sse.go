package fault

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func sseCode() code {
	return code{
		"sse-07-everything-replayed":      replaying(streaming, "post", everyEvent),
		"sse-07-log-of-the-session":       loggingSessions(),
		"sse-07-of-other-sessions":        replaying(streaming, "post", ofStream),
		"sse-07-of-request-ids":           replaying(streaming, "post", ofRequestID),
		"sse-07-of-unknown-events":        replaying(streaming, "post", ofUnknown),
		"sse-07-reads-resumed-by-anybody": replaying(streamingReads, "post", ofStream),
		"sse-23-url-encoded": hook.EditEvent(func(e *hook.Event) {
			if e.Stream == "sse" && bytes.Contains(e.Data, []byte(`"resourceTemplates"`)) {
				e.Data = []byte(url.QueryEscape(string(e.Data)))
			}
		}),
		"sse-25-broadcast": hook.OnResponse("", func(m hook.Sending) error {
			if m.Transport != hook.SSE || m.Session == nil || m.Call == nil || len(m.Call.ID) != 4 {
				return m.Next()
			}
			for _, other := range m.Session.Sessions() {
				if other.Transport() == hook.SSE && other.ID() != m.Session.ID() {
					hook.Send(m, other, m.Raw)
				}
			}
			return m.Next()
		}),
	}
}

// streamingReads makes the answers to reads event streams, and spares those of a slow one the ids.
var streamingReads = hook.Join(
	hook.Hooks{EventStreams: func(t *hook.Trace) bool { return t != nil && t.Method == hook.MethodRead }},
	hook.OnEvent(func(e hook.Streaming) error {
		if t := hook.TraceOf(e); t != nil && t.URI == "test://slow" {
			e.ID = ""
		}
		return e.Next()
	}),
)

// sent is an event that was sent, and in which session.
type sent struct {
	session string
	hook.Event
}

// replaying keeps the latest events of all streams of one kind and lets a function say which of them whoever
// names one in a session gets. Where it is not ok, nothing is wrong.
func replaying(
	streams hook.Hooks,
	kind string,
	pick func(kept []sent, named, session string) (some []sent, ok bool),
) hook.Hooks {
	const most = 1024
	var mu sync.Mutex
	var all []sent
	return hook.Join(streams, hook.OnEvent(func(e hook.Streaming) error {
		if t := hook.TraceOf(e); t != nil && e.ID != "" && e.Stream == kind && len(e.Data) > 0 {
			mu.Lock()
			all = append(all, sent{t.Session, e.Event})
			all = all[max(len(all)-most, 0):]
			mu.Unlock()
		}
		return e.Next()
	}), hook.OnHTTP(func(r *http.Request) bool {
		return r.Header.Get(lastEventID) != "" && r.Method == http.MethodGet
	},
		func(x hook.Serving) {
			mu.Lock()
			some, ok := pick(slices.Clone(all), x.Header.Get(lastEventID), x.Header.Get(headerSession))
			mu.Unlock()
			if !ok {
				x.Next()
				return
			}
			var events strings.Builder
			for _, e := range some {
				fmt.Fprintf(&events, "id: %s\ndata: %s\n\n", e.ID, e.Data)
			}
			x.Reply(http.StatusOK, "text/event-stream", events.String())
		}))
}

// loggingSessions gives all events that answer requests to who names one of a stream that GET opened.
func loggingSessions() hook.Hooks {
	var listened sync.Map
	return hook.Join(hook.OnEvent(func(e hook.Streaming) error {
		if e.Stream == "get" && e.ID != "" {
			listened.Store(e.ID, true)
		}
		return e.Next()
	}), replaying(streaming, "post", func(kept []sent, named, _ string) ([]sent, bool) {
		_, ok := listened.Load(named)
		return kept, ok
	}))
}

// lendingUpdates gives the events of a stream by GET to whoever names one, whichever session it belongs to.
func lendingUpdates(kept []sent, named, session string) ([]sent, bool) {
	i := slices.IndexFunc(kept, func(e sent) bool { return e.ID == named && e.session != session })
	if i < 0 ||
		slices.ContainsFunc(kept, func(e sent) bool { return e.ID == named && e.session == session }) {
		return nil, false
	}
	return slices.DeleteFunc(kept[i+1:], func(e sent) bool { return e.session != kept[i].session }), true
}

func everyEvent(kept []sent, _, _ string) ([]sent, bool) { return kept, true }

// ofUnknown is all there is, to who names an event that is not known.
func ofUnknown(kept []sent, named, _ string) ([]sent, bool) {
	return kept, !slices.ContainsFunc(kept, func(e sent) bool { return e.ID == named })
}

// ofStream is what came after an event on its stream, which the ids of its events begin with, if that has
// ended.
func ofStream(kept []sent, named, _ string) ([]sent, bool) {
	stream := named[:strings.LastIndex(named, "-")+1]
	i := slices.IndexFunc(kept, func(e sent) bool { return e.ID == named })
	if i < 0 {
		return nil, false
	}
	rest := slices.DeleteFunc(kept[i+1:], func(e sent) bool { return !strings.HasPrefix(e.ID, stream) })
	return rest, kept[i].Response || slices.ContainsFunc(rest, func(e sent) bool { return e.Response })
}

// ofRequestID is what came after a response under the same request id, in whatever session.
func ofRequestID(kept []sent, named, _ string) ([]sent, bool) {
	i := slices.IndexFunc(kept, func(e sent) bool { return e.ID == named && e.Response })
	if i < 0 {
		return nil, false
	}
	id := requestID(kept[i])
	some := slices.DeleteFunc(kept[i+1:], func(e sent) bool { return !e.Response || requestID(e) != id })
	return some, len(some) > 0 &&
		!slices.ContainsFunc(kept, func(e sent) bool { return e.ID == named && !e.Response })
}

func requestID(e sent) string {
	o, _ := hook.DecodeObject(e.Data)
	return string(hook.Encode(o["id"]))
}
