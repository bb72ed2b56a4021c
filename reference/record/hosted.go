package record

import (
	"bytes"
	"cmp"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
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
	waiting map[string][]*waiter // by the id under which the server knows the request, oldest first
	tokens  map[string]*waiter   // by progress token, likewise
	posts   []*outlet            // that are open, oldest first
	unasked *outlet              // of the GET
	queue   [][]byte             // what was said unasked while nobody listened
}

// waiter is a request that has not been answered, with the id and the token that the client gave it.
type waiter struct {
	outlet    *outlet
	key       string // under which it waits
	id, token []byte
}

// outlet is an HTTP response that is under way.
type outlet struct {
	entry  *journal.Entry // of the request, which has been noted
	stream string
	due    int  // answers
	begins bool // it is that to the request which began the session
	left   bool // nobody reads it any more

	queue [][]byte
	done  bool
	wake  chan struct{}
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
		for _, o := range append(t.posts, t.unasked) {
			if o != nil {
				o.done = true
				o.notify()
			}
		}
		t.mu.Unlock()
		t.sessions.recorder.journal.Note(&journal.Entry{Kind: journal.Closed, Transport: hook.HTTP,
			Session: t.id, Scope: journal.ScopeSession, Reason: reason}, nil)
	})
}

func (o *outlet) notify() {
	select {
	case o.wake <- struct{}{}:
	default: // it has been woken
	}
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
func (t *hosted) inward(raw []byte, o *outlet) []byte {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := &journal.Entry{}
	e.Classify(raw)
	for _, m := range members(e, raw) {
		if m.Kind != journal.Request {
			continue
		}
		w := &waiter{outlet: o, id: m.ID}
		id, token := idKey(m.ID), gjson.GetBytes(m.Raw, `params._meta.progressToken`)
		w.token = []byte(token.Raw)
		if t.id == "" {
			t.serial++
			id = strconv.Itoa(t.serial)
			raw = replace(raw, "id", []byte(id))
			if token.Exists() {
				raw = replace(raw, `params._meta.progressToken`, []byte(id))
				t.tokens[id] = w
			}
		} else if token.Exists() {
			t.tokens[idKey([]byte(token.Raw))] = w
		}
		w.key = id
		t.waiting[id] = append(t.waiting[id], w)
		o.due++
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
	o, line := t.route(&e, line)
	note := &journal.Entry{Direction: journal.Out, Transport: hook.HTTP, Session: t.id, Revision: t.revision,
		Stream: "get"}
	if o != nil {
		note.Session, note.Connection, note.RequestSeq, note.Stream = o.entry.Session, o.entry.Connection,
			o.entry.Seq, o.stream
		note.Revision = cmp.Or(note.Revision, o.entry.Revision)
	}
	t.sessions.recorder.note(note, line)
	if version := gjson.GetBytes(line, "result.protocolVersion"); t.id != "" && note.Method == "initialize" &&
		version.Exists() {
		t.revision = version.String()
	}
	switch {
	case o != nil:
		o.queue = append(o.queue, line)
		o.done = o.done || o.stream == "post" && o.due <= 0
		o.notify()
	case t.id != "" && len(t.queue) < maxQueued:
		t.queue = append(t.queue, line)
	}
}

// route finds the response that a message belongs to, nil if there is none, and gives the message
// the ids that the client knows. The caller holds mu.
func (t *hosted) route(e *journal.Entry, line []byte) (*outlet, []byte) {
	switch e.Kind {
	case journal.Response:
		w := t.waiter(e.ID)
		if w == nil && nameless(line) {
			return t.refused(), line
		}
		if w == nil {
			return nil, line
		}
		return w.outlet, t.answered(w, line)
	case journal.Batch:
		var o *outlet
		errors := false
		for _, m := range members(e, line) {
			if w := t.waiter(m.ID); w != nil && m.Kind == journal.Response {
				o = w.outlet
				t.answered(w, nil)
			}
			errors = errors || nameless(m.Raw)
		}
		if o == nil && errors {
			o = t.refused()
		}
		return o, line
	}
	if token := gjson.GetBytes(line, "params.progressToken"); token.Exists() {
		if w := t.tokens[idKey([]byte(token.Raw))]; w != nil {
			return w.outlet, replace(line, "params.progressToken", w.token)
		}
	}
	if id := gjson.GetBytes(line, pathSubscription); id.Exists() {
		if w := t.waiter([]byte(id.Raw)); w != nil {
			return w.outlet, replace(line, pathSubscription, w.id)
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
func (t *hosted) waiter(id []byte) *waiter {
	all := t.waiting[idKey(id)]
	for _, w := range all {
		if !w.outlet.left {
			return w
		}
	}
	if len(all) > 0 {
		return all[0]
	}
	return nil
}

// refused finds the POST that an error which names no request answers: the oldest one, whose requests
// are answered with that. The caller holds mu.
func (t *hosted) refused() *outlet {
	for _, o := range t.posts {
		if o.due == 0 {
			continue
		}
		for _, all := range t.waiting {
			for _, w := range slices.Clone(all) {
				if w.outlet == o {
					t.answered(w, nil)
				}
			}
		}
		return o
	}
	return nil
}

// answered takes note that a request has been answered, and gives the answer the id of the client's.
func (t *hosted) answered(w *waiter, line []byte) []byte {
	if rest := slices.DeleteFunc(t.waiting[w.key], func(other *waiter) bool {
		return other == w
	}); len(rest) > 0 {
		t.waiting[w.key] = rest
	} else {
		delete(t.waiting, w.key)
	}
	maps.DeleteFunc(t.tokens, func(_ string, other *waiter) bool { return other == w })
	w.outlet.due--
	if t.id != "" || line == nil {
		return line
	}
	return replace(replace(line, "id", w.id), `result._meta.io\.modelcontextprotocol/subscriptionId`, w.id)
}

// request sends the requests of a POST to the server, and answers it with what comes.
func (t *hosted) request(w http.ResponseWriter, r *http.Request, e *journal.Entry, raw []byte) {
	o := &outlet{entry: e, stream: "post", begins: t.id != "" && e.Header(headerSession) == "",
		wake: make(chan struct{}, 1)}
	line := t.inward(raw, o)
	t.mu.Lock()
	none := o.due == 0
	t.posts = append(t.posts, o)
	o.done = t.dead.Load()
	t.mu.Unlock()
	defer t.leave(o)
	t.write(line)
	if none {
		t.sessions.accept(w, e)
		return
	}
	answer := &response{of: t, w: w, r: r, outlet: o}
	answer.streams = strings.Contains(r.Header.Get("Accept"), "text/event-stream")
	err := answer.serve()
	switch {
	case err != nil && t.id == "":
		t.cancel(o)
	case err != nil && o.begins:
		t.end("client") // nobody knows the session
	case answer.refused:
		t.end("server") // there is no session
	}
}

// leave lets go of an outlet. What comes for it later is recorded, and goes nowhere.
func (t *hosted) leave(o *outlet) {
	t.mu.Lock()
	defer t.mu.Unlock()
	o.left = true
	t.posts = slices.DeleteFunc(t.posts, func(other *outlet) bool { return other == o })
	if t.unasked == o {
		t.unasked = nil
		t.queue = append(o.queue, t.queue...) // for whoever comes next
	}
}

// cancel tells the server that nobody waits for some requests any more: without a session a client
// does so by leaving.
func (t *hosted) cancel(o *outlet) {
	t.mu.Lock()
	var ids []string
	for id, all := range t.waiting {
		if slices.ContainsFunc(all, func(w *waiter) bool { return w.outlet == o }) {
			ids = append(ids, id)
		}
	}
	t.mu.Unlock()
	for _, id := range ids {
		t.write([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id +
			`,"reason":"the client has closed the stream"}}`))
	}
}

// listen opens the stream of what the server says unasked. It takes the place of one that is open:
// a client that has lost its connection may be back before that is seen here.
func (t *hosted) listen(w http.ResponseWriter, r *http.Request, e *journal.Entry) {
	o := &outlet{entry: e, stream: "get", wake: make(chan struct{}, 1)}
	t.mu.Lock()
	var unread [][]byte
	if old := t.unasked; old != nil {
		unread, old.queue, old.done = old.queue, nil, true
		old.notify()
	}
	t.unasked = o
	o.queue, t.queue = append(unread, t.queue...), nil
	o.done = t.dead.Load()
	t.mu.Unlock()
	defer t.leave(o)
	t.sessions.answer(e, http.StatusOK)
	answer := &response{of: t, w: w, r: r, outlet: o, streams: true}
	answer.open()
	_ = answer.serve() // that the client has left is the ordinary end
}
