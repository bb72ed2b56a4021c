package clientcheck

import (
	"cmp"
	"net/http"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// The headers of Streamable HTTP.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerLast    = "Last-Event-Id"
)

// conversation is what was said on one connection or in one session. The exchanges of its recording are
// the requests of the server, with how the client answered them; its facts are what the server declared.
type conversation struct {
	*group
	*recording.Recording
	requirement.Combination
	modern  bool
	session string // the id that the server issued; empty if it issued none
	whole   bool   // it is known how it began
	guessed bool   // nothing says the revision

	messages []*message
	heads    []*entry   // HTTP requests of the client, with a message or without
	events   []*entry   // what went out with an event id
	stray    []*message // responses of the client that belong to no request
	closed   *entry     // the end of the connection or session

	initialize *message      // the initialize that succeeded, or else the first one
	accepted   *message      // its result
	sibling    *conversation // of the other era on the same connection
	deleted    bool          // the client ended the session
}

// fromClient lists the messages of the client, of some kinds if any is given.
func (c *conversation) fromClient(kinds ...string) []*message { return c.pick(in, kinds) }

// fromServer lists the messages of the server, of some kinds if any is given.
func (c *conversation) fromServer(kinds ...string) []*message { return c.pick(out, kinds) }

func (c *conversation) pick(direction string, kinds []string) []*message {
	return recording.Keep(c.messages, func(m *message) bool {
		return m.Direction == direction && (len(kinds) == 0 || slices.Contains(kinds, m.kind))
	})
}

// requests lists the requests of the client, with one of the methods if any is given.
func (c *conversation) requests(methods ...string) []*message {
	return of(c.fromClient(kindRequest), methods...)
}

// notes lists the notifications of the client with one of some methods.
func (c *conversation) notes(methods ...string) []*message {
	return of(c.fromClient(kindNotification), methods...)
}

// of lists the messages with one of the methods, or all if none is given.
func of(all []*message, methods ...string) []*message {
	if len(methods) == 0 {
		return all
	}
	return recording.Keep(all, func(m *message) bool { return slices.Contains(methods, m.method) })
}

// first is the first of some things, last the last; nil if there are none.
func first[T any](all []*T) *T {
	for _, one := range all {
		return one
	}
	return nil
}

func last[T any](all []*T) *T {
	for _, one := range slices.Backward(all) {
		return one
	}
	return nil
}

// before keeps the messages up to another one.
func before(all []*message, m *message) []*message {
	return recording.Keep(all, func(x *message) bool { return x.Seq <= m.Seq })
}

// request is the last request of the client with an id, up to a message of it; nil if there is none.
func (c *conversation) request(id string, until *message) *message {
	return last(recording.Keep(before(c.requests(), until), func(q *message) bool { return q.id == id }))
}

// understood is the first request of the client that succeeded, or was refused by an error that only
// revisions without handshake have; nil if none was.
func (c *conversation) understood() *message {
	return first(recording.Keep(c.requests(), func(m *message) bool {
		return m.succeeded().Exists() || m.code() == codeMismatch || m.code() == codeCapability
	}))
}

// initialized is the first notification that completes the handshake; nil if there is none.
func (c *conversation) initialized() *message { return first(c.notes(methodInitialized)) }

// last is the last thing that the client sent; nil if it sent nothing.
func (c *conversation) last() *message { return last(c.fromClient()) }

// gone reports whether the client was told that the session is no more.
func (c *conversation) gone() bool {
	return c.deleted || slices.ContainsFunc(c.heads, func(h *entry) bool {
		return h.status() == http.StatusNotFound && h.Header(headerSession) != ""
	})
}

// settle finds out what was agreed at the beginning, and so the revision: the first that is claimed.
// Where none is, it is the newest that the client can have meant.
func (c *conversation) settle() {
	known := recording.Keep(requirement.Revisions(), func(r requirement.Revision) bool {
		return r.Modern() == c.modern
	})
	claim := func(version string) {
		if r := requirement.Revision(version); c.Revision == "" && slices.Contains(known, r) {
			c.Revision = r
		}
	}
	for _, m := range c.requests(methodInitialize) {
		if c.modern || c.accepted != nil {
			break
		}
		if r := m.succeeded(); r.Exists() {
			c.initialize, c.accepted = m, m.answer
			claim(r.Get("protocolVersion").String())
		}
		c.initialize = cmp.Or(c.initialize, m)
	}
	if c.initialize != nil {
		claim(c.initialize.Get("params.protocolVersion").String())
	}
	for _, m := range c.requests() {
		claim(m.meta("protocolVersion").String())
	}
	for _, h := range c.heads {
		claim(h.Header(headerVersion))
	}
	for _, m := range c.messages {
		claim(string(m.Revision))
	}
	c.guessed = c.Revision == ""
	if c.modern || c.Transport == requirement.SSE {
		claim(string(known[0]))
	}
	claim(string(known[len(known)-1]))
}

// recorded makes the recording. Where requests of the server have the same id, each response is one to the
// first of them that has none: a client cannot help what ids a server takes.
func (c *conversation) recorded(name recording.Name) {
	c.Recording = &recording.Recording{
		Scenario: name, Combination: c.Combination, Facts: &recording.Facts{Combination: c.Combination},
	}
	if c.accepted != nil {
		c.Facts.Declared = []byte(c.accepted.Get("result").Raw)
	}
	for _, q := range c.fromServer(kindRequest) {
		c.Exchanges = append(c.Exchanges, &recording.Exchange{
			Session: string(c.Scenario), Method: q.method, ID: []byte(cmp.Or(q.Get("id").Raw, string(q.ID))),
			Request: q.Seq, Sent: q.at, Outcome: recording.Silent,
		})
	}
	for _, m := range c.fromClient(kindResponse) {
		var asked *recording.Exchange
		for _, x := range c.Exchanges {
			if idKey(string(x.ID)) == m.id && x.Request < m.Seq && (asked == nil || len(asked.Replies) > 0) {
				asked = x
			}
		}
		switch {
		case asked == nil:
			c.stray = append(c.stray, m)
			continue
		case len(asked.Replies) == 0:
			asked.Outcome, asked.Took = recording.Replied, m.at-asked.Sent
			asked.Attach(m.Object)
		}
		asked.Replies = append(asked.Replies, m.Seq)
	}
}
