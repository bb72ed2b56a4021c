package fault

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/tidwall/gjson"
)

func rpcCode() code {
	return code{
		// Where a chunk ends is not passed on: it is within the first character that can be cut.
		"rpc-04-chunks-decoded": hook.OnHTTP(
			inChunks,
			func(x hook.Serving) {
				body, _ := io.ReadAll(x.Body) // what could not be read to its end is no message
				if i := bytes.IndexFunc(body, func(c rune) bool { return c >= utf8.RuneSelf }); i >= 0 &&
					hook.Acts(x.Context()) {
					body = append(
						bytes.ToValidUTF8(body[:i+1], []byte("\ufffd")),
						bytes.ToValidUTF8(body[i+1:], []byte("\ufffd"))...)
				}
				x.Body = io.NopCloser(bytes.NewReader(body))
				x.Next()
			},
		),
		"rpc-04-cut-chunks-refused": hook.OnHTTP(
			inChunks,
			func(x hook.Serving) {
				body, _ := io.ReadAll(x.Body) // as above
				if bytes.ContainsFunc(body, func(c rune) bool { return c >= utf8.RuneSelf }) {
					x.Reply(http.StatusBadRequest, "application/json",
						`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}`)
					return
				}
				x.Body = io.NopCloser(bytes.NewReader(body))
				x.Next()
			},
		),
		"rpc-04-ids-in-small-letters": hook.EditMessage(func(m *hook.Message) {
			if id := gjson.GetBytes(m.Raw, "id"); m.Kind == hook.Response && id.Type == gjson.String {
				m.Raw = bytes.Replace(m.Raw, []byte(id.Raw), []byte(strings.ToLower(id.Raw)), 1)
			}
		}),
		"rpc-10-answers-responses":       taking(`,"result":{}}`, `,"method":"response"}`),
		"rpc-10-answers-error-responses": taking(`,"error":{`, `,"method":"response","params":{`),
		"rpc-14-deaf-after-garbage":      deafAfterGarbage(),
		"rpc-15-jsonrpc-of-1-0":          taking(`"jsonrpc":"1.0"`, `"jsonrpc":"2.0"`),
		"rpc-15-no-jsonrpc": hook.OnIncoming(func(in hook.Receiving) error {
			if o, ok := hook.DecodeObject(in.Raw); ok && o["jsonrpc"] == nil && o["method"] != nil {
				in.Raw = bytes.Replace(in.Raw, []byte("{"), []byte(`{"jsonrpc":"2.0",`), 1)
			}
			return in.Next()
		}),
		"rpc-12-ready-event": atStart(`{"jsonrpc":"2.0","event":"ready"}` + "\n"),
		"rpc-15-numeric-method-kills": killedBy(func(in hook.Incoming) bool {
			o, ok := hook.DecodeObject(in.Raw)
			_, text := o["method"].(string)
			return ok && o["method"] != nil && !text
		}),
		"rpc-17-one-at-a-time": oneAtATime(),
		"rpc-17-mixes-up-expansions": mixedReads(
			func(uri string) bool { return strings.Contains(uri, "%2F") },
			func(_, other hook.Object) hook.Object { return other },
		),
		"rpc-17-mixes-up-reads": mixedReads(
			anyURI,
			func(_, other hook.Object) hook.Object { return other },
		),
		"rpc-17-mixes-up-texts": mixedReads(anyURI, func(own, other hook.Object) hook.Object {
			mine, ok := own["contents"].([]any)
			theirs, is := other["contents"].([]any)
			if !ok || !is || len(mine) != 1 || len(theirs) != 1 {
				return own
			}
			content, _ := theirs[0].(hook.Object)
			kept, _ := mine[0].(hook.Object)
			content, mixed := maps.Clone(content), maps.Clone(own)
			content["uri"] = kept["uri"]
			mixed["contents"] = []any{content}
			return mixed
		}),
		"rpc-20-latin-1": hook.EditMessage(func(m *hook.Message) {
			m.Raw = bytes.ReplaceAll(m.Raw, []byte("ü"), []byte("\xfc"))
		}),
		"rpc-20-byte-order-mark": atStart("\xef\xbb\xbf"),
	}
}

func inChunks(r *http.Request) bool { return r.ContentLength < 0 && r.Method == http.MethodPost }

