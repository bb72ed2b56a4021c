package operation

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// plan is operations made ready for one server, by the sort of message.
type plan struct {
	on map[string][]*action
	memory
	// swaps are the messages that wait for the next one, by action and connection.
	swaps sync.Map
}

// Hooks makes the operations for one server; they count its messages. The error names the
// first operation that cannot be done.
func Hooks(all []Operation, rng *rand.Rand) (hook.Hooks, error) {
	pl := &plan{on: map[string][]*action{}, memory: memory{rng: rng, per: map[string]string{}, values: map[[2]string][]any{}}}
	for i := range all {
		a, err := all[i].compile()
		if err != nil {
			return hook.Hooks{}, err
		}
		a.mem = &pl.memory
		pl.on[a.on()] = append(pl.on[a.on()], a)
		if a.Note != "" {
			pl.per[a.Note] = a.Per
		}
	}
	// What is about other methods passes as if there were no operations.
	var calls, answers, notifications, events hook.Hooks
	if all := slices.Concat(pl.on[OnRequest], pl.on[OnReply]); len(all) > 0 {
		calls = hook.OnCall(patternOf(all), nil, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			return pl.handle(next)(ctx, c)
		})
	}
	if all := pl.on[OnResponse]; len(all) > 0 {
		answers = hook.OnResponse(patternOf(all), nil, pl.emit)
	}
	if all := pl.on[OnNotification]; len(all) > 0 {
		notifications = hook.OnNotification(patternOf(all), nil, pl.emit)
	}
	if len(pl.on[OnEvent]) > 0 {
		events = hook.OnEvent(nil, pl.event)
	}
	h := hook.Join(calls, answers, notifications, events, pl.requests(), pl.answers())
	// Where nothing is done but to note, that is what counts.
	h.Late = h.Late && slices.ContainsFunc(all, func(o Operation) bool { return o.Note == "" })
	return h, nil
}

// patternOf is the pattern of all methods that actions are about; empty if one of them is
// about every method.
func patternOf(all []*action) string {
	var methods []string
	for _, a := range all {
		if a.methods == nil {
			return ""
		}
		methods = append(methods, a.methods...)
	}
	return strings.Join(methods, "|")
}

// pause waits for the delay of an action; false says that the context ended before.
func (pl *plan) pause(ctx context.Context, a *action) bool {
	pl.mu.Lock()
	d := a.Delay.Draw(pl.rng)
	pl.mu.Unlock()
	return hook.Pause(ctx, d)
}

// handle does what is to be done to requests and replies.
func (pl *plan) handle(next hook.Handler) hook.Handler {
	return func(ctx context.Context, c *hook.Call) *hook.Reply {
		if !slices.ContainsFunc(pl.on[OnRequest], func(a *action) bool { return a.methods.Has(c.Method) }) {
			return pl.replied(ctx, c, c, next(ctx, c))
		}
		method, modern := c.Method, c.Modern
		s := pl.atCall(requestOf(c), c)
		for _, a := range pl.on[OnRequest] {
			if !a.methods.Has(method) || c.Notification() && a.answers() || !a.selects(ctx, s, modern, c.Transport) {
				continue
			}
			if a.edits() {
				a.edit(s)
				continue
			}
			if r, done := pl.instead(ctx, a, s, c); done {
				return r
			}
		}
		came := c
		if s.changed {
			before := *c
			before.Header = c.Header.Clone()
			came = &before
			writeRequest(s, c)
		}
		return pl.replied(ctx, c, came, next(ctx, c))
	}
}

// instead does what is not an edit to a request; done says that it is not to be handled.
func (pl *plan) instead(ctx context.Context, a *action, s *subject, c *hook.Call) (r *hook.Reply, done bool) {
	switch a.verb {
	case "silence":
		return &hook.Reply{Silent: true}, true
	case "delay":
		if !pl.pause(ctx, a) {
			return &hook.Reply{}, true // cancelled: nothing is sent
		}
	case "abort":
		c.Session.Abort()
		return &hook.Reply{Silent: true}, true
	case "send":
		a.emit(ctx, s, c)
	case "note":
		a.note(s)
	case "answer":
		r, ok := a.answer(s)
		return r, ok && a.allowed(s)
	}
	return nil, false
}

