package clientcheck

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/suite/judge/schema"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The methods that several checks look at.
const (
	methodInitialize  = "initialize"
	methodInitialized = "notifications/initialized"
	methodCancelled   = "notifications/cancelled"
	methodPing        = "ping"
	methodList        = "resources/list"
	methodTemplates   = "resources/templates/list"
	methodRead        = "resources/read"
	methodSubscribe   = "resources/subscribe"
	methodUnsubscribe = "resources/unsubscribe"
	methodComplete    = "completion/complete"
	methodListen      = "subscriptions/listen"
	methodDiscover    = "server/discover"
	listChanged       = "notifications/resources/list_changed"
	updated           = "notifications/resources/updated"
)

// message is one message of a conversation. An array becomes several. The object is empty if the
// message is unreadable, or was cut.
type message struct {
	*entry
	wire.Object
	kind    string
	id      string // see idKey; empty if there is none
	method  string // of a response, that of its request
	uri     string
	batched bool
	whole   bool     // all of it is known
	answer  *message // of a request: its first response
	answers []*message
}

// failed reports whether a response is an error.
func (m *message) failed() bool { return m.Get("error").Exists() }

// succeeded is the result that a request got; it does not exist if it got none that can be read.
func (m *message) succeeded() gjson.Result {
	if m.answer == nil || !m.answer.whole || m.answer.failed() || !m.answer.Get("result").IsObject() {
		return gjson.Result{}
	}
	return m.answer.Get("result")
}

// code is that of the error that a request got; 0 if it got none.
func (m *message) code() int64 {
	if m.answer == nil {
		return 0
	}
	return m.answer.Get("error.code").Int()
}

// answeredBy reports whether a request had its response before a message.
func (m *message) answeredBy(later *message) bool {
	return m.answer != nil && m.answer.Seq <= later.Seq
}

// messagesOf takes an entry apart.
func messagesOf(e *entry) []*message {
	m := message{
		entry: e, kind: e.Kind, id: idKey(string(e.ID)), method: e.Method, uri: e.URI,
		whole: !e.Truncated, batched: e.Kind == kindBatch,
	}
	readable := m.whole && wire.Valid(e.Data)
	switch {
	case !slices.Contains([]string{kindRequest, kindNotification, kindResponse, kindBatch, kindUnreadable},
		e.Kind):
		return nil
	case !readable:
		m.whole = m.whole && !m.batched
	case m.batched:
		var all []*message
		for _, x := range wire.Parse(e.Data).Array() {
			all = append(all, m.member(wire.NewMessage(wire.LookedUp(x))))
		}
		return all
	default:
		m.Object = wire.LookedUp(wire.Parse(e.Data))
	}
	return []*message{&m}
}

// member is a message of a batch.
func (m message) member(x wire.Message) *message {
	m.Object, m.kind, m.id = x.Object, string(x.Kind), idKey(x.Get("id").Raw)
	if x.Kind == wire.KindRequest || x.Kind == wire.KindNotification {
		m.method = x.Get("method").String()
		m.uri = cmp.Or(x.Get("params.uri").String(), x.Get("params.ref.uri").String())
	} else if !x.Get("result").Exists() && !x.Get("error").Exists() {
		m.kind = kindUnreadable
	}
	return &m
}

// idKey tells ids apart: 1 is not "1", but "a" is "\u0061". An absent id is empty.
func idKey(id string) string {
	switch {
	case id == "":
		return ""
	case id[0] == '"':
		return "s" + gjson.Parse(id).String()
	}
	return "n" + id
}

// shownID is an id as it was written, for sentences.
func shownID(key string) string {
	if key == "" {
		return "no id"
	}
	text := []byte(key[1:])
	if key[0] == 's' {
		text, _ = json.Marshal(key[1:]) // a string can always be written
	}
	return "the id " + shorten(string(text))
}

// meta is a member of _meta that the protocol defines.
func (m *message) meta(name string) gjson.Result {
	return m.Get(`params._meta.io\.modelcontextprotocol/` + name)
}

// modern reports whether a message carries the metadata of modern requests, or if it was cut, whether its
// entry says that it is of a modern revision.
func (m *message) modern(e *entry) bool {
	return m.meta("protocolVersion").Exists() || m.meta("clientInfo").Exists() ||
		m.meta("clientCapabilities").Exists() || !m.whole && e.Revision.Modern()
}

// again reports whether a request is a retry with what a result asked for.
func (m *message) again() bool {
	return m.Get("params.inputResponses").Exists() || m.Get("params.requestState").Exists()
}

// misnaming says which member of a message of the client has nearly the name of one that is missing;
// empty if none has.
func (m *message) misnaming() string {
	if m.Direction == out || m.owner == nil {
		return ""
	}
	is, meant := schema.For(m.owner.Revision).Misnamed(m.Result)
	if is == "" {
		return ""
	}
	return fmt.Sprintf("%s has %q: is %s meant?", m.what(), shorten(is), meant)
}

// what is the message in a few words.
func (m *message) what() string {
	switch m.kind {
	case kindRequest, kindNotification:
		return shorten(m.method)
	case kindResponse:
		return "a response with " + shownID(m.id)
	case kindBatch:
		return "a batch"
	}
	return "something that is no message"
}

// shorten bounds what a client wrote before it becomes part of a sentence.
func shorten(s string) string { return safe.Shorten(strings.ToValidUTF8(s, "\uFFFD"), 120) }