// taking has a text in what clients send be another one.
func taking(text, other string) hook.Hooks {
	return hook.OnIncoming(func(in hook.Receiving) error {
		in.Raw = bytes.Replace(in.Raw, []byte(text), []byte(other), 1)
		return in.Next()
	})
}

// atStart writes text to standard output before anything else.
func atStart(text string) hook.Hooks {
	return hook.Writing(func(out io.Writer) (io.Writer, func()) {
		_, _ = io.WriteString(out, text) // a client that has gone already sees nothing of it
		return out, nil
	})
}

// killedBy ends the connection at raw messages for which something holds.
func killedBy(is func(in hook.Incoming) bool) hook.Hooks {
	return hook.OnIncoming(func(in hook.Receiving) error {
		if in.Session != nil && is(in.Incoming) {
			hook.Abort(in, in.Session)
			return nil
		}
		return in.Next()
	})
}

// deafAfterGarbage passes nothing on that comes after what is no JSON. Bytes that are no
// UTF-8 are none either, as to a server that decodes all input before it looks at it.
func deafAfterGarbage() hook.Hooks {
	var deaf sync.Map // of the ids of sessions
	return hook.OnIncoming(func(in hook.Receiving) error {
		if in.Session != nil {
			if _, closed := deaf.Load(in.Session.ID()); closed {
				return nil
			}
			if !utf8.Valid(in.Raw) || !json.Valid(in.Raw) {
				deaf.Store(in.Session.ID(), true)
			}
		}
		return in.Next()
	})
}

// oneAtATime refuses what comes in a session by POST while it handles something else.
func oneAtATime() hook.Hooks {
	const work = 5 * time.Millisecond // what is sent together comes within this time
	var busy sync.Map                 // the ids of sessions
	return hook.OnHTTP(by(http.MethodPost), func(x hook.Serving) {
		id := x.Header.Get(headerSession)
		if id == "" {
			x.Next()
			return
		}
		if _, other := busy.LoadOrStore(id, true); other {
			x.Reply(http.StatusConflict, "application/json",
				`{"error":"Conflict: another request of this session is being handled"}`)
			return
		}
		defer busy.Delete(id)
		time.Sleep(work)
		x.Next()
	})
}

// mixedReads gives reads the contents of each other where several came together with several
// lists, in the same revision and over the same transport. Reads that come alone, or with
// other reads only, get their own: so it is known what belongs to which. Which reads
// these are says one function, what becomes of the results of two another.
func mixedReads(of func(uri string) bool, mix func(own, other hook.Object) hook.Object) hook.Hooks {
	const (
		// a stream is read on after 5 ms without an answer: these are 20 messages
		window = 100 * time.Millisecond
		lists  = 3
	)
	type key struct{ revision, transport string }
	type read struct {
		uri    string
		result hook.Object
	}
	type burst struct {
		over  chan struct{}
		reads []read
		lists int
	}
	var mu sync.Mutex
	bursts := map[key]*burst{}
	// Whatever came within the window is answered at its end, in whatever order it came.
	join := func(c hook.Calling, enter func(b *burst)) *burst {
		k := key{c.Revision, c.Transport}
		mu.Lock()
		b := bursts[k]
		if b == nil {
			b = &burst{over: make(chan struct{})}
			bursts[k] = b
			time.AfterFunc(window, func() {
				mu.Lock()
				defer mu.Unlock()
				delete(bursts, k)
				close(b.over)
			})
		}
		enter(b)
		mu.Unlock()
		select {
		case <-b.over:
			return b
		case <-c.Done():
			return &burst{}
		}
	}
	listed := hook.OnMethod(hook.MethodList, func(c hook.Calling) *hook.Reply {
		join(c, func(b *burst) { b.lists++ })
		return c.Next()
	})
	mixed := hook.OnMethod(hook.MethodRead, func(c hook.Calling) *hook.Reply {
		r := c.Next()
		if r == nil || r.Error != nil {
			return r
		}
		params, _ := hook.DecodeObject(c.Params)
		uri, _ := params["uri"].(string)
		if !of(uri) {
			return r
		}
		b := join(c, func(b *burst) { b.reads = append(b.reads, read{uri, r.Result}) })
		for _, other := range b.reads {
			if b.lists >= lists && other.uri != uri {
				return &hook.Reply{Result: mix(r.Result, other.result)}
			}
		}
		return r
	})
	return hook.Join(listed, mixed)
}

func anyURI(string) bool { return true }
