package journal

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
)

// Direction says who spoke.
type Direction string

// The directions. Entries about connections and rules have none.
const (
	In  Direction = "in"  // from the client
	Out Direction = "out" // from the server
)

// Kind says what an entry is about.
type Kind string

// The kinds of entries.
const (
	Request      Kind = "request"
	Notification Kind = "notification"
	Response     Kind = "response"
	Batch        Kind = "batch"        // an array of messages
	Unreadable   Kind = "unreadable"   // no JSON-RPC message
	HTTPRequest  Kind = "http-request" // an HTTP request without a message
	HTTPAnswer   Kind = "http-answer"  // an HTTP answer without a message
	Event        Kind = "event"        // a server-sent event without a message
	Opened       Kind = "opened"
	Closed       Kind = "closed"
	Applied      Kind = "applied"
)

// Kinds lists the kinds of entries.
func Kinds() []Kind {
	return []Kind{Request, Notification, Response, Batch, Unreadable, HTTPRequest, HTTPAnswer, Event, Opened,
		Closed, Applied}
}

// The scopes of Opened and Closed entries.
const (
	ScopeConnection = "connection" // stdio, HTTP+SSE
	ScopeSession    = "session"    // a legacy session of Streamable HTTP
	ScopeStream     = "stream"     // an event stream, or a request whose client left
)

