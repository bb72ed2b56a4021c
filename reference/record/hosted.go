package record

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// maxQueued bounds the messages that wait for somebody to take them.
const maxQueued = 10_000

// hosted is one server with those who speak to it.
type hosted struct {
	sessions *Sessions
	id       string // of the session; empty for requests without any
	// requests that are at it, and used is when the last one began: under the lock of sessions
	claims   int
	used     int
	process  Process
	revision string
	ending   sync.Once
	dead     atomic.Bool

	writing sync.Mutex

	mu      sync.Mutex
	serial  int
	waiting []*waiter   // oldest first
	posts   []*response // that are open, oldest first
	unasked *response   // of the GET
	queue   [][]byte    // what was said unasked while nobody listened
}

// waiter is a request that has not been answered.
type waiter struct {
	response      *response
	key, tokenKey string // its id and progress token, as the server knows them
	id, token     string // and as the client gave them
}

// run takes what the server says until it ends.
func (t *hosted) run() {
	_ = pass(t.process.Out, io.Discard, t.deliver) // whatever the error: it says no more
	t.end("server")
}

// end ends the server, and all that waits for it.
func (t *hosted) end(reason string) {
	t.ending.Do(func() {
		t.sessions.forget(t)
		t.process.End()
		t.mu.Lock()
		t.dead.Store(true)
		for _, a := range append(t.posts, t.unasked) {
			if a != nil {
				a.done = true
				a.notify()
			}
		}
		t.mu.Unlock()
		t.sessions.recorder.journal.Note(&journal.Entry{Kind: journal.Closed, Transport: hook.HTTP,
			Session: t.id, Scope: journal.ScopeSession, Reason: reason}, nil)
	})
}

// write gives the server a message.
func (t *hosted) write(line []byte) {
	t.writing.Lock()
	defer t.writing.Unlock()
	_, _ = t.process.In.Write(append(line, '\n')) // that the server has gone is seen where it is read
}

// inward is a message of the client as the server is to get it: requests that belong to no session
// come from several clients, and get ids and progress tokens of our own. The requests in it are
// waited for.
func (t *hosted) inward(raw []byte, a *response) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &journal.Entry{}
	e.Classify(raw)
	for _, m := range members(e, raw) {
		if m.Kind != journal.Request {
			continue
		}
		token := gjson.GetBytes(m.Raw, pathToken).Raw
		w := &waiter{response: a, key: idKey(m.ID), tokenKey: idKey(token), id: string(m.ID), token: token}
		if t.id == "" {
			t.serial++
			w.key = strconv.Itoa(t.serial)
			raw = replace(replace(raw, "id", w.key), pathToken, w.key)
			if token != "" {
				w.tokenKey = w.key
			}
		}
		t.waiting = append(t.waiting, w)
		a.due++
	}
	return bytes.Clone(raw)
}

// deliver gives a message of the server to the response that it belongs to.
func (t *hosted) deliver(line []byte) {
	line = bytes.TrimSpace(bytes.Clone(line))
	var e journal.Entry
	e.Classify(line)
	t.mu.Lock()
	defer t.mu.Unlock()
	a, line := t.route(&e, line)
	note := &journal.Entry{Direction: journal.Out, Transport: hook.HTTP, Session: t.id, Revision: t.revision,
		Stream: "get"}
	if a != nil {
		note.Session, note.Connection, note.RequestSeq, note.Stream = a.entry.Session, a.entry.Connection,
			a.entry.Seq, a.stream
		note.Revision = cmp.Or(note.Revision, a.entry.Revision)
	}
	t.sessions.recorder.note(note, line)
	if version := gjson.GetBytes(line, "result.protocolVersion"); t.id != "" && note.Method == "initialize" &&
		version.Exists() {
		t.revision = version.String()
	}
	switch {
	case a != nil:
		a.queue = append(a.queue, line)
		a.done = a.done || a.stream == "post" && a.due <= 0
		a.notify()
	case t.id != "" && len(t.queue) < maxQueued:
		t.queue = append(t.queue, line)
	}
}

