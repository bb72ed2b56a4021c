package clientcheck

import (
	"iter"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/tidwall/gjson"
)

// The headers of Streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
)

// conversation is what was said on one connection or in one session.
type conversation struct {
	requirement.Combination
	modern  bool
	session string // the id that the server issued; empty if it issued none
	whole   bool   // it is known how it began

	messages []*message
	heads    []*entry // HTTP requests of the client, with a message or without
	events   []*entry // what went out with an event id
	closed   *entry   // the end of the connection or session

	initialize  *message // the initialize that succeeded, or else the first one
	accepted    *message // its result
	initialized *message
	sibling     *conversation // of the other era on the same connection
	deleted     bool          // the client ended the session
}

// fromClient lists the messages of the client of a kind.
func (c *conversation) fromClient(kinds ...string) []*message { return c.pick(false, kinds) }

// fromServer lists the messages of the server of a kind.
func (c *conversation) fromServer(kinds ...string) []*message { return c.pick(true, kinds) }

func (c *conversation) pick(sent bool, kinds []string) []*message {
	return recording.Keep(c.messages, func(m *message) bool { return m.sent == sent && slices.Contains(kinds, m.kind) })
}

// requests lists the requests of the client, with one of the methods if any is given.
func (c *conversation) requests(methods ...string) []*message {
	return slices.DeleteFunc(c.fromClient(kindRequest), func(m *message) bool {
		return len(methods) > 0 && !slices.Contains(methods, m.method)
	})
}

// understood is the first request of the client that succeeded; nil if none did.
func (c *conversation) understood() *message {
	for _, m := range c.requests() {
		if _, ok := m.succeeded(); ok {
			return m
		}
	}
	return nil
}

// declared is what the server declared in the handshake; false if it is not known.
func (c *conversation) declared() (gjson.Result, bool) {
	if c.accepted == nil || !c.accepted.whole {
		return gjson.Result{}, false
	}
	return c.accepted.result().Get("capabilities"), true
}

// last is the number of the last thing that the client sent, 0 if it sent nothing.
func (c *conversation) last() int {
	last := 0
	for _, m := range c.messages {
		if !m.sent {
			last = max(last, m.Seq)
		}
	}
	return last
}

// lost reports whether the client was told that the session is no more.
func (c *conversation) lost(r *record) bool {
	return c.deleted || slices.ContainsFunc(c.heads, func(h *entry) bool {
		a := r.status[h.Seq]
		return a != nil && a.HTTP != nil && a.HTTP.Status == 404 && h.header(headerSession) != ""
	})
}

// claimed is the first modern revision that stands in the metadata of requests; where
// there is none, the oldest one.
func claimed(requests []*message) requirement.Revision {
	for _, m := range requests {
		if r := requirement.Revision(m.meta("protocolVersion").String()); r.Known() && r.Modern() {
			return r
		}
	}
	all := requirement.Revisions()
	return all[slices.IndexFunc(all, requirement.Revision.Modern)]
}

// settle finds out what was agreed at the beginning.
func (c *conversation) settle() {
	if c.modern {
		c.Revision = claimed(c.requests())
		return
	}
	for _, m := range c.requests("initialize") {
		if c.initialize == nil {
			c.initialize = m
		}
		if _, ok := m.succeeded(); ok {
			c.initialize, c.accepted = m, m.answer
			break
		}
	}
	for _, m := range c.fromClient(kindNotification) {
		if m.method == "notifications/initialized" && c.initialized == nil {
			c.initialized = m
		}
	}
	c.Revision = c.agreed()
}

// agreed is the revision of a conversation with handshake: the first that is claimed. Where
// none is it is judged by the newest that it can have meant.
func (c *conversation) agreed() requirement.Revision {
	claims := []string{}
	if c.accepted != nil {
		claims = append(claims, c.accepted.result().Get("protocolVersion").String())
	}
	if c.initialize != nil {
		claims = append(claims, c.initialize.params.Get("protocolVersion").String())
	}
	for _, h := range c.heads {
		claims = append(claims, h.header(headerVersion))
	}
	for _, m := range c.messages {
		claims = append(claims, string(m.Revision))
	}
	legacy := requirement.Legacy()
	for _, claim := range claims {
		if r := requirement.Revision(claim); slices.Contains(legacy, r) {
			return r
		}
	}
	if c.Transport == requirement.SSE {
		return legacy[0]
	}
	return legacy[len(legacy)-1]
}

