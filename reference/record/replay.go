package record

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The error codes of JSON-RPC with which unknown requests are answered.
const (
	codeMethodNotFound = -32601
	codeInvalidParams  = -32602
)

// The bounds of what a server of a recording remembers.
const (
	maxCursors    = 4096 // sessions whose place is known
	maxCandidates = 500  // recorded requests among which the nearest is looked for
	maxCompared   = 256  // bytes of each that are compared
)

// Serve makes a server that answers as the recorded one did, over any transport, in the revisions
// that were recorded. Requests are matched by method and params; ids, metadata and progress
// tokens do not count, and what was masked stands for any value. Of several with the same params the answers
// come in the order in which they were recorded, for each session, and the last one again and again. What was
// not recorded is answered with an error that names the nearest that was. Notifications are sent
// after the answer that they followed. A revision that this program does not speak is an error.
func (r *Recording) Serve(o reference.Options) (*reference.Server, error) {
	revisions := r.revisions()
	for _, revision := range revisions {
		if !slices.Contains(reference.Revisions(), revision) {
			return nil, fmt.Errorf("%s: the revision %s, in which it was recorded, is not among those "+
				"that can be served: %s",
				r.Name, revision, strings.Join(reference.Revisions(), ", "))
		}
	}
	if o.Revisions == nil {
		o.Revisions = revisions
	}
	p := &player{by: map[string][]*exchange{}, places: map[string]map[string]int{},
		listens: map[*exchange][]*hook.Call{}}
	for _, x := range r.exchanges() {
		p.by[x.method] = append(p.by[x.method], x)
	}
	o.Hooks = hook.Join(o.Hooks, hook.Hooks{OffGrid: hook.Always},
		hook.OnResponse("", p.answering), hook.OnMethod("", p.handle))
	return reference.New(reference.World{Name: r.Name}, o)
}

// player answers from a recording.
type player struct {
	by map[string][]*exchange // by method

	mu      sync.Mutex
	places  map[string]map[string]int // by session and request: how often it was answered
	order   []string                  // of the sessions, oldest first
	listens map[*exchange][]*hook.Call
}

// handle answers a call.
func (p *player) handle(c hook.Calling) *hook.Reply {
	if c.Notification() {
		return c.Next()
	}
	revision := c.Revision
	if c.Modern && revision == "" {
		revision = c.Header.Get("Mcp-Protocol-Version")
	}
	if c.Method == "initialize" {
		if r := c.Next(); r.Error != nil {
			return r
		}
		if c.Session != nil {
			revision = c.Session.Revision()
		}
	}
	x := p.find(c.Call, revision)
	if x == nil {
		if c.Method == "ping" {
			return c.Next() // which anyone may send at any time
		}
		return p.unknown(c.Call)
	}
	for _, m := range x.before {
		p.send(c, c.Call, x, m)
	}
	if x.answer == nil {
		p.keepOpen(c, c.Call, x)
	}
	if x.answer == nil || x.method == hook.MethodListen && c.Err() != nil {
		return &hook.Reply{} // nobody waits for it any more
	}
	c.Trace.Once(p, func() any { return x.after }) // until the answer has been sent
	reply := &hook.Reply{Raw: replace(replace(x.answer, "id", c.ID),
		pathResultSubscription, c.ID)}
	if x.status >= http.StatusBadRequest {
		reply.Status = x.status
	}
	return reply
}

// replace puts another value in place of the one at a path, if there is one.
func replace[T ~string | ~[]byte](raw []byte, path string, value T) []byte {
	old := gjson.GetBytes(raw, path)
	if !old.Exists() || old.Index == 0 {
		return raw
	}
	return slices.Concat(raw[:old.Index], []byte(value), raw[old.Index+len(old.Raw):])
}

