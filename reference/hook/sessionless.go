package hook

import (
	"bytes"
	"cmp"
	"net/http"
	"sync"
)

const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
)

// Sessionless keeps one session for each revision behind the scenes, in which all
// clients are served.
func Sessionless() Hooks {
	var mu sync.Mutex
	ids := map[string]string{} // by revision
	noDelete := OnHTTP(
		func(r *http.Request) bool { return r.Method == http.MethodDelete },
		func(x Serving) {
			x.W.WriteHeader(http.StatusMethodNotAllowed)
		},
	)
	return Join(noDelete, EditAnswer(func(_ *http.Request, _ []byte, a *Answer) {
		id := a.Header.Get(headerSession)
		if id == "" {
			return
		}
		a.Header.Del(headerSession)
		answer, _ := DecodeObject(a.Body)
		revision, _ := ObjectAt(answer, "result")["protocolVersion"].(string)
		mu.Lock()
		defer mu.Unlock()
		if ids[revision] == "" {
			ids[revision] = id
		}
	}), EditRequest(func(r *http.Request) {
		version := cmp.Or(r.Header.Get(headerVersion), R20250326)
		body, err := PeekBody(r)
		first := err == nil && bytes.Contains(body, []byte(`"initialize"`))
		mu.Lock()
		defer mu.Unlock()
		switch id := ids[version]; {
		case Modern(version) || first:
		case id != "":
			r.Header.Set(headerSession, id)
		case ids[R20251125] != "":
			r.Header.Set(headerSession, ids[R20251125]) // where the version is refused
		}
	}))
}