// group is all conversations in one combination.
type group struct {
	requirement.Combination
	conversations []*conversation
	record        *record
	options       Options
}

// groups sorts the conversations by combination.
func (r *record) groups(o Options) []*group {
	var all []*group
	for _, c := range r.conversations {
		i := slices.IndexFunc(all, func(g *group) bool { return g.Combination == c.Combination })
		if i < 0 {
			i = len(all)
			all = append(all, &group{Combination: c.Combination, record: r, options: o})
		}
		all[i].conversations = append(all[i].conversations, c)
	}
	return all
}

// each goes through what conversations have, conversation by conversation.
func each[T any](g *group, of func(*conversation) []T) iter.Seq2[*conversation, T] {
	return func(yield func(*conversation, T) bool) {
		for _, c := range g.conversations {
			for _, x := range of(c) {
				if !yield(c, x) {
					return
				}
			}
		}
	}
}

// said goes through the messages of the client.
func (g *group) said() iter.Seq2[*conversation, *message] {
	return each(g, func(c *conversation) []*message {
		return slices.DeleteFunc(slices.Clone(c.messages), func(m *message) bool { return m.sent })
	})
}

// requests goes through the requests of the client, with one of the methods if any is given.
func (g *group) requests(methods ...string) iter.Seq2[*conversation, *message] {
	return each(g, func(c *conversation) []*message { return c.requests(methods...) })
}

// posted goes through the HTTP requests of the client.
func (g *group) posted() iter.Seq2[*conversation, *entry] {
	return each(g, func(c *conversation) []*entry { return c.heads })
}

// record is all that a journal tells.
type record struct {
	entries       []*entry
	conversations []*conversation
	// elsewhere are HTTP requests that belong to no conversation.
	elsewhere []*entry
	// status is how HTTP requests were answered, by the number of the request.
	status map[int]*entry
	// lost says that entries are missing.
	lost bool

	byKey map[string]*conversation
	bySeq map[int]*conversation
	asked map[int][]*message
}

// newRecord sorts entries into conversations.
func newRecord(entries []*entry) *record {
	r := &record{
		entries: entries, status: map[int]*entry{}, byKey: map[string]*conversation{},
		bySeq: map[int]*conversation{}, asked: map[int][]*message{},
	}
	for i, e := range entries {
		r.lost = r.lost || i == 0 && e.Seq > 1 || i > 0 && e.Seq > entries[i-1].Seq+1
		switch {
		case e.Direction == in:
			r.take(e)
		case e.Direction == out || e.Kind == kindOpened && e.Scope == scopeStream:
			r.give(e)
		case e.Kind == kindClosed && e.Scope != scopeStream:
			for _, c := range r.named(e) {
				c.closed = e
			}
		}
	}
	r.conversations = slices.DeleteFunc(r.conversations, func(c *conversation) bool { return c.last() == 0 })
	for _, c := range r.conversations {
		c.settle()
	}
	return r
}

func (r *record) start(transport requirement.Transport, modern bool, keys ...string) *conversation {
	c := &conversation{Combination: requirement.Combination{Transport: transport}, modern: modern, whole: !r.lost}
	r.conversations = append(r.conversations, c)
	for _, k := range keys {
		r.byKey[k] = c
	}
	return c
}

// take files an entry of the client.
func (r *record) take(e *entry) {
	if e.HTTP != nil && e.HTTP.Method == http.MethodOptions {
		return // a browser asks on its own account whether the client may
	}
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
		if m.kind == kindRequest {
			r.asked[e.Seq] = append(r.asked[e.Seq], m)
		}
	}
}

