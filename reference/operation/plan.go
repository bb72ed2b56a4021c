package operation

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
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
	notes bool // nothing else is done
}

// Hooks makes the operations for one server; they count its messages. The error names the
// first operation that cannot be done.
func Hooks(all []Operation, rng *rand.Rand) (hook.Hooks, error) {
	pl := &plan{
		on:     map[string][]*action{},
		memory: memory{rng: rng, per: map[string]string{}, values: map[[2]string][]any{}},
	}
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
	pl.notes = !slices.ContainsFunc(all, func(o Operation) bool { return o.Note == "" })
	// What is about other methods passes as if there were no operations.
	h := []hook.Hooks{}
	if all := slices.Concat(pl.on[OnRequest], pl.on[OnReply]); len(all) > 0 {
		h = append(h, hook.OnMethod(patternOf(all), pl.handle))
	}
	if all := pl.on[OnResponse]; len(all) > 0 {
		h = append(h, hook.OnResponse(patternOf(all), pl.emit))
	}
	if all := pl.on[OnNotification]; len(all) > 0 {
		h = append(h, hook.OnNotification(patternOf(all), pl.emit))
	}
	if len(pl.on[OnEvent]) > 0 {
		h = append(h, hook.OnEvent(pl.event))
	}
	return hook.Join(append(h, pl.requests(), pl.answers())...), nil
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
	if !hook.Acts(ctx) {
		return true
	}
	pl.mu.Lock()
	d := a.Delay.Draw(pl.rng)
	pl.mu.Unlock()
	return hook.Pause(ctx, d)
}

// errWithheld ends the way of a message that is not sent, errAnswered that of a request that is not handled.
var (
	errWithheld = errors.New("the message is withheld")
	errAnswered = errors.New("the request is answered")
)

// passage is a message that operations are done to, and what comes of that beside edits.
type passage struct {
	session hook.Session
	times   int      // it is sent
	done    []func() // is called then
	send    func(a *action, raw []byte)
	answer  func(a *action) bool // false if it lacks a value
}

// run does to a message what operations have to do to it. The error is that of the last.
func (pl *plan) run(ctx context.Context, all []*action, method string, s *subject, p *passage) error {
	for _, a := range all {
		if a.selects(ctx, method, s) {
			if err := pl.do(ctx, a, s, p); err != nil {
				return err
			}
		}
	}
	return nil
}

// do does an operation to a message that it selects. The error is errWithheld, or that of a context that has
// ended meanwhile.
func (pl *plan) do(ctx context.Context, a *action, s *subject, p *passage) error {
	switch a.verb {
	case "silence":
		return errWithheld
	case "abort":
		if p.session != nil {
			hook.Abort(ctx, p.session)
		}
		return errWithheld
	case "delay":
		if !pl.pause(ctx, a) {
			return ctx.Err()
		}
	case "repeat":
		p.times = a.Repeat
	case "reorder":
		p.done = append(p.done, pl.reorder(ctx, a, p.session))
	case "send":
		if message, ok := a.expand(s, nil, a.Send); ok {
			p.send(a, hook.Encode(message))
		}
	case "answer":
		if p.answer(a) {
			return errAnswered
		}
	case "note":
		// Where nothing is done but to note, that is what counts.
		if value, ok := a.expand(s, nil, a.To); ok && (!pl.notes || hook.Acts(ctx)) {
			s.write(a.Note, value)
		}
	default:
		a.edit(s)
	}
	return nil
}

// calling is the passage of a call, on whose behalf messages are sent. A client that has gone misses them.
func calling(ctx context.Context, c *hook.Call) *passage {
	return &passage{session: c.Session, send: func(a *action, raw []byte) {
		method, _ := a.Send["method"].(string)
		if _, request := a.Send["id"]; request {
			method = "" // is no notification
		}
		if a.Apart {
			hook.Send(ctx, c.Session, raw)
		} else if hook.Acts(ctx) {
			_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Method: method, Raw: raw})
		}
	}}
}

// handle does what is to be done to requests and replies.
func (pl *plan) handle(c hook.Calling) *hook.Reply {
	if !slices.ContainsFunc(pl.on[OnRequest], func(a *action) bool { return a.methods.Has(c.Method) }) {
		return pl.replied(c, c.Call, c.Call, c.Next())
	}
	s := requestOf(c.Call)
	s.place, s.silent = pl.ofCall(c.Call), c.Notification()
	p := calling(c, c.Call)
	var answer *hook.Reply
	p.answer = func(a *action) (ok bool) {
		answer, ok = a.answer(s)
		return ok
	}
	switch err := pl.run(c, pl.on[OnRequest], c.Method, s, p); err {
	case nil:
	case errAnswered:
		return answer
	default:
		return &hook.Reply{Silent: err == errWithheld} // what has been cancelled is not sent
	}
	came := *c.Call
	came.Header = c.Header.Clone()
	writeRequest(s, c.Call)
	return pl.replied(c, c.Call, &came, c.Next())
}

