package verify

import (
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// The headers of Streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	headerLast    = "Last-Event-Id"
)

// conversation is what was said on one connection or in one session.
type conversation struct {
	transport, revision string
	modern              bool
	session             string // the id that the server issued; empty if it issued none
	whole               bool   // it is known how it began

	messages []*message
	heads    []*journal.Entry // HTTP requests of the client, with a message or without
	events   []*journal.Entry // what went out with an event id
	opened   *journal.Entry
	closed   *journal.Entry // the end of the connection or session

	greeting    *message // the initialize that succeeded, or else the first one
	welcome     *message // its result
	initialized *message
	sibling     *conversation // of the other era on the same connection
	deleted     bool          // the client ended the session
}

// received lists the messages of the client of a kind.
func (c *conversation) received(kinds ...journal.Kind) []*message {
	return c.pick(false, kinds)
}

// told lists the messages of the server of a kind.
func (c *conversation) told(kinds ...journal.Kind) []*message { return c.pick(true, kinds) }

func (c *conversation) pick(sent bool, kinds []journal.Kind) []*message {
	var list []*message
	for _, m := range c.messages {
		if m.sent == sent && slices.Contains(kinds, m.kind) {
			list = append(list, m)
		}
	}
	return list
}

// requests lists the requests of the client, with one of the methods if any is given.
func (c *conversation) requests(methods ...string) []*message {
	list := c.received(journal.Request)
	if len(methods) == 0 {
		return list
	}
	return slices.DeleteFunc(list, func(m *message) bool { return !slices.Contains(methods, m.method) })
}

// declared is what the server declared; false if it is not known.
func (c *conversation) declared() (gjson.Result, bool) {
	if c.welcome != nil && c.welcome.whole {
		return c.welcome.result().Get("capabilities"), true
	}
	for _, m := range c.requests(hook.MethodDiscover) {
		if r, ok := m.succeeded(); ok {
			return r.Get("capabilities"), true
		}
	}
	return gjson.Result{}, false
}

// offers is what the client declared at the time of a message.
func (c *conversation) offers(name string) bool {
	if c.greeting != nil {
		return c.greeting.params.Get("capabilities." + name).Exists()
	}
	return slices.ContainsFunc(c.requests(), func(m *message) bool { return m.meta("clientCapabilities").Get(name).Exists() })
}

// last is the number of the last thing that the client sent, 0 if it sent nothing.
func (c *conversation) last() uint64 {
	last := uint64(0)
	for _, m := range c.messages {
		if !m.sent {
			last = max(last, m.seq())
		}
	}
	return last
}

// record is all that the entries tell.
type record struct {
	talks []*conversation
	// elsewhere are HTTP requests that belong to no conversation.
	elsewhere []*journal.Entry
	// status is how HTTP requests were answered, by the number of the request.
	status map[uint64]*journal.Entry
	// lost says that entries are missing.
	lost bool

	byKey map[string]*conversation
	bySeq map[uint64]*conversation
	asked map[uint64][]*message
}

// newRecord sorts entries into conversations.
func newRecord(entries []journal.Entry) *record {
	r := &record{
		status: map[uint64]*journal.Entry{}, byKey: map[string]*conversation{},
		bySeq: map[uint64]*conversation{}, asked: map[uint64][]*message{},
	}
	for i := range entries {
		e := &entries[i]
		r.lost = r.lost || i == 0 && e.Seq > 1 || i > 0 && e.Seq > entries[i-1].Seq+1
		switch {
		case e.Direction == journal.In:
			r.take(e)
		case e.Direction == journal.Out || e.Kind == journal.Opened && e.Scope == journal.ScopeStream:
			r.give(e)
		default:
			r.event(e)
		}
	}
	r.talks = slices.DeleteFunc(r.talks, func(c *conversation) bool { return c.last() == 0 })
	for _, c := range r.talks {
		r.settle(c)
	}
	return r
}

func (r *record) start(transport string, isModern bool, keys ...string) *conversation {
	c := &conversation{transport: transport, modern: isModern, whole: !r.lost}
	r.talks = append(r.talks, c)
	for _, k := range keys {
		r.byKey[k] = c
	}
	return c
}

