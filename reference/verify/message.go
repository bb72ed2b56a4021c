package verify

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// message is one message of a conversation. A batch becomes several.
type message struct {
	entry   *journal.Entry
	sent    bool // by the server
	kind    journal.Kind
	id      string // see idKey; empty if there is none
	method  string // of a response, that of its request
	uri     string
	raw     gjson.Result // nothing if the message is unreadable, or was cut
	params  gjson.Result
	batched bool
	whole   bool // all of it is known

	answer  *message // of a request: its first response
	answers []*message
}

// seq is the number of the entry.
func (m *message) seq() uint64 { return m.entry.Seq }

// result is the result of a response; it does not exist in an error.
func (m *message) result() gjson.Result { return m.raw.Get("result") }

// failed reports whether a response is an error.
func (m *message) failed() bool { return m.raw.Get("error").Exists() }

// succeeded is the result that a request got; false if it got none that can be read.
func (m *message) succeeded() (gjson.Result, bool) {
	if m.answer == nil || !m.answer.whole || m.answer.failed() {
		return gjson.Result{}, false
	}
	r := m.answer.result()
	return r, r.IsObject()
}

// messagesOf takes an entry apart.
func messagesOf(e *journal.Entry) []*message {
	sent := e.Direction == journal.Out
	switch e.Kind {
	case journal.Request, journal.Notification, journal.Response, journal.Unreadable:
		return []*message{single(e, sent, e.Raw, !e.Truncated())}
	case journal.Batch:
	default:
		return nil
	}
	if e.Truncated() || !gjson.ValidBytes(e.Raw) {
		return []*message{{entry: e, sent: sent, kind: journal.Batch, batched: true}}
	}
	var all []*message
	for _, x := range gjson.ParseBytes(e.Raw).Array() {
		member := journal.Entry{}
		member.Classify([]byte(x.Raw))
		m := single(&member, sent, []byte(x.Raw), true)
		m.entry, m.batched = e, true
		all = append(all, m)
	}
	return all
}

func single(e *journal.Entry, sent bool, raw []byte, whole bool) *message {
	m := &message{entry: e, sent: sent, kind: e.Kind, id: idKey(e.ID), method: e.Method, uri: e.URI, whole: whole}
	if whole && gjson.ValidBytes(raw) {
		m.raw = gjson.ParseBytes(raw)
		m.params = m.raw.Get("params")
	}
	return m
}

// idKey tells ids apart: 1 is not "1", but "a" is "\u0061". An absent id is empty.
func idKey(id json.RawMessage) string {
	switch {
	case len(id) == 0:
		return ""
	case id[0] == '"':
		return "s" + gjson.ParseBytes(id).String()
	}
	return "n" + string(id)
}

// shownID is an id as it was written, for sentences.
func shownID(key string) string {
	switch {
	case key == "":
		return "no id"
	case key[0] == 's':
		text, _ := json.Marshal(key[1:]) // a string can always be written
		return string(text)
	}
	return key[1:]
}

// The keys of the metadata of modern requests.
const metaPrefix = "io.modelcontextprotocol/"

// meta is a member of _meta with our prefix.
func (m *message) meta(name string) gjson.Result {
	return m.params.Get("_meta").Get(strings.ReplaceAll(metaPrefix, ".", `\.`) + name)
}

// claimsModern reports whether a message carries the metadata of modern requests.
func (m *message) claimsModern() bool {
	for _, name := range []string{"protocolVersion", "clientInfo", "clientCapabilities"} {
		if m.meta(name).Exists() {
			return true
		}
	}
	return false
}

// what is the message in a few words.
func (m *message) what() string {
	switch m.kind {
	case journal.Request, journal.Notification:
		return shorten(m.method)
	case journal.Response:
		return "a response with " + shortenID(m.id)
	case journal.Batch:
		return "a batch"
	}
	return "something that is no message"
}

func shortenID(key string) string {
	if key == "" {
		return "no id"
	}
	return "the id " + shorten(shownID(key))
}

// shorten bounds what a client wrote before it becomes part of a sentence.
func shorten(s string) string {
	const most = 120
	r := []rune(strings.ToValidUTF8(s, "\uFFFD"))
	if len(r) <= most {
		return string(r)
	}
	return string(r[:most]) + "…"
}
