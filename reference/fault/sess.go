package fault

import (
	"cmp"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func sessCode() code {
	return code{
		"sess-02-alike": numbered(
			func(n int) string { return fmt.Sprintf("mcp-7f3a9c21e5-session-%04d", n) },
		),
		"sess-02-counted": numbered(strconv.Itoa),
		"sess-02-time": numbered(
			func(n int) string { return fmt.Sprintf("%016x", time.Now().UnixMicro()*1000+int64(n)) },
		),
		"sess-02-chosen-by-the-client": chosenByClient(),
		"sess-08-no-new-session":       refusingToReopen(),
	}
}

// renamed issues session ids under other names.
func renamed(out, in func(id string) string) hook.Hooks {
	return hook.Join(hook.EditRequest(func(r *http.Request) {
		if id := r.Header.Get(headerSession); id != "" {
			r.Header.Set(headerSession, in(id))
		}
	}), hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
		if id := h.Get(headerSession); id != "" {
			h.Set(headerSession, out(id))
		}
		return status
	}))
}

// numbered issues session ids that are made of their number.
func numbered(form func(n int) string) hook.Hooks {
	var mu sync.Mutex
	issued := map[string]string{} // the ids of the server, by those that it sends
	return renamed(func(id string) string {
		mu.Lock()
		defer mu.Unlock()
		name := form(len(issued) + 1)
		issued[name] = id
		return name
	}, func(name string) string {
		mu.Lock()
		defer mu.Unlock()
		return cmp.Or(issued[name], name)
	})
}

// chosenByClient has a session be called what the client says when it opens it.
func chosenByClient() hook.Hooks {
	var mu sync.Mutex
	named := map[string]string{} // the ids of the server, by those of the clients
	return hook.Join(hook.EditRequest(func(r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		id := r.Header.Get(headerSession)
		if body, err := hook.PeekBody(r); err == nil && id != "" &&
			gjson.GetBytes(body, "method").Str == "initialize" {
			hook.TraceOf(r.Context()).Once(requestKey{}, func() any { return id })
			r.Header.Del(headerSession)
		} else if named[id] != "" {
			r.Header.Set(headerSession, named[id])
		}
	}), hook.EditHead(func(r *http.Request, status int, h http.Header) int {
		if id, ok := hook.TraceOf(r.Context()).Once(requestKey{}, func() any { return nil }).(string); ok &&
			h.Get(headerSession) != "" {
			mu.Lock()
			defer mu.Unlock()
			named[id] = h.Get(headerSession)
			h.Set(headerSession, id)
		}
		return status
	}))
}

// refusingToReopen remembers the revisions of sessions that were asked for after
// their end, and refuses the next initialize in each.
func refusingToReopen() hook.Hooks {
	var mu sync.Mutex
	revisions := map[string]any{} // by session id
	refused := map[any]bool{}
	return hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
		mu.Lock()
		defer mu.Unlock()
		m, _ := hook.DecodeObject(body)
		id := r.Header.Get(headerSession)
		switch revision := hook.ObjectAt(m, "params")["protocolVersion"]; {
		case m["method"] == "initialize" && refused[revision]:
			delete(refused, revision)
			a.Status, a.Body = http.StatusInternalServerError, nil
		case m["method"] == "initialize":
			revisions[a.Header.Get(headerSession)] = revision
		case a.Status == http.StatusNotFound && revisions[id] != nil:
			refused[revisions[id]] = true
			delete(revisions, id) // once: later requests of the same session say nothing new
		}
	})
}