// answers reports whether the operation is about the answer to a request, which a notification has only
// if it is given bytes.
func (a *action) answers() bool {
	return a.verb == "delay" || a.verb == "answer" && a.Answer.Raw == "" && a.Answer.Base64 == ""
}

// emit sends a message that belongs to a call. A client that has gone misses it.
func (a *action) emit(ctx context.Context, s *subject, c *hook.Call) {
	message, ok := a.expand(s, nil, a.Send)
	if !ok || !a.allowed(s) {
		return
	}
	if a.Apart {
		_ = c.Session.Send(ctx, hook.Encode(message))
		return
	}
	method, _ := a.Send["method"].(string)
	if _, request := a.Send["id"]; request {
		method = "" // is no notification
	}
	_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Method: method, Raw: hook.Encode(message)})
}

// answer is the answer to a request; ok is false if it lacks a value.
func (a *action) answer(s *subject) (r *hook.Reply, ok bool) {
	r = &hook.Reply{Status: a.Answer.Status}
	for name, value := range a.Answer.Header {
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set(name, value)
	}
	if a.Answer.Raw != "" || a.Answer.Base64 != "" {
		r.Raw = a.verbatim(s, a.Answer.Raw)
		return r, true
	}
	if a.Answer.Result != nil {
		v, ok := a.expand(s, nil, a.Answer.Result)
		r.Result, _ = v.(hook.Object)
		return r, ok
	}
	text, _ := a.expand(s, nil, cmp.Or(a.Answer.Message, "Error"))
	r.Error = hook.Object{"code": hook.Number(a.Answer.Code), "message": text}
	if a.Answer.Data != nil {
		r.Error["data"], ok = a.expand(s, nil, a.Answer.Data)
		return r, ok
	}
	return r, true
}

// verbatim is the text of an answer, or the bytes that stand for it.
func (a *action) verbatim(s *subject, text string) []byte {
	switch {
	case a.Answer.Base64 != "":
		data, _ := base64.StdEncoding.DecodeString(a.Answer.Base64) // check has seen that it is
		return data
	case a.Answer.Template:
		return []byte(filled(s, nil, text))
	}
	return []byte(text)
}

// requestOf is a request as paths see it.
func requestOf(c *hook.Call) *subject {
	return &subject{make: func(name string) (any, bool) {
		switch name {
		case "id":
			return c.IDValue(), c.ID != nil
		case "method":
			return c.Method, true
		case "params":
			v, err := hook.Decode(c.Params)
			return v, err == nil
		case "header":
			return headerOf(c.Header)
		case "session":
			return sessionOf(c)
		}
		return nil, false
	}}
}

// sessionOf is the session or connection of a request: its id and, after a handshake, the
// revision that was settled on.
func sessionOf(c *hook.Call) (any, bool) {
	if c.Session == nil {
		return nil, false
	}
	o := hook.Object{"id": c.Session.ID()}
	if revision := c.Session.Revision(); revision != "" {
		o["revision"] = revision
	}
	return o, true
}

// writeRequest puts into a call what has been changed.
func writeRequest(s *subject, c *hook.Call) {
	if method, ok := s.root["method"].(string); ok && s.asked["method"] {
		c.Method = method
	}
	if c.Header != nil && s.asked["header"] {
		writeHeader(s.root["header"], c.Header)
	}
	if s.asked["params"] {
		uri, version := repeated(c)
		c.Params = nil
		if params, kept := s.root["params"]; kept {
			c.Params = hook.Encode(params)
		}
		follow(c, uri, version)
	}
}

// repeated are the members of a modern request that headers repeat.
func repeated(c *hook.Call) (uri, version any) {
	return c.Param("uri"), c.Meta("io.modelcontextprotocol/protocolVersion")
}

