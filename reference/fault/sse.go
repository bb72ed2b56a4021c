package fault

import (
	"bytes"
	"context"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// overSSE is the condition of faults of HTTP+SSE.
var overSSE = Needs{Transports: []string{hook.SSE}, Revisions: []string{hook.R20241105}}

// The faults of event streams, and of HTTP+SSE.
func init() {
	Register(
		Fault{
			Name: "sse-01-no-data-field", Requirement: "SSE-01", Needs: overHTTP,
			Summary: "lists are written into event streams without a field name",
			Hooks: hook.Join(streaming, hook.EditEvent(func(e *hook.Event) {
				if e.Stream == "post" && listing(e.Data) {
					e.Raw = append(bytes.Clone(e.Data), "\n\n"...)
				}
			})),
		},
		Fault{
			Name: "sse-01-latin-1", Requirement: "SSE-01", Needs: overHTTP,
			Summary: "event streams are declared to be ISO-8859-1",
			Hooks: hook.Join(streaming, hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
				if h.Get("Content-Type") == "text/event-stream" {
					h.Set("Content-Type", "text/event-stream; charset=iso-8859-1")
				}
				return status
			})),
		},
		Fault{
			Name: "sse-02-two-messages", Requirement: "SSE-02", Needs: overHTTP,
			Summary: "the event with a list of templates holds two messages",
			Hooks: hook.Join(streaming, hook.EditEvent(func(e *hook.Event) {
				if bytes.Contains(e.Data, []byte(`"resourceTemplates"`)) {
					e.Data = bytes.Join([][]byte{e.Data, e.Data}, []byte("\n"))
				}
			})),
		},
		Fault{
			Name: "sse-04-no-priming", Requirement: "SSE-04",
			Needs:   Needs{Transports: []string{hook.HTTP}, Revisions: []string{hook.R20251125}},
			Summary: "streams that answer requests begin without a priming event",
			Hooks: hook.Join(streaming, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Stream == "post" && e.ID != "" && len(e.Data) == 0 {
					return nil
				}
				return next(ctx, e)
			})),
		},
		Fault{
			Name: "sse-06-counted-per-stream", Requirement: "SSE-06", Needs: overHTTP,
			Summary: "each stream counts its events from the beginning",
			Hooks: hook.Join(streaming, hook.EditEvent(func(e *hook.Event) {
				if _, n, ok := strings.Cut(e.ID, "-"); ok {
					e.ID = n
				}
			})),
		},
		Fault{
			Name: "sse-07-everything-replayed", Requirement: "SSE-07", Needs: overHTTP,
			Summary: "whoever resumes a stream gets the events of all streams",
			Make:    replayingAll,
		},
		Fault{
			Name: "sse-20-json", Requirement: "SSE-20", Needs: overSSE,
			Summary: "the event stream is declared application/json",
			Hooks: hook.EditHead(func(r *http.Request, status int, h http.Header) int {
				if r.URL.Path == "/sse" && status == http.StatusOK {
					h.Set("Content-Type", "application/json")
				}
				return status
			}),
		},
		Fault{
			Name: "sse-21-no-endpoint", Requirement: "SSE-21", Needs: overSSE,
			Summary: "there is no endpoint event",
			Hooks: hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
				if e.Type == "endpoint" {
					return nil
				}
				return next(ctx, e)
			}),
		},
		endpoint("sse-21-json-data", "the endpoint event holds an object", func(uri string) string { return `{"uri": "` + uri + `"}` }),
		endpoint("sse-21-other-host", "the endpoint event names another host", func(uri string) string { return "http://localhost" + uri }),
		Fault{
			Name: "sse-23-answer-in-body", Requirement: "SSE-23", Needs: overSSE,
			Summary: "a list of templates is answered in the response to the POST alone",
			Hooks: hook.Join(hook.OnResponse(hook.MethodTemplates, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				if m.Transport == hook.SSE {
					return nil
				}
				return next(ctx, m)
			}), hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
				if m := bodyObject(body); r.URL.Path == "/message" && m["method"] == hook.MethodTemplates {
					a.Status = http.StatusOK
					a.Body = hook.Encode(hook.Object{"jsonrpc": "2.0", "id": m["id"], "result": hook.Object{"resourceTemplates": []any{}}})
				}
			})),
		},
		Fault{
			Name: "sse-23-url-encoded", Requirement: "SSE-23", Needs: overSSE,
			Summary: "lists of templates are URL-encoded",
			Hooks: hook.EditEvent(func(e *hook.Event) {
				if e.Stream == "sse" && bytes.Contains(e.Data, []byte(`"resourceTemplates"`)) {
					e.Data = []byte(url.QueryEscape(string(e.Data)))
				}
			}),
		},
		Fault{
			Name: "sse-23-not-found", Requirement: "SSE-23", Needs: overSSE,
			Summary: "lists of templates are not found at the address of the endpoint event",
			Hooks: refuse(func(r *http.Request) bool {
				return r.URL.Path == "/message" && posted(r)["method"] == hook.MethodTemplates
			}, http.StatusNotFound),
		},
		Fault{
			Name: "sse-25-broadcast", Requirement: "SSE-25", Needs: overSSE,
			Summary: "answers to requests with ids of four digits go to all connections",
			Hooks: hook.OnResponse("", func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				if m.Transport != hook.SSE || m.Peer == nil || m.Call == nil || len(m.Call.ID) != 4 {
					return next(ctx, m)
				}
				for _, peer := range m.Peer.Peers() {
					if peer.Transport() == hook.SSE && peer.ID() != m.Peer.ID() {
						_ = peer.Send(ctx, m.Raw) // it may have gone meanwhile
					}
				}
				return next(ctx, m)
			}),
		},
	)
}

// endpoint makes a fault that changes the data of the endpoint event.
func endpoint(name, summary string, change func(uri string) string) Fault {
	return Fault{Name: name, Requirement: "SSE-21", Summary: summary, Needs: overSSE,
		Hooks: hook.EditEvent(func(e *hook.Event) {
			if e.Type == "endpoint" {
				e.Data = []byte(change(string(e.Data)))
			}
		})}
}

// replayingAll keeps the events of all streams and sends them to whoever resumes
// one.
func replayingAll(*rand.Rand) hook.Hooks {
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
