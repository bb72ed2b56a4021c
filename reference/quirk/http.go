package quirk

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
)

// The quirks of the HTTP transports.
func init() {
	over := Needs{Transports: []string{hook.HTTP}}
	Register(
		Quirk{
			Name: "off-grid-revisions", Permits: []string{"LIFE-03"},
			Summary: "a handshake settles on every served revision, whatever the transport",
			Needs:   Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Hooks:   hook.Hooks{OffGrid: true},
		},
		Quirk{
			Name: "no-session-ids", Permits: []string{"SESS-07"}, Needs: over,
			Summary: "no session ids are issued, and no changes are announced",
			Aspect:  "notifications",
			Overlay: offering(func(c *world.Capabilities) { c.Subscribe, c.ListChanged = false, false }),
			Make:    sessionless,
			Idles: join(withoutUpdates, withoutAnnouncements, withoutChanges, []string{
				"SESS-01", "SESS-02", "SESS-03", "SESS-04", "SESS-05", "SESS-08", "SESS-09"}),
		},
		Quirk{
			Name: "delete-refused", Permits: []string{"SESS-07"}, Needs: over,
			Summary: "clients cannot end sessions: DELETE is answered by 405",
			Hooks:   answering(func(r *http.Request) bool { return r.Method == http.MethodDelete }, http.StatusMethodNotAllowed, ""),
			Idles:   []string{"SESS-04", "SESS-08"},
		},
		Quirk{
			Name: "null-ids-about-sessions", Permits: []string{"HTTP-62"}, Needs: over,
			Summary: "errors about the session id have a null id",
			Hooks: hook.EditAnswer(func(_ *http.Request, body []byte, a *hook.Answer) {
				if (a.Status == http.StatusNotFound || a.Status == http.StatusBadRequest) && !bytes.Contains(body, []byte("io.modelcontextprotocol/")) {
					a.Body = hook.EditRaw(a.Body, func(o hook.Object) {
						// Another quirk gives other errors such a status, too.
						e, _ := o["error"].(hook.Object)
						if text, _ := e["message"].(string); strings.Contains(strings.ToLower(text), "session") {
							o["id"] = nil
						}
					})
				}
			}),
		},
		Quirk{
			Name: "no-replay", Permits: []string{"SSE-08"}, Needs: over, Aspect: "resumption",
			Summary: "streams cannot be resumed",
			Hooks:   answering(func(r *http.Request) bool { return r.Header.Get("Last-Event-ID") != "" && r.Method == http.MethodGet }, http.StatusMethodNotAllowed, ""),
			Idles:   []string{"CANC-06"},
		},
		Quirk{
			Name: "modern-event-ids", Permits: []string{"SSE-10"}, Needs: over,
			Summary: "events have ids and retry times in all revisions",
			Make:    numbered,
		},
		Quirk{
			Name: "headerless-is-legacy", Permits: []string{"HTTP-38"}, Needs: over,
			Summary: "a modern request without a version header is refused as a legacy one without a session",
			Hooks: answering(func(r *http.Request) bool {
				body, err := hook.PeekBody(r)
				return err == nil && r.Method == http.MethodPost && r.Header.Get(headerVersion) == "" && bytes.Contains(body, []byte("io.modelcontextprotocol/"))
			}, http.StatusBadRequest, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Bad request: no session"}}`),
		},
		Quirk{
			Name: "crlf-events", Permits: []string{"SSE-01"}, Needs: Needs{Transports: []string{hook.HTTP, hook.SSE}},
			Summary: "lines of event streams end with CR LF, and fields have no space after the colon",
			Hooks: hook.EditEvent(func(e *hook.Event) {
				var b bytes.Buffer
				for _, field := range [][2]string{{"event", e.Type}, {"id", e.ID}, {"data", string(e.Data)}} {
					if field[1] != "" {
						b.WriteString(field[0] + ":" + field[1] + "\r\n")
					}
				}
				e.Raw = append(b.Bytes(), "x-unknown:field\r\n\r\n"...)
			}),
		},
		Quirk{
			Name: "broken-streams", Permits: []string{"HTTP-08"}, Needs: over, Aspect: "resumption",
			Summary: "the streams that answer requests break off before the response, and can be resumed",
			Make:    breaking,
		},
	)
}

// answering answers requests with a status and a body.
func answering(match func(*http.Request) bool, status int, body string) hook.Hooks {
	return hook.OnHTTP(match, func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		if body != "" {
			w.Header().Set("Content-Type", "application/json")
		}
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body)) // a client that has gone needs no answer
	})
}

// sessionless keeps one session for each revision behind the scenes, in which all
// clients are served.
func sessionless(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	ids := map[string]string{} // by revision
	noDelete := answering(func(r *http.Request) bool { return r.Method == http.MethodDelete }, http.StatusMethodNotAllowed, "")
	return hook.Join(noDelete, hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
		id := a.Header.Get(headerSession)
		if id == "" {
			return
		}
		a.Header.Del(headerSession)
		answer, _ := hook.DecodeObject(a.Body)
		revision, _ := hook.ObjectAt(answer, "result")["protocolVersion"].(string)
		mu.Lock()
		defer mu.Unlock()
		if ids[revision] == "" {
			ids[revision] = id
		}
	}), hook.EditRequest(func(r *http.Request) {
		version := r.Header.Get(headerVersion)
		if version == "" {
			version = hook.R20250326
		}
		body, err := hook.PeekBody(r)
		first := err == nil && bytes.Contains(body, []byte(`"initialize"`))
		mu.Lock()
		defer mu.Unlock()
		switch id := ids[version]; {
		case hook.Modern(version) || first:
		case id != "":
			r.Header.Set(headerSession, id)
		case ids[hook.R20251125] != "":
			r.Header.Set(headerSession, ids[hook.R20251125]) // where the version is refused
		}
	}))
}

// numbered gives ids to events that have none.
func numbered(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	last := 0
	return hook.Join(hook.Hooks{EventStreams: true}, hook.EditEvent(func(e *hook.Event) {
		if e.Stream != "post" || e.ID != "" {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		last++
		e.ID, e.Retry = "event-"+strconv.Itoa(last), 3*time.Second
	}))
}

// breaking ends the stream of each request once before the response is sent, that
// of initialize excepted.
func breaking(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	broken := map[string]bool{}
	return hook.Join(hook.Hooks{EventStreams: true}, hook.OnEvent(func(ctx context.Context, e hook.Event, next hook.EventWriter) error {
		if e.ID == "" || !e.Response || e.Stream != "post" || bytes.Contains(e.Data, []byte(`"protocolVersion"`)) {
			return next(ctx, e)
		}
		mu.Lock()
		key := e.ID + string(e.Data)
		again := broken[key]
		broken[key] = true
		mu.Unlock()
		if again {
			return next(ctx, e)
		}
		// The id is that of the event before, so that this one is sent again.
		number, n, _ := bytes.Cut([]byte(e.ID), []byte("-"))
		at, err := strconv.Atoi(string(n))
		if err != nil {
			return next(ctx, e)
		}
		if err := next(ctx, hook.Event{ID: string(number) + "-" + strconv.Itoa(at-1), Retry: 20 * time.Millisecond, Data: []byte{}, Stream: e.Stream}); err != nil {
			return err
		}
		return io.ErrClosedPipe
	}))
}
