package record

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

type entryKey struct{}

// entryOf is the entry of the request that a response belongs to.
func entryOf(ctx context.Context) *journal.Entry {
	e, _ := ctx.Value(entryKey{}).(*journal.Entry)
	return e
}

// adopt says that a session has another name from now on: the handshake has given it one.
func (r *Recorder) adopt(was, is string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, q := range r.open {
		if len(k) > len(was) && k[:len(was)+1] == was+"\x00" {
			delete(r.open, k)
			r.open[is+k[len(was):]] = q
		}
	}
}

// learn remembers the endpoint that an event stream of HTTP+SSE has named.
func (r *Recorder) learn(path, session string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.endpoints) < maxOpen {
		r.endpoints[path] = session
	}
	return session
}

// endpoint is the session whose endpoint a path is; empty if it is none.
func (r *Recorder) endpoint(path string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.endpoints[path]
}

// idKey is an id under which requests and answers are found, however it is spelt.
func idKey(id []byte) string {
	switch v := gjson.ParseBytes(id); {
	case v.Type == gjson.String:
		plain, err := json.Marshal(v.String())
		if err != nil {
			return v.Raw
		}
		return string(plain)
	case v.Type == gjson.Number && strings.ContainsAny(v.Raw, ".eE"):
		return strconv.FormatFloat(v.Num, 'f', -1, 64)
	default:
		return v.Raw
	}
}

// nameless reports whether a message is an error that does not say which request it answers.
func nameless(message []byte) bool {
	m := gjson.ParseBytes(message)
	return m.IsObject() && m.Get("error").Exists() && !m.Get("method").Exists() && m.Get("id").Type == gjson.Null
}
