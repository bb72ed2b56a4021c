package fault

import (
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The faults of sessions over Streamable HTTP.
func init() {
	Register(
		Fault{
			Name: "sess-01-space-in-id", Requirement: "SESS-01", Needs: overHTTP,
			Summary: "session ids have a space in them",
			Hooks:   renamed(func(id string) string { return "session " + id }, func(id string) string { return strings.TrimPrefix(id, "session ") }),
		},
		Fault{
			Name: "sess-02-counted", Requirement: "SESS-02", Needs: overHTTP,
			Summary: "session ids are numbers in sequence",
			Make:    counted,
		},
		Fault{
			Name: "sess-03-missing-id-500", Requirement: "SESS-03", Needs: overHTTP,
			Summary: "a missing session id is a server error",
			Hooks: hook.EditHead(func(r *http.Request, status int, _ http.Header) int {
				if status == http.StatusBadRequest && r.Header.Get(headerSession) == "" && !hook.Modern(r.Header.Get(headerVersion)) {
					return http.StatusInternalServerError
				}
				return status
			}),
		},
		Fault{
			Name: "sess-04-ended-400", Requirement: "SESS-04", Needs: overHTTP,
			Summary: "an ended session is answered by 400",
			Hooks:   hook.ReplaceStatus(http.StatusNotFound, http.StatusBadRequest),
		},
		Fault{
			Name: "sess-05-unknown-200", Requirement: "SESS-05", Needs: overHTTP,
			Summary: "an unknown session id gets an empty list",
			Hooks: hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
				if id, ok := bodyObject(body)["id"]; ok && a.Status == http.StatusNotFound && r.Header.Get(headerSession) != "" {
					a.Status = http.StatusOK
					a.Body = hook.Encode(hook.Object{"jsonrpc": "2.0", "id": id, "result": hook.Object{"resources": []any{}}})
				}
			}),
		},
		Fault{
			Name: "sess-08-no-new-session", Requirement: "SESS-08", Needs: overHTTP,
			Summary: "the first initialize after a session was found ended is refused",
			Make:    refusingToReopen,
		},
		Fault{
			Name: "sess-09-works-once", Requirement: "SESS-09", Needs: overHTTP,
			Summary: "a session id is accepted only once",
			Make:    acceptedOnce,
		},
		Fault{
			Name: "sess-09-last-version", Requirement: "SESS-09", Needs: overHTTP,
			Summary: "the version that was negotiated last applies to all sessions",
			Make:    lastVersion,
		},
	)
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
func counted(*rand.Rand) hook.Hooks {
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
func refusingToReopen(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	revisions := map[string]any{} // by session id
	refused := map[any]bool{}
	return hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
		mu.Lock()
		defer mu.Unlock()
		m := bodyObject(body)
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

// acceptedOnce lets every session id pass a single time.
func acceptedOnce(*rand.Rand) hook.Hooks {
	var used marks
	return refuse(func(r *http.Request) bool {
		id := r.Header.Get(headerSession)
		return id != "" && r.Method == http.MethodPost && used.add(id)
	}, http.StatusNotFound)
}

// lastVersion keeps one version for all sessions.
func lastVersion(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	var last string
	return refuse(func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		m := posted(r)
		if m["method"] == "initialize" {
			last, _ = hook.ObjectAt(m, "params")["protocolVersion"].(string)
		}
		version := r.Header.Get(headerVersion)
		return m["method"] == hook.MethodList && version != "" && version != last && !hook.Modern(version)
	}, http.StatusBadRequest)
}
