package client

import (
	"iter"
	"slices"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
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
