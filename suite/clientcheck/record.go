package clientcheck

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// place is where an entry stands: in which journal, under which number.
type place struct{ journal, seq int }

// record is all that a journal tells. Its entries are numbered in their order.
type record struct {
	Options
	entries       []*entry
	conversations []*conversation
	// elsewhere are HTTP requests that belong to no conversation.
	elsewhere []*entry
	sent      *message // the last of the server
	// lost says that entries are missing.
	lost bool

	// named are the conversations by their session or connection: one with a handshake comes first.
	named map[string][]*conversation
	noted map[place]*entry
}

// newRecord sorts entries into conversations.
func newRecord(entries []*entry, o Options) *record {
	r := &record{Options: o, named: map[string][]*conversation{}, noted: map[place]*entry{}}
	last := map[int]int{}
	for i, noted := range entries {
		e := *noted
		e.at = e.Time.Sub(entries[0].Time)
		r.lost = r.lost || e.Seq > last[e.journal]+1
		last[e.journal] = e.Seq
		r.entries, r.noted[place{e.journal, e.Seq}] = append(r.entries, &e), &e
		e.Seq = i + 1
		r.file(&e)
	}
	r.conversations = slices.DeleteFunc(r.conversations,
		func(c *conversation) bool { return c.last() == nil })
	for i, c := range r.conversations {
		c.settle()
		c.recorded(recording.Name(fmt.Sprint("conversation ", i+1)))
	}
	return r
}

// file puts an entry where it belongs.
func (r *record) file(e *entry) {
	switch {
	case e.Direction == in:
		r.take(e)
	case e.Direction == out || e.Kind == kindOpened && e.Scope == scopeStream:
		r.give(e)
	case e.Kind == kindClosed && e.Scope == scopeStream:
		if q := r.noted[place{e.journal, e.RequestSeq}]; q != nil {
			q.ended = e
		}
	case e.Kind == kindClosed:
		for _, c := range r.named[key(e.Transport, e.Session)] {
			c.closed = e
		}
	}
}

// key names a session or a connection.
func key(t requirement.Transport, session string) string { return string(t) + "|" + session }

// start begins a conversation, which is found by a key.
func (r *record) start(t requirement.Transport, modern bool, key string) *conversation {
	c := &conversation{Combination: requirement.Combination{Transport: t}, modern: modern, whole: !r.lost}
	r.conversations = append(r.conversations, c)
	r.name(c, key)
	return c
}

func (r *record) name(c *conversation, key string) {
	at := 0
	if c.modern {
		at = len(r.named[key])
	}
	r.named[key] = slices.Insert(r.named[key], at, c)
}

// take files an entry of the client.
func (r *record) take(e *entry) {
	if e.HTTP != nil && e.HTTP.Method == http.MethodOptions {
		return // a browser asks on its own account whether the client may
	}
	messages := messagesOf(e)
	c := r.ownerOf(e, messages)
	if c == nil {
		r.elsewhere = append(r.elsewhere, e)
		return
	}
	e.owner = c
	c.messages = append(c.messages, messages...)
	if e.HTTP != nil {
		c.heads = append(c.heads, e)
		c.deleted = c.deleted || e.HTTP.Method == http.MethodDelete
	}
	e.asked = recording.Keep(messages, func(m *message) bool { return m.kind == kindRequest })
}

// ownerOf is the conversation that an entry of the client belongs to; nil if to none.
func (r *record) ownerOf(e *entry, messages []*message) *conversation {
	switch {
	case e.Transport == requirement.SSE && len(messages) == 0:
		return nil
	case e.Transport != requirement.HTTP:
		return r.connected(e, messages)
	// no journal of our server lacks it, but one of others may
	case e.HTTP == nil || e.path() != cmp.Or(e.Endpoint, "/mcp"):
		return nil
	}
	id := e.Header(headerSession)
	only := &message{whole: true}
	if len(messages) == 1 {
		only = messages[0]
	}
	known := first(r.named[key(requirement.HTTP, id)])
	modern := requirement.Revision(e.Header(headerVersion)).Modern() || modernMethod(only.method)
	switch {
	case only.modern(e) || id == "" && modern:
		if c := first(r.named[key("modern", e.Identity)]); c != nil {
			return c
		}
		return r.start(requirement.HTTP, true, key("modern", e.Identity))
	case only.method == methodInitialize && (id == "" || known == nil || known.closed != nil || known.gone()):
		return r.start(requirement.HTTP, false, "")
	case id != "" && known != nil:
		return known
	}
	return r.unnamed(e, id, len(messages) > 0)
}

// unnamed finds the conversation of an HTTP request that names no session, or none that
// was issued: that of its connection, or the newest.
func (r *record) unnamed(e *entry, id string, says bool) *conversation {
	all := recording.Keep(r.conversations,
		func(c *conversation) bool { return c.Transport == requirement.HTTP && !c.modern })
	for _, c := range slices.Backward(all) {
		if slices.ContainsFunc(c.heads, func(h *entry) bool { return h.Connection == e.Connection }) {
			return c
		}
	}
	switch newest := last(all); {
	case newest != nil || !says:
		return newest
	case id != "" && r.lost:
		return r.start(requirement.HTTP, false, key(requirement.HTTP, id))
	}
	return r.start(requirement.HTTP, false, "")
}

