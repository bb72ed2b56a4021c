package engine

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// blanks are the white space of JSON.
const blanks = " \t\r\n"

// incoming is a JSON-RPC message of the client, taken apart.
type incoming struct {
	raw []byte
	// wellFormed says that it is one JSON text in UTF-8.
	wellFormed bool
	kind       journal.Kind    // empty if it is invalid
	noted      journal.Kind    // what it is to the journal, which is less strict
	written    json.RawMessage // the id as it is written
	id         json.RawMessage // of a request; of an invalid one, if it could be read
	method     string
	params     arguments
	why        string // of an invalid one
}

// parse takes a message apart. It is not decoded: most of it is looked at in the place where
// it stands.
func parse(raw []byte) *incoming {
	m := &incoming{}
	m.parse(raw)
	return m
}

func (m *incoming) parse(raw []byte) {
	m.raw, m.why, m.noted = raw, "a message is a JSON object", journal.Unreadable
	if !scan.Valid(raw) {
		return
	}
	m.wellFormed = utf8.Valid(raw)
	object := bytes.TrimLeft(raw, blanks)
	if object[0] == '[' {
		m.noted = journal.Batch
	}
	if object[0] != '{' {
		return
	}
	var members [6][]byte
	scan.Pick(object, members[:], "id", "jsonrpc", "method", "params", "result", "error")
	m.written = members[0]
	version, _ := scan.OneOf(members[1], "2.0")
	var named bool
	if m.method, named = scan.OneOf(members[2], hook.MethodRead, hook.MethodList,
		hook.MethodTemplates); named {
		m.params.read(members[3])
	}
	if validID(m.written) {
		m.id = m.written
	}
	answers := members[4] != nil || members[5] != nil
	switch {
	case named && m.written != nil:
		m.noted = journal.Request
	case named:
		m.noted = journal.Notification
	case answers:
		m.noted = journal.Response
	}
	switch {
	case version != "2.0":
		m.why = `the member "jsonrpc" must be "2.0"`
	case members[2] == nil && !answers:
		m.why = `the member "method" is missing`
	case members[2] != nil && !named:
		m.why = `the member "method" must be a string`
	case m.noted == journal.Request && m.id == nil:
		m.why = "an id is a string or an integer"
	default:
		m.kind = m.noted
	}
}

// describe writes into an entry what there is to say about the message.
func (m *incoming) describe(e *journal.Entry) {
	e.Kind, e.ID, e.Method, e.URI = m.noted, m.written, m.method, m.params.about
}

// validID reports whether the id, which is valid JSON, is a string or an integer.
func validID(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '"' || digits(raw) || isInteger(string(raw)))
}

// digits reports whether all bytes are digits.
func digits(raw []byte) bool {
	for _, b := range raw {
		if b < '0' || b > '9' {
			return false
		}
	}
	return len(raw) <= 64
}

// isInteger reports whether a JSON number has no fraction. Numbers that are too
// long for an id, or have an exponent of more than two digits, are not looked at.
func isInteger(n string) bool {
	if len(n) > 64 {
		return false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(n), "e"); ok &&
		len(strings.TrimLeft(exponent, "+-0")) > 2 {
		return false
	}
	r, ok := new(big.Rat).SetString(n)
	return ok && r.IsInt()
}

// idKey makes ids comparable: "7" and 7 differ, "A" and "\u0041" do not.
func idKey(raw json.RawMessage) string {
	if digits(raw) || simple(raw) {
		return string(raw)
	}
	v, err := hook.Decode(raw)
	if err != nil {
		return string(raw)
	}
	return string(hook.Encode(v))
}

// nothing ends an answer that is complete.
var nothing = journal.NewShared(nil)

