package fault

import (
	"net/http"
	"strconv"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var sessCode = code{
	"sess-02-counted":        counted,
	"sess-08-no-new-session": refusingToReopen,
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

// counted issues numbers as session ids.
func counted() hook.Hooks {
	var mu sync.Mutex
	var issued []string
	return renamed(func(id string) string {
		mu.Lock()
		defer mu.Unlock()
		issued = append(issued, id)
		return strconv.Itoa(len(issued))
	}, func(id string) string {
		mu.Lock()
		defer mu.Unlock()
		n, err := strconv.Atoi(id)
		if err != nil || n < 1 || n > len(issued) {
			return id
		}
		return issued[n-1]
	})
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