// connected finds the conversation on a connection, by its era.
func (r *record) connected(e *entry, messages []*message) *conversation {
	var old, fresh *conversation
	for _, c := range r.named[key(e.Transport, e.Session)] {
		if c.modern {
			fresh = c
		} else {
			old = c
		}
	}
	modern := old == nil && fresh != nil
	if len(messages) == 1 && messages[0].kind == kindRequest {
		m := messages[0]
		modern = m.modern(e) || old == nil && (modernMethod(m.method) || fresh != nil &&
			m.method != methodInitialize)
	} else if old != nil && fresh != nil {
		modern = ofModern(old, fresh, messages)
	}
	c, other := old, fresh
	if modern {
		c, other = fresh, old
	}
	if c == nil {
		c = r.start(e.Transport, modern, key(e.Transport, e.Session))
		if other != nil {
			c.sibling, other.sibling = other, c
		}
	}
	return c
}

// ofModern reports whether what is no request belongs to the modern one of two conversations on
// a connection: it cancels a request of it, or nothing was asked in the other, which is then no
// more than a line that could not be read.
func ofModern(old, fresh *conversation, messages []*message) bool {
	if len(messages) == 1 && messages[0].method == methodCancelled {
		m := messages[0]
		id := idKey(m.Get("params.requestId").Raw)
		if named := fresh.request(id, m) != nil; named != (old.request(id, m) != nil) {
			return named
		}
	}
	return len(old.requests()) == 0
}

func modernMethod(method string) bool { return method == methodDiscover || method == methodListen }

// give files an entry of the server.
func (r *record) give(e *entry) {
	c, q := first(r.named[key(e.Transport, e.Session)]), r.noted[place{e.journal, e.RequestSeq}]
	if q != nil {
		c = cmp.Or(q.owner, c)
	}
	if e.of = c; c == nil {
		return
	}
	if e.RequestSeq != 0 && e.HTTP != nil {
		if q != nil && q.reply == nil {
			q.reply = e
		}
		if id := e.Header(headerSession); !c.modern && c.session == "" && id != "" {
			c.session = id
			r.name(c, key(requirement.HTTP, id))
		}
	}
	if e.EventID != "" {
		c.events = append(c.events, e)
	}
	if q != nil && e.Stream != "" {
		q.events = append(q.events, e)
	}
	for _, m := range messagesOf(e) {
		r.sent, c.messages = m, append(c.messages, m)
		switch {
		case m.kind != kindResponse:
		case q != nil:
			m.answerOf(q.asked, len(q.asked) == 1)
		case e.RequestSeq == 0:
			m.answerOf(c.messages, false)
		}
	}
}

// answerOf joins a response to the last request among some messages that has its id. Where there can be
// but one, an error need not have it.
func (m *message) answerOf(all []*message, one bool) {
	for _, q := range slices.Backward(all) {
		if q.Direction == out || q.kind != kindRequest {
			continue
		}
		if q.id == m.id || one && m.failed() && (m.id == "" || m.id == "nnull") {
			m.method, q.answers = q.method, append(q.answers, m)
			q.answer = q.answers[0]
			return
		}
	}
}

// group is all conversations in one combination.
type group struct {
	requirement.Combination
	*record
	members []*conversation
	// uris and templates are those that the server told of in lists, results and notifications, each with
	// the first message that has it.
	uris, templates map[string]*message
}

// groups sorts the conversations by combination.
func (r *record) groups() []*group {
	var all []*group
	for _, c := range r.conversations {
		i := slices.IndexFunc(all, func(g *group) bool { return g.Combination == c.Combination })
		if i < 0 {
			i = len(all)
			all = append(all, &group{record: r, Combination: c.Combination, uris: map[string]*message{},
				templates: map[string]*message{}})
		}
		g := all[i]
		c.group, g.members = g, append(g.members, c)
		for _, m := range c.fromServer() {
			for _, x := range []gjson.Result{m.Get("result"), m.Get("params")} {
				g.collect(x, m)
			}
		}
	}
	return all
}

// collect finds all URIs and templates, however deep they lie.
func (g *group) collect(x gjson.Result, m *message) {
	if !x.IsObject() && !x.IsArray() {
		return
	}
	x.ForEach(func(key, value gjson.Result) bool {
		told := map[string]map[string]*message{"uri": g.uris, "uriTemplate": g.templates}[key.Str]
		if told == nil || value.Type != gjson.String || !x.IsObject() {
			g.collect(value, m)
		} else if told[value.Str] == nil {
			told[value.Str] = m
		}
		return true
	})
}

// judge runs a check on each conversation, and says at last why there was no occasion.
func (g *group) judge(k *check, q *requirement.Requirement) verdict.Result {
	const nothing recording.Name = "nothing"
	recordings := verdict.Recordings{nothing: {Skipped: &recording.Skipped{
		Code: recording.CodeNotExercised, Reason: "the client gave no occasion: " + k.occasion,
	}}}
	by := map[recording.Name]*conversation{}
	var from []recording.Name
	for _, c := range g.members {
		from, recordings[c.Scenario], by[c.Scenario] = append(from, c.Scenario), c.Recording, c
	}
	return verdict.Evaluate(&verdict.Check{
		From:  append(from, nothing),
		Judge: func(v *verdict.Verdict) { k.judge(&judging{by[v.Scenario], v}) },
	}, q, &recording.Facts{Combination: g.Combination}, recordings)
}