// take files an entry of the client.
func (r *record) take(e *journal.Entry) {
	messages := messagesOf(e)
	c := r.owner(e, messages)
	if c == nil {
		r.elsewhere = append(r.elsewhere, e)
		return
	}
	r.bySeq[e.Seq] = c
	c.messages = append(c.messages, messages...)
	if e.HTTP != nil {
		c.heads = append(c.heads, e)
		c.deleted = c.deleted || e.HTTP.Method == "DELETE"
	}
	for _, m := range messages {
		if m.kind == journal.Request {
			r.asked[e.Seq] = append(r.asked[e.Seq], m)
		}
	}
}

// owner is the conversation that an entry of the client belongs to.
func (r *record) owner(e *journal.Entry, messages []*message) *conversation {
	if e.Transport != hook.HTTP {
		if e.Transport == hook.SSE && len(messages) == 0 {
			return nil
		}
		return r.lane(e, messages)
	}
	if e.HTTP == nil { // no journal of this server has that, but one of others may
		return nil
	}
	path, _, _ := strings.Cut(e.HTTP.Path, "?")
	if path != "/mcp" {
		return nil
	}
	id := e.Header(headerSession)
	var only *message
	if len(messages) == 1 {
		only = messages[0]
	}
	known := r.byKey["http|"+id]
	claims := only != nil && (only.claimsModern() || !only.whole && hook.Modern(e.Revision))
	switch {
	case claims || id == "" && (hook.Modern(e.Header(headerVersion)) || only != nil && modernMethod(only.method)):
		key := "modern|" + e.Identity
		if c := r.byKey[key]; c != nil {
			return c
		}
		return r.start(hook.HTTP, true, key)
	case only != nil && only.method == "initialize" && (id == "" || known == nil || known.closed != nil || r.dead(known)):
		return r.start(hook.HTTP, false)
	case id != "" && known != nil:
		return known
	}
	return r.stray(e, id, len(messages) > 0)
}

// stray finds the conversation of an HTTP request that names no session, or none that
// was issued: that of its connection, or the newest.
func (r *record) stray(e *journal.Entry, id string, says bool) *conversation {
	var newest *conversation
	for _, c := range slices.Backward(r.talks) {
		if c.transport != hook.HTTP || c.modern {
			continue
		}
		if newest == nil {
			newest = c
		}
		if slices.ContainsFunc(c.heads, func(h *journal.Entry) bool { return h.Connection == e.Connection }) {
			return c
		}
	}
	if newest != nil || !says {
		return newest
	}
	if id != "" && r.lost {
		return r.start(hook.HTTP, false, "http|"+id)
	}
	return r.start(hook.HTTP, false)
}

// dead reports whether the client was told that a session is no more.
func (r *record) dead(c *conversation) bool {
	return c.deleted || slices.ContainsFunc(c.heads, func(h *journal.Entry) bool {
		a := r.status[h.Seq]
		return a != nil && a.HTTP != nil && a.HTTP.Status == 404 && h.Header(headerSession) != ""
	})
}

// lane finds the conversation on a connection, by its era.
func (r *record) lane(e *journal.Entry, messages []*message) *conversation {
	key := e.Transport + "|" + e.Session
	old, fresh := r.byKey[key+"|legacy"], r.byKey[key+"|modern"]
	isModern := old == nil && fresh != nil
	if len(messages) == 1 && messages[0].kind == journal.Request {
		m := messages[0]
		isModern = m.claimsModern() || !m.whole && hook.Modern(e.Revision) || old == nil && (modernMethod(m.method) || fresh != nil && m.method != "initialize")
	} else if old != nil && fresh != nil {
		isModern = isModern || ofModern(old, fresh, messages)
	}
	c := old
	if isModern {
		c = fresh
	}
	if c != nil {
		return c
	}
	era := "|legacy"
	if isModern {
		era = "|modern"
	}
	c = r.start(e.Transport, isModern, key+era)
	if other := map[bool]*conversation{true: old, false: fresh}[isModern]; other != nil {
		c.sibling, other.sibling = other, c
		c.opened = other.opened
	}
	return c
}

// ofModern reports whether what is no request belongs to the modern one of two conversations on
// a connection: it cancels a request of it, or nothing was asked in the other, which is then no
// more than a line that could not be read.
func ofModern(old, fresh *conversation, messages []*message) bool {
	if len(messages) == 1 && messages[0].method == "notifications/cancelled" {
		id := idKey([]byte(messages[0].params.Get("requestId").Raw))
		names := func(m *message) bool { return m.id == id }
		if slices.ContainsFunc(fresh.requests(), names) != slices.ContainsFunc(old.requests(), names) {
			return slices.ContainsFunc(fresh.requests(), names)
		}
	}
	return len(old.requests()) == 0
}