// route finds the response that a message belongs to, nil if there is none, and gives the message
// the ids that the client knows. The caller holds mu.
func (t *hosted) route(e *journal.Entry, line []byte) (*response, []byte) {
	switch e.Kind {
	case journal.Response:
		w := t.waiter(e.ID)
		if w == nil && nameless(line) {
			return t.refused(), line
		}
		if w == nil {
			return nil, line
		}
		if t.answered(w); t.id == "" {
			line = replace(replace(line, "id", w.id), pathResultSubscription, w.id)
		}
		return w.response, line
	case journal.Batch:
		var a *response
		errors := false
		for _, m := range members(e, line) {
			if w := t.waiter(m.ID); w != nil && m.Kind == journal.Response {
				a = w.response
				t.answered(w)
			}
			errors = errors || nameless(m.Raw)
		}
		if a == nil && errors {
			a = t.refused()
		}
		return a, line
	}
	if token := gjson.GetBytes(line, "params.progressToken"); token.Exists() {
		key := idKey(token.Raw)
		for _, w := range slices.Backward(t.waiting) {
			if w.tokenKey == key {
				return w.response, replace(line, "params.progressToken", w.token)
			}
		}
	}
	if id := gjson.GetBytes(line, pathSubscription); id.Exists() {
		if w := t.waiter([]byte(id.Raw)); w != nil {
			return w.response, replace(line, pathSubscription, w.id)
		}
	}
	if t.unasked != nil || t.id == "" {
		return t.unasked, line
	}
	if e.Kind == journal.Request && len(t.posts) > 0 {
		return t.posts[len(t.posts)-1], line // most likely it needs the answer to go on
	}
	return nil, line
}

// waiter finds the request with an id; of several the oldest that somebody waits for. The caller
// holds mu.
func (t *hosted) waiter(id []byte) (found *waiter) {
	key := idKey(id)
	for _, w := range t.waiting {
		if w.key == key && (found == nil || found.response.left && !w.response.left) {
			found = w
		}
	}
	return found
}

// refused finds the POST that an error which names no request answers: the oldest one, whose requests
// are answered with that. The caller holds mu.
func (t *hosted) refused() *response {
	for _, a := range t.posts {
		if a.due == 0 {
			continue
		}
		for _, w := range t.of(a) {
			t.answered(w)
		}
		return a
	}
	return nil
}

// of are the requests that wait for a response. The caller holds mu.
func (t *hosted) of(a *response) []*waiter {
	return slices.DeleteFunc(slices.Clone(t.waiting), func(w *waiter) bool { return w.response != a })
}

// answered takes note that a request has been answered. The caller holds mu.
func (t *hosted) answered(w *waiter) {
	t.waiting = slices.DeleteFunc(t.waiting, func(other *waiter) bool { return other == w })
	w.response.due--
}

// request sends the requests of a POST to the server, and answers it with what comes.
func (t *hosted) request(a *response, raw []byte) {
	a.of, a.begins = t, t.id != "" && a.entry.Header(headerSession) == ""
	line := t.inward(raw, a)
	t.mu.Lock()
	none := a.due == 0
	t.posts = append(t.posts, a)
	a.done = t.dead.Load()
	t.mu.Unlock()
	defer t.leave(a)
	t.write(line)
	if none {
		a.accept(http.StatusAccepted)
		return
	}
	err := a.serve()
	switch {
	case err != nil && t.id == "":
		t.cancel(a)
	case err != nil && a.begins:
		t.end("client") // nobody knows the session
	case a.refused:
		t.end("server") // there is no session
	}
}

// leave lets go of a response. What comes for it later is recorded, and goes nowhere.
func (t *hosted) leave(a *response) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a.left = true
	t.posts = slices.DeleteFunc(t.posts, func(other *response) bool { return other == a })
	if t.unasked == a {
		t.unasked = nil
		t.queue = append(a.queue, t.queue...) // for whoever comes next
	}
}

// cancel tells the server that nobody waits for some requests any more: without a session a client
// does so by leaving.
func (t *hosted) cancel(a *response) {
	t.mu.Lock()
	all := t.of(a)
	t.mu.Unlock()
	for _, w := range all {
		t.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + w.key +
			`,"reason":"the client has closed the stream"}}`))
	}
}

// listen opens the stream of what the server says unasked. It takes the place of one that is open:
// a client that has lost its connection may be back before that is seen here.
func (t *hosted) listen(a *response) {
	a.of = t
	t.mu.Lock()
	if old := t.unasked; old != nil {
		a.queue, old.queue, old.done = old.queue, nil, true
		old.notify()
	}
	t.unasked = a
	a.queue, t.queue = append(a.queue, t.queue...), nil
	a.done = t.dead.Load()
	t.mu.Unlock()
	defer t.leave(a)
	a.answer(http.StatusOK)
	a.open()
	_ = a.serve() // that the client has left is the ordinary end
}