// follow has the headers of a modern request say what has become of the members that they repeat.
func follow(c *hook.Call, uri, version any) {
	if c.Header == nil || !hook.Modern(c.Header.Get("Mcp-Protocol-Version")) {
		return
	}
	newURI, newVersion := repeated(c)
	if text, ok := newURI.(string); ok && newURI != uri {
		c.Header.Set("Mcp-Name", text)
	}
	if text, ok := newVersion.(string); ok && newVersion != version {
		c.Header.Set("Mcp-Protocol-Version", text)
	}
}

// headerOf is the headers by name, of several of a name the first.
func headerOf(h http.Header) (any, bool) {
	if h == nil {
		return nil, false
	}
	o := make(hook.Object, len(h))
	for name := range h {
		o[name] = h.Get(name)
	}
	return o, true
}

func writeHeader(v any, h http.Header) {
	o, ok := v.(hook.Object)
	if !ok {
		return
	}
	for name := range h {
		if _, kept := o[name]; !kept {
			h.Del(name)
		}
	}
	for name, value := range o {
		if text := textOf(value); h.Get(name) != text {
			h.Set(name, text)
		}
	}
}

// about is the request of a call, for what belongs to it; nothing for a nil call.
func about(c *hook.Call) (any, bool) {
	if c == nil {
		return nil, false
	}
	s := requestOf(c)
	for _, name := range []string{"id", "method", "params", "header", "session"} {
		s.load(path{{name: name}})
	}
	return s.root, true
}

// replied does what is to be done to replies; came is the request as it came in.
func (pl *plan) replied(ctx context.Context, c, came *hook.Call, r *hook.Reply) *hook.Reply {
	for _, a := range pl.on[OnReply] {
		if r == nil {
			return nil
		}
		if !a.methods.Has(c.Method) {
			continue
		}
		s := pl.atCall(replyOf(came, r), c)
		if !a.selects(ctx, s, c.Modern, c.Transport) {
			continue
		}
		switch a.verb {
		case "silence":
			r.Silent = true
		case "abort":
			r.Silent = true
			c.Session.Abort()
		case "delay":
			pl.pause(ctx, a) // what has been cancelled is not sent
		case "send":
			a.emit(ctx, s, c)
		case "note":
			a.note(s)
		default:
			a.edit(s)
			writeReply(s, r)
		}
	}
	return r
}

// replyOf is a reply as paths see it.
func replyOf(c *hook.Call, r *hook.Reply) *subject {
	return &subject{make: func(name string) (any, bool) {
		switch name {
		case "result":
			return r.Result, r.Result != nil && r.Error == nil
		case "error":
			return r.Error, r.Error != nil
		case "status":
			return hook.Number(int64(r.Status)), r.Status != 0
		case "header":
			if r.Header == nil {
				return hook.Object{}, true
			}
			return headerOf(r.Header)
		case "request":
			return about(c)
		}
		return nil, false
	}}
}

func writeReply(s *subject, r *hook.Reply) {
	if !s.changed {
		return
	}
	if s.asked["header"] && r.Header == nil {
		r.Header = http.Header{}
	}
	s.writeHead(&r.Status, r.Header)
}

// writeHead gives an answer over HTTP the status and the header that were made of its own.
func (s *subject) writeHead(status *int, h http.Header) {
	if n, ok := s.root["status"].(json.Number); ok {
		number, _ := n.Int64()
		*status = int(number)
	}
	if s.asked["header"] {
		writeHeader(s.root["header"], h)
	}
}

// swap is the place of a message that waits for the next one.
type swap struct{ gone chan struct{} }

// reorder has the first of two messages wait for the second.
func (pl *plan) reorder(ctx context.Context, a *action, m hook.Message) (after func()) {
	key := [2]any{a, ""}
	if m.Session != nil {
		key[1] = m.Session.ID()
	}
	if waiting, ok := pl.swaps.LoadAndDelete(key); ok {
		return func() { close(waiting.(*swap).gone) }
	}
	mine := &swap{make(chan struct{})}
	pl.swaps.Store(key, mine)
	select {
	case <-mine.gone:
	case <-time.After(time.Duration(a.Reorder)):
		pl.swaps.CompareAndDelete(key, mine)
	case <-ctx.Done():
		pl.swaps.CompareAndDelete(key, mine)
	}
	return func() {}
}