// Entry is one entry. It is not changed after it has been noted.
type Entry struct {
	// Seq numbers the entries from 1.
	Seq uint64 `json:"seq"`
	// Time is when it was noted.
	Time      time.Time `json:"time"`
	Direction Direction `json:"direction,omitempty"`
	Kind      Kind      `json:"kind"`
	// Transport is "stdio", "http" or "sse".
	Transport string `json:"transport,omitempty"`
	// Session is the id of the connection (stdio, HTTP+SSE) or session
	// (Streamable HTTP); empty for requests of no session.
	Session string `json:"session,omitempty"`
	// Connection tells network connections apart: the address of the client.
	Connection string `json:"connection,omitempty"`
	// Revision is the protocol revision that was negotiated, or that the
	// request claims; empty before a handshake.
	Revision string `json:"revision,omitempty"`
	// Identity is the fingerprint of the bearer token that came along.
	Identity string `json:"identity,omitempty"`
	// Method is the JSON-RPC method; of a response, that of its request.
	Method string `json:"method,omitempty"`
	// ID is the JSON-RPC id as it was written; nil if there is none.
	ID json.RawMessage `json:"id,omitempty"`
	// URI is that of the resource that the message is about, if it is about one.
	URI string `json:"uri,omitempty"`
	// RequestSeq is the number of the entry that this one answers, belongs to
	// or ends; 0 if there is none.
	RequestSeq uint64 `json:"requestSeq,omitempty"`
	// HTTP is the head of the request or of the answer.
	HTTP *HTTP `json:"http,omitempty"`
	// Stream is the kind of the event stream ("post", "get", "sse") on which
	// the server sent this.
	Stream string `json:"stream,omitempty"`
	// EventID is the id of the server-sent event.
	EventID string `json:"eventId,omitempty"`
	// Retry is the retry field of the server-sent event, in milliseconds.
	Retry int `json:"retry,omitempty"`
	// Raw is the message as it crossed the wire, but for secrets, cut at Options.MaxRaw; Size is
	// its length in bytes before that.
	Raw  []byte `json:"-"`
	Size int    `json:"size,omitempty"`
	// Rules names the faults, quirks, failures and delays that were in force for
	// the request: the one applied (Applied), or all so far (Out).
	Rules []string `json:"rules,omitempty"`
	// Scope says what was opened or closed, Reason how it came to be closed:
	// "client", "server", "abort", "evicted", "deleted", "shutdown" or "interrupted" (by a
	// signal, with the input still open).
	Scope  string `json:"scope,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// HTTP is the head of an HTTP request (Method, Path) or answer (Status).
type HTTP struct {
	Method string      `json:"method,omitempty"`
	Path   string      `json:"path,omitempty"` // with the query
	Status int         `json:"status,omitempty"`
	Header http.Header `json:"header,omitempty"` // credentials are masked
}

// Following makes an entry about what comes of the request that this one is about: its answer, say.
func (e *Entry) Following(k Kind) *Entry {
	return &Entry{
		Kind: k, Transport: e.Transport, Session: e.Session, Connection: e.Connection, Revision: e.Revision,
		Identity: e.Identity,
		Method:   e.Method, URI: e.URI, RequestSeq: e.Seq,
	}
}

// Truncated reports whether Raw is less than what crossed the wire.
func (e *Entry) Truncated() bool { return len(e.Raw) < e.Size }

// Params is the params member of the message; nil if there is none. It
// shares memory with Raw.
func (e *Entry) Params() json.RawMessage { return e.member("params") }

// Failure is the error object of a response; nil if it succeeded.
func (e *Entry) Failure() json.RawMessage { return e.member("error") }

func (e *Entry) member(name string) json.RawMessage {
	if e.Truncated() || len(e.Raw) == 0 || e.Raw[0] != '{' {
		return nil
	}
	if r := gjson.GetBytes(e.Raw, name); r.Exists() {
		return json.RawMessage(r.Raw)
	}
	return nil
}

// Header is a header of the HTTP request or answer; empty if it is not there.
func (e *Entry) Header(name string) string {
	if e.HTTP == nil {
		return ""
	}
	return e.HTTP.Header.Get(name)
}

// MarshalJSON writes the message as JSON under "message" where it is complete and
// is JSON, else as "text", or as "base64" where it is not even UTF-8.
func (e Entry) MarshalJSON() ([]byte, error) {
	type plain Entry
	view := struct {
		plain
		Message   json.RawMessage `json:"message,omitempty"`
		Text      string          `json:"text,omitempty"`
		Base64    []byte          `json:"base64,omitempty"`
		Truncated bool            `json:"truncated,omitempty"`
	}{plain: plain(e), Truncated: e.Truncated()}
	switch {
	case len(e.Raw) == 0:
	case !utf8.Valid(e.Raw):
		view.Base64 = e.Raw
	case !view.Truncated && json.Valid(e.Raw):
		view.Message = e.Raw
	default:
		view.Text = string(e.Raw)
	}
	return encoded(view)
}

// UnmarshalJSON reads what MarshalJSON wrote. White space in a message that was
// sent with some is lost.
func (e *Entry) UnmarshalJSON(data []byte) error {
	type plain Entry
	view := struct {
		*plain
		Message json.RawMessage `json:"message"`
		Text    string          `json:"text"`
		Base64  []byte          `json:"base64"`
	}{plain: (*plain)(e)}
	if err := json.Unmarshal(data, &view); err != nil {
		return err
	}
	switch {
	case view.Message != nil:
		e.Raw = view.Message
		if e.Size < len(e.Raw) || json.Valid(e.Raw) {
			e.Size = len(e.Raw)
		}
	case view.Text != "":
		e.Raw = []byte(view.Text)
	case view.Base64 != nil:
		e.Raw = view.Base64
	}
	return nil
}

// Classify reads from a message what an entry says about it: kind, id, method and
// the URI of the resource. It changes nothing else.
func (e *Entry) Classify(raw []byte) {
	e.Kind = Unreadable
	if !scan.Valid(raw) {
		return
	}
	switch raw = bytes.TrimLeft(raw, " \t\r\n"); raw[0] {
	case '[':
		e.Kind = Batch
		return
	case '{':
	default:
		return
	}
	var members [5][]byte
	scan.Pick(raw, members[:], "id", "method", "params", "result", "error")
	id, params := members[0], members[2]
	e.ID = id
	method, named := scan.Text(members[1])
	switch {
	case named && id != nil:
		e.Kind = Request
	case named:
		e.Kind = Notification
	case members[3] != nil || members[4] != nil:
		e.Kind = Response
	}
	if named {
		e.Method = method
		e.URI = uriOf(params)
	}
}

// uriOf finds the URI that params are about: their own, or that of the reference
// whose argument is to be completed.
func uriOf(params []byte) string {
	if !scan.IsObject(params) {
		return ""
	}
	var members [2][]byte
	scan.Pick(params, members[:], "uri", "ref")
	if uri, ok := scan.Text(members[0]); ok {
		return uri
	}
	return uriOf(members[1])
}

// Token is the bearer token of a request; empty if there is none.
func Token(h http.Header) string {
	values := h["Authorization"]
	if len(values) != 1 {
		return ""
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// Fingerprint is what an entry keeps of a bearer token: enough to tell tokens
// apart, too little to use one. That of no token is empty.
func Fingerprint(token string) string {
	if token == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:6])
}