// answer is the message that answers a call. A result that has been rendered stays apart.
func answer(c *hook.Call, r *hook.Reply) hook.Message {
	m := hook.Message{Kind: hook.Response, Call: c, Status: r.Status, Header: r.Header}
	if r.Rendered == nil || r.Raw != nil || r.Error != nil {
		if m.Raw = envelope(c.ID, r); r.Raw == nil {
			m.Tail = nothing
		}
		return m
	}
	const before, between = `{"jsonrpc":"2.0","id":`, `,`
	m.Raw = make([]byte, 0, len(before)+len(c.ID)+len(between))
	m.Raw = append(append(append(m.Raw, before...), c.ID...), between...)
	m.Tail = r.Rendered
	return m
}

// simple reports whether a string can be written in one way only.
func simple(raw []byte) bool {
	for _, b := range raw {
		if b < ' ' || b > '~' || b == '\\' {
			return false
		}
	}
	return raw[0] == '"'
}

// envelope makes the message that carries a reply. The order of members is the
// customary one.
func envelope(id json.RawMessage, r *hook.Reply) []byte {
	if r.Raw != nil {
		return r.Raw
	}
	b := append(make([]byte, 0, 256), `{"jsonrpc":"2.0"`...)
	if id != nil {
		b = append(append(b, `,"id":`...), id...)
	}
	switch {
	case r.Error != nil:
		b = hook.AppendEncoded(append(b, `,"error":`...), r.Error)
	case r.Result == nil:
		b = append(b, `,"result":{}`...)
	default:
		b = hook.AppendEncoded(append(b, `,"result":`...), r.Result)
	}
	return append(b, '}')
}

// arguments are the params of a message: what matters to most methods, as it is written, and
// nil where it is not there.
type arguments struct {
	raw          json.RawMessage
	object       bool   // they are an object
	uri          string // if located
	located      bool   // there is a URI, and it is a string
	about        string // the URI, or that of the reference that is to be completed
	cursor, meta []byte
	// These are members of the metadata, if it is an object.
	version, capabilities, client, level, progress []byte
}

// read reads params that are valid JSON, or nil.
func (a *arguments) read(raw []byte) {
	if a.raw, a.object = raw, scan.IsObject(raw); !a.object {
		return
	}
	var members [5][]byte
	scan.Pick(raw, members[:4], "uri", "cursor", "_meta", "ref")
	a.uri, a.located = scan.Text(members[0])
	a.cursor, a.meta = members[1], members[2]
	a.about = a.uri
	if ref := members[3]; scan.IsObject(ref) && !a.located {
		scan.Pick(ref, members[:1], "uri")
		a.about, _ = scan.Text(members[0])
	}
	if !a.described() {
		return
	}
	clear(members[:])
	scan.Pick(a.meta, members[:], metaVersion, metaCapabilities, metaClientInfo, metaLogLevel,
		"progressToken")
	a.version, a.capabilities, a.client, a.level, a.progress = members[0], members[1], members[2], members[3],
		members[4]
}

// described reports whether there is metadata.
func (a *arguments) described() bool { return scan.IsObject(a.meta) }

// claimsModern reports whether there is metadata that only modern requests have.
func (a *arguments) claimsModern() bool {
	return a.version != nil || a.capabilities != nil || a.client != nil
}

// decode are the params as an object, which is nil if they are something else.
func (a *arguments) decode() hook.Object {
	params, _ := hook.DecodeObject(a.raw)
	return params
}

// token is the progress token, if there is one.
func (a *arguments) token() any {
	if text, ok := scan.Text(a.progress); ok {
		return text
	}
	if a.progress != nil && validID(a.progress) {
		return json.Number(a.progress)
	}
	return nil
}

// isImplementation reports whether a value has the name and the version of one.
func isImplementation(value []byte) bool {
	if !scan.IsObject(value) {
		return false
	}
	var members [2][]byte
	scan.Pick(value, members[:], "name", "version")
	return scan.IsText(members[0]) && scan.IsText(members[1])
}

// same reports whether two slices are the same bytes in the same place.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}