func modernMethod(method string) bool {
	return method == hook.MethodDiscover || method == hook.MethodListen
}

// give files an entry of the server.
func (r *record) give(e *journal.Entry) {
	c := r.bySeq[e.RequestSeq]
	if c == nil {
		c = r.named(e)
	}
	if e.RequestSeq != 0 && e.HTTP != nil {
		if r.status[e.RequestSeq] == nil {
			r.status[e.RequestSeq] = e
		}
		if c != nil && !c.modern && c.session == "" && e.Header(headerSession) != "" {
			c.session = e.Header(headerSession)
			r.byKey["http|"+c.session] = c
		}
	}
	if c == nil {
		return
	}
	if e.EventID != "" {
		c.events = append(c.events, e)
	}
	for _, m := range messagesOf(e) {
		c.messages = append(c.messages, m)
		if m.kind == journal.Response {
			r.answer(c, e, m)
		}
	}
}

// answer joins a response to its request.
func (r *record) answer(c *conversation, e *journal.Entry, m *message) {
	pool := r.asked[e.RequestSeq]
	if e.RequestSeq == 0 {
		pool = c.requests()
	}
	for _, q := range slices.Backward(pool) {
		alone := len(pool) == 1 && e.RequestSeq != 0 && m.failed() && (m.id == "" || m.id == "nnull")
		if q.id == m.id || alone {
			m.method, m.uri = q.method, q.uri
			q.answers = append(q.answers, m)
			if q.answer == nil {
				q.answer = m
			}
			return
		}
	}
}

// named is the conversation that an entry without a request names.
func (r *record) named(e *journal.Entry) *conversation {
	if e.Transport == hook.HTTP {
		return r.byKey["http|"+e.Session]
	}
	key := e.Transport + "|" + e.Session
	if c := r.byKey[key+"|legacy"]; c != nil {
		return c
	}
	return r.byKey[key+"|modern"]
}

// event files what happened to a connection or session.
func (r *record) event(e *journal.Entry) {
	if e.Scope == journal.ScopeStream {
		return
	}
	for _, key := range []string{"http|" + e.Session, e.Transport + "|" + e.Session + "|legacy", e.Transport + "|" + e.Session + "|modern"} {
		c := r.byKey[key]
		if c == nil {
			continue
		}
		switch e.Kind {
		case journal.Opened:
			c.opened = e
		case journal.Closed:
			c.closed = e
		}
	}
}

// settle finds out what was agreed at the beginning.
func (r *record) settle(c *conversation) {
	if c.modern {
		c.revision = modern
		return
	}
	for _, m := range c.requests("initialize") {
		if c.greeting == nil {
			c.greeting = m
		}
		if _, ok := m.succeeded(); ok {
			c.greeting, c.welcome = m, m.answer
			break
		}
	}
	for _, m := range c.received(journal.Notification) {
		if m.method == "notifications/initialized" && c.initialized == nil {
			c.initialized = m
		}
	}
	claims := []string{}
	if c.welcome != nil {
		claims = append(claims, c.welcome.result().Get("protocolVersion").String())
	}
	if c.greeting != nil {
		claims = append(claims, c.greeting.params.Get("protocolVersion").String())
	}
	for _, h := range c.heads {
		claims = append(claims, h.Header(headerVersion))
	}
	for _, m := range c.messages {
		claims = append(claims, m.entry.Revision)
	}
	for _, v := range claims {
		if slices.Contains(legacy, v) {
			c.revision = v
			return
		}
	}
	// Nothing was agreed upon: it is judged by the newest that it can have meant.
	c.revision = lastLegacy
	if c.transport == hook.SSE {
		c.revision = first
	}
}

// group is all conversations in one combination.
type group struct {
	revision, transport string
	talks               []*conversation
	record              *record
	options             Options
}

// groups sorts the conversations by combination.
func (r *record) groups(o Options) []*group {
	var all []*group
	for _, c := range r.talks {
		i := slices.IndexFunc(all, func(g *group) bool { return g.revision == c.revision && g.transport == c.transport })
		if i < 0 {
			i = len(all)
			all = append(all, &group{revision: c.revision, transport: c.transport, record: r, options: o})
		}
		all[i].talks = append(all[i].talks, c)
	}
	return all
}