// owner is the conversation that an entry of the client belongs to; nil if to none.
func (r *record) owner(e *entry, messages []*message) *conversation {
	switch {
	case e.Transport == requirement.SSE && len(messages) == 0:
		return nil
	case e.Transport != requirement.HTTP:
		return r.connected(e, messages)
	case e.HTTP == nil: // no journal of our server has that, but one of others may
		return nil
	}
	if path, _, _ := strings.Cut(e.HTTP.Path, "?"); path != "/mcp" {
		return nil
	}
	id := e.header(headerSession)
	only := &message{whole: true}
	if len(messages) == 1 {
		only = messages[0]
	}
	known := r.byKey["http|"+id]
	claims := only.claimsModern() || !only.whole && e.Revision.Modern()
	switch {
	case claims || id == "" && (requirement.Revision(e.header(headerVersion)).Modern() || modernMethod(only.method)):
		key := "modern|" + e.Identity
		if c := r.byKey[key]; c != nil {
			return c
		}
		return r.start(requirement.HTTP, true, key)
	case only.method == "initialize" && (id == "" || known == nil || known.closed != nil || known.lost(r)):
		return r.start(requirement.HTTP, false)
	case id != "" && known != nil:
		return known
	}
	return r.unnamed(e, id, len(messages) > 0)
}

// unnamed finds the conversation of an HTTP request that names no session, or none that
// was issued: that of its connection, or the newest.
func (r *record) unnamed(e *entry, id string, says bool) *conversation {
	var newest *conversation
	for _, c := range slices.Backward(r.conversations) {
		if c.Transport != requirement.HTTP || c.modern {
			continue
		}
		if newest == nil {
			newest = c
		}
		if slices.ContainsFunc(c.heads, func(h *entry) bool { return h.Connection == e.Connection }) {
			return c
		}
	}
	switch {
	case newest != nil || !says:
		return newest
	case id != "" && r.lost:
		return r.start(requirement.HTTP, false, "http|"+id)
	}
	return r.start(requirement.HTTP, false)
}

// connected finds the conversation on a connection, by its era.
func (r *record) connected(e *entry, messages []*message) *conversation {
	key := string(e.Transport) + "|" + e.Session
	eras := map[bool]string{false: key + "|legacy", true: key + "|modern"}
	old, fresh := r.byKey[eras[false]], r.byKey[eras[true]]
	modern := old == nil && fresh != nil
	if len(messages) == 1 && messages[0].kind == kindRequest {
		m := messages[0]
		modern = m.claimsModern() || !m.whole && e.Revision.Modern() || old == nil && (modernMethod(m.method) || fresh != nil && m.method != "initialize")
	} else if old != nil && fresh != nil {
		modern = ofModern(old, fresh, messages)
	}
	if c := r.byKey[eras[modern]]; c != nil {
		return c
	}
	c := r.start(e.Transport, modern, eras[modern])
	if other := r.byKey[eras[!modern]]; other != nil {
		c.sibling, other.sibling = other, c
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

func modernMethod(method string) bool { return method == methodDiscover || method == methodListen }

// give files an entry of the server.
func (r *record) give(e *entry) {
	c := r.bySeq[e.RequestSeq]
	if all := r.named(e); c == nil && len(all) > 0 {
		c = all[0]
	}
	if e.RequestSeq != 0 && e.HTTP != nil {
		if r.status[e.RequestSeq] == nil {
			r.status[e.RequestSeq] = e
		}
		if c != nil && !c.modern && c.session == "" && e.header(headerSession) != "" {
			c.session = e.header(headerSession)
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
		if m.kind == kindResponse {
			r.answer(c, e, m)
		}
	}
}

// answer joins a response to its request.
func (r *record) answer(c *conversation, e *entry, m *message) {
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

// named lists the conversations that an entry names by its session or connection.
func (r *record) named(e *entry) []*conversation {
	var list []*conversation
	key := string(e.Transport) + "|" + e.Session
	for _, k := range []string{key, key + "|legacy", key + "|modern"} {
		if c := r.byKey[k]; c != nil {
			list = append(list, c)
		}
	}
	return list
}