// answers reports whether the operation is about the answer to a request, which a notification has only
// if it is given bytes.
func (a *action) answers() bool {
	return a.verb == "delay" || a.verb == "answer" && a.Answer.Raw == "" && a.Answer.Base64 == ""
}

// answer is the answer to a request; ok is false if it lacks a value.
func (a *action) answer(s *subject) (r *hook.Reply, ok bool) {
	stub := a.Answer
	r = &hook.Reply{Status: stub.Status}
	for name, value := range stub.Header {
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set(name, value)
	}
	if stub.Raw != "" || stub.Base64 != "" {
		r.Raw = a.verbatim(s, stub.Raw)
		return r, true
	}
	if stub.Result != nil {
		v, ok := a.expand(s, nil, stub.Result)
		r.Result, _ = v.(hook.Object)
		return r, ok
	}
	text, _ := a.expand(s, nil, cmp.Or(stub.Message, "Error"))
	r.Error = hook.Object{"code": hook.Number(stub.Code), "message": text}
	if stub.Data != nil {
		r.Error["data"], ok = a.expand(s, nil, stub.Data)
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
			return headerOf(c.Header), c.Header != nil
		case "session":
			return sessionOf(c.Session)
		}
		return nil, false
	}}
}

// sessionOf is a session or connection: its id and, after a handshake, the revision that was settled on.
func sessionOf(s hook.Session) (any, bool) {
	if s == nil {
		return nil, false
	}
	o := hook.Object{"id": s.ID()}
	if revision := s.Revision(); revision != "" {
		o["revision"] = revision
	}
	return o, true
}

// writeRequest puts into a call what has been changed.
func writeRequest(s *subject, c *hook.Call) {
	if method, ok := s.root["method"].(string); ok && s.changed["method"] {
		c.Method = method
	}
	if c.Header != nil && s.changed["header"] {
		writeHeader(s.root["header"], c.Header)
	}
	if s.changed["params"] {
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
func headerOf(h http.Header) any {
	o := make(hook.Object, len(h))
	for name := range h {
		o[name] = h.Get(name)
	}
	return o
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

// replied does what is to be done to replies; came is the request as it came in.
func (pl *plan) replied(ctx context.Context, c, came *hook.Call, r *hook.Reply) *hook.Reply {
	if r == nil || len(pl.on[OnReply]) == 0 {
		return r
	}
	s := &subject{place: pl.ofCall(c), request: requestOf(came), make: func(name string) (any, bool) {
		switch name {
		case "result":
			return r.Result, r.Result != nil && r.Error == nil
		case "error":
			return r.Error, r.Error != nil
		case "status":
			return hook.Number(int64(r.Status)), r.Status != 0
		case "header":
			return headerOf(r.Header), true
		}
		return nil, false
	}}
	r.Silent = pl.run(ctx, pl.on[OnReply], c.Method, s, calling(ctx, c)) == errWithheld || r.Silent
	if s.changed["header"] && r.Header == nil {
		r.Header = http.Header{}
	}
	s.writeHead(&r.Status, r.Header)
	return r
}

// writeHead gives an answer over HTTP the status and the header that were made of its own.
func (s *subject) writeHead(status *int, h http.Header) {
	if n, ok := s.root["status"].(json.Number); ok {
		number, _ := n.Int64()
		*status = int(number)
	}
	if s.changed["header"] {
		writeHeader(s.root["header"], h)
	}
}

// reorder has the first of two messages wait for the second.
func (pl *plan) reorder(ctx context.Context, a *action, session hook.Session) (after func()) {
	if !hook.Acts(ctx) {
		return func() {}
	}
	key := [2]any{a, ""}
	if session != nil {
		key[1] = session.ID()
	}
	if waiting, ok := pl.swaps.LoadAndDelete(key); ok {
		return func() { close(waiting.(chan struct{})) }
	}
	mine := make(chan struct{}) // closed when the second has gone
	pl.swaps.Store(key, mine)
	select {
	case <-mine:
	case <-time.After(time.Duration(a.Reorder)):
	case <-ctx.Done():
	}
	pl.swaps.CompareAndDelete(key, mine)
	return func() {}
}
