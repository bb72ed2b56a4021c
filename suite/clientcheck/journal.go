package clientcheck

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The directions and kinds of entries, and the scope of those that are about one stream.
const (
	in  = "in"
	out = "out"

	kindRequest      = "request"
	kindNotification = "notification"
	kindResponse     = "response"
	kindBatch        = "batch"
	kindUnreadable   = "unreadable"
	kindOpened       = "opened"
	kindClosed       = "closed"

	scopeStream = "stream"
)

// entry is an entry of a journal in its JSON form, as far as it is needed here.
type entry struct {
	Seq        int                   `json:"seq"`
	Time       time.Time             `json:"time"`
	Direction  string                `json:"direction"`
	Kind       string                `json:"kind"`
	Transport  requirement.Transport `json:"transport"`
	Session    string                `json:"session"`
	Connection string                `json:"connection"`
	Revision   requirement.Revision  `json:"revision"`
	Identity   string                `json:"identity"`
	Method     string                `json:"method"`
	ID         json.RawMessage       `json:"id"`
	URI        string                `json:"uri"`
	RequestSeq int                   `json:"requestSeq"`
	HTTP       *struct {
		Method string      `json:"method"`
		Path   string      `json:"path"`
		Status int         `json:"status"`
		Header http.Header `json:"header"`
	} `json:"http"`
	Stream    string          `json:"stream"`
	EventID   string          `json:"eventId"`
	Size      int             `json:"size"`
	Scope     string          `json:"scope"`
	Reason    string          `json:"reason"`
	Message   json.RawMessage `json:"message"`
	Text      string          `json:"text"`
	Base64    []byte          `json:"base64"`
	Truncated bool            `json:"truncated"`

	raw []byte // the message, in whichever member it stands
}

// header is a header of the HTTP request or answer; empty if it is not there.
func (e *entry) header(name string) string {
	if e.HTTP == nil {
		return ""
	}
	return e.HTTP.Header.Get(name)
}

// Journal is what mock servers noted of their clients.
type Journal struct{ entries []*entry }

// Read reads a journal: one JSON object a line. A last line that was not finished is left
// out.
func Read(r io.Reader) (Journal, error) {
	var j Journal
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return j, fmt.Errorf("the journal cannot be read: %w", err)
		}
		e := &entry{}
		fault := json.Unmarshal(line, e)
		switch {
		case len(bytes.TrimSpace(line)) == 0, fault != nil && err != nil:
		case fault != nil:
			return j, fmt.Errorf("line %d of the journal is no entry: %w", n, fault)
		default:
			e.raw = slices.Concat(e.Message, []byte(e.Text), e.Base64)
			j.entries = append(j.entries, e)
		}
		if err != nil {
			return j, nil
		}
	}
}

// From reads the journal that something writes, such as that of a mock server in this
// process.
func From(w io.WriterTo) (Journal, error) {
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return Journal{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	return Read(&b)
}

// Merge joins the journals of several servers that a client used, by time, under new
// numbers. What one of them has lost is lost in the result.
func Merge(journals ...Journal) Journal {
	type place struct{ journal, seq int }
	type sourced struct {
		*entry
		from int
	}
	var all []sourced
	lost := 0
	for n, j := range journals {
		for i, e := range j.entries {
			if i == 0 && e.Seq > 1 || i > 0 && e.Seq != j.entries[i-1].Seq+1 {
				lost = 1
			}
			all = append(all, sourced{e, n})
		}
	}
	slices.SortStableFunc(all, func(a, b sourced) int {
		if a.from == b.from {
			return cmp.Compare(a.Seq, b.Seq)
		}
		return a.Time.Compare(b.Time)
	})
	numbers := map[place]int{}
	for i, e := range all {
		numbers[place{e.from, e.Seq}] = i + 1 + lost
	}
	var merged Journal
	for _, s := range all {
		e := *s.entry
		e.Seq, e.RequestSeq = numbers[place{s.from, e.Seq}], numbers[place{s.from, e.RequestSeq}]
		merged.entries = append(merged.entries, &e)
	}
	return merged
}

// The methods that several checks look at.
const (
	methodList      = "resources/list"
	methodTemplates = "resources/templates/list"
	methodRead      = "resources/read"
	methodComplete  = "completion/complete"
	methodListen    = "subscriptions/listen"
	methodDiscover  = "server/discover"
	listChanged     = "notifications/resources/list_changed"
)

// message is one message of a conversation. A batch becomes several.
type message struct {
	*entry
	sent    bool // by the server
	kind    string
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
func messagesOf(e *entry) []*message {
	m := &message{entry: e, sent: e.Direction == out, kind: e.Kind, id: idKey(e.ID), method: e.Method, uri: e.URI, whole: !e.Truncated}
	switch e.Kind {
	case kindRequest, kindNotification, kindResponse, kindUnreadable:
		if m.whole && wire.Valid(e.raw) {
			m.raw = gjson.ParseBytes(e.raw)
			m.params = m.raw.Get("params")
		}
		return []*message{m}
	case kindBatch:
	default:
		return nil
	}
	m.batched = true
	if !m.whole || !wire.Valid(e.raw) {
		m.whole = false
		return []*message{m}
	}
	var all []*message
	for _, x := range gjson.ParseBytes(e.raw).Array() {
		all = append(all, memberOf(m, x))
	}
	return all
}

// memberOf is a message of a batch.
func memberOf(batch *message, x gjson.Result) *message {
	m := *batch
	m.kind, m.raw, m.params = kindUnreadable, x, x.Get("params")
	m.id = idKey(json.RawMessage(x.Get("id").Raw))
	switch method := x.Get("method"); {
	case !x.IsObject():
	case method.Type == gjson.String:
		m.kind, m.method = kindNotification, method.String()
		if m.id != "" {
			m.kind = kindRequest
		}
		m.uri = m.params.Get("uri").String()
		m.uri = cmp.Or(m.uri, m.params.Get("ref.uri").String())
	case x.Get("result").Exists() || x.Get("error").Exists():
		m.kind = kindResponse
	}
	return &m
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
		return "the id " + shorten(string(text))
	}
	return "the id " + shorten(key[1:])
}

// meta is a member of _meta that the protocol defines.
func (m *message) meta(name string) gjson.Result {
	return m.params.Get("_meta").Get(`io\.modelcontextprotocol/` + name)
}

// claimsModern reports whether a message carries the metadata of modern requests.
func (m *message) claimsModern() bool {
	return m.meta("protocolVersion").Exists() || m.meta("clientInfo").Exists() || m.meta("clientCapabilities").Exists()
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
func shorten(s string) string { return reports.Shorten(strings.ToValidUTF8(s, "\uFFFD"), 120) }