// find chooses the exchange that answers a call; nil if none does.
func (p *player) find(c *hook.Call, revision string) *exchange {
	candidates := p.by[c.Method]
	same := filter(candidates, func(x *exchange) bool { return x.revision == revision })
	if len(same) == 0 {
		same = filter(candidates, func(x *exchange) bool {
			return x.revision == "" || hook.Modern(x.revision) == hook.Modern(revision)
		})
	}
	want := canonical(c.Params)
	matching := filter(same, func(x *exchange) bool { return x.canonical == want })
	if len(matching) == 0 { // a value that was masked may have been any
		matching = filter(same, func(x *exchange) bool {
			return x.masked != nil && x.masked.MatchString(want)
		})
	}
	if len(matching) == 0 && c.Method == "initialize" {
		matching = same // clients differ in their names and what they can do
	}
	if len(matching) == 0 {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	session := "stateless"
	if c.Session != nil && (!c.Modern || c.Transport != hook.HTTP) {
		session = c.Session.ID()
	}
	places := p.places[session]
	if places == nil {
		if len(p.order) >= maxCursors {
			delete(p.places, p.order[0])
			p.order = p.order[1:]
		}
		places = map[string]int{}
		p.places[session] = places
		p.order = append(p.order, session)
	}
	key := revision + "\x00" + c.Method + "\x00" + matching[0].canonical
	n := places[key]
	places[key] = min(n+1, len(matching)-1)
	return matching[n]
}

func filter(all []*exchange, is func(x *exchange) bool) []*exchange {
	return slices.DeleteFunc(slices.Clone(all), func(x *exchange) bool { return !is(x) })
}

// keepOpen waits until the client cancels the call or leaves; meanwhile what belongs to it is
// sent.
func (p *player) keepOpen(ctx context.Context, c *hook.Call, x *exchange) {
	p.mu.Lock()
	p.listens[x] = append(p.listens[x], c)
	p.mu.Unlock()
	<-ctx.Done()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listens[x] = slices.DeleteFunc(p.listens[x], func(other *hook.Call) bool { return other == c })
}

// answering sends what followed an answer, once that has been sent.
func (p *player) answering(m hook.Sending) error {
	err := m.Next()
	if m.Call == nil || err != nil {
		return err
	}
	after, _ := m.Call.Trace.Once(p, func() any { return nil }).([]message)
	for _, msg := range after {
		p.follow(m, m.Call, msg)
	}
	return nil
}

// follow sends a message that belongs to no open request, or to a listen stream.
func (p *player) follow(ctx context.Context, c *hook.Call, msg message) {
	if msg.of == nil {
		if c.Session != nil && !(c.Modern && c.Transport == hook.HTTP) {
			_ = c.Session.Send(ctx, msg.raw) // a client that has gone is noticed by the transport
		}
		return
	}
	p.mu.Lock()
	listens := slices.Clone(p.listens[msg.of])
	p.mu.Unlock()
	for _, l := range listens {
		p.send(ctx, l, msg.of, msg)
	}
}

// send sends a message on behalf of a call, with the ids of the call.
func (p *player) send(ctx context.Context, c *hook.Call, x *exchange, m message) {
	raw := m.raw
	if gjson.GetBytes(raw, pathSubscription).Exists() {
		raw = replace(raw, pathSubscription, c.ID)
	}
	if token := gjson.GetBytes(raw, "params.progressToken"); token.Exists() && token.Raw == x.token {
		given := gjson.GetBytes(c.Params, `_meta.progressToken`)
		if !given.Exists() {
			return // nobody has asked for progress
		}
		raw = replace(raw, "params.progressToken", given.Raw)
	}
	// A client that has gone is noticed by the transport.
	_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Raw: raw, Method: m.method})
}

// unknown answers what was not recorded.
func (p *player) unknown(c *hook.Call) *hook.Reply {
	asked := c.Method + " " + shorten(canonical(c.Params))
	if len(p.by[c.Method]) == 0 {
		methods := slices.Sorted(maps.Keys(p.by))
		near := nearest.Names(c.Method, methods)
		if len(near) == 0 {
			near = methods
		}
		r := hook.Fail(codeMethodNotFound,
			fmt.Sprintf("Method not found: nothing was recorded for %s; there are %s", asked,
				strings.Join(near, ", ")))
		if c.Modern {
			r.Status = http.StatusNotFound
		}
		return r
	}
	x := p.nearest(c)
	r := hook.Fail(codeInvalidParams,
		fmt.Sprintf("Invalid params: nothing was recorded for %s; the nearest is %s %s", asked, x.method,
			shorten(x.canonical)))
	if params, ok := hook.DecodeObject([]byte(x.canonical)); ok {
		r.Error["data"] = hook.Object{"nearest": hook.Object{"method": x.method, "params": params}}
	}
	return r
}

// nearest is the recorded request with the method of a call whose params are most like its.
func (p *player) nearest(c *hook.Call) *exchange {
	all := p.by[c.Method]
	want := cut(canonical(c.Params))
	best, edits := all[0], -1
	for _, x := range all[:min(len(all), maxCandidates)] {
		if n := nearest.Edits(want, cut(x.canonical)); edits < 0 || n < edits {
			best, edits = x, n
		}
	}
	return best
}

func cut(s string) string { return s[:min(len(s), maxCompared)] }

// shorten is a text for a message.
func shorten(s string) string {
	if len(s) <= maxCompared {
		return s
	}
	return string(bytes.ToValidUTF8([]byte(cut(s)), nil)) + "…"
}
