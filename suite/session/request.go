package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/mcpcheck/mcpcheck/suite/wire"
	"github.com/tidwall/gjson"
)

// The members of _meta that every modern request carries, and the notification
// methods' common ground (2026-07-28 basic/index#meta).
const (
	MetaVersion      = "io.modelcontextprotocol/protocolVersion"
	MetaClientInfo   = "io.modelcontextprotocol/clientInfo"
	MetaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	MetaLogLevel     = "io.modelcontextprotocol/logLevel"
)

// Request is a message to send. The zero value of a member means the ordinary
// way of the session's revision and transport.
type Request struct {
	// Step is the line of the script, Tags are facts about it.
	Step recording.Step
	Tags recording.Tags

	Method string
	// Params are encoded as JSON; nil means none (in modern sessions: only
	// the metadata). A json.RawMessage is sent as it is, metadata added.
	Params any
	// ID replaces the session's own request id; raw JSON.
	ID json.RawMessage
	// Notification leaves out the id; nothing is awaited on stdio.
	Notification bool

	// Meta is merged into params._meta; a nil value removes a member. Bare
	// leaves params as they are, without any metadata.
	Meta map[string]any
	Bare bool
	// Version replaces the protocol version, in _meta and in the header.
	Version string
	// Capabilities replaces the (empty) capabilities of the client in a
	// modern request.
	Capabilities any

	// Body replaces the whole message; ID is then the id under which an
	// answer is awaited, if it is not to be read from the body. Unframed
	// suppresses the newline of stdio.
	Body     []byte
	Unframed bool
	// HTTPMethod, Chunked, URL, Header, Omit and Exact change the HTTP request; see
	// [transport.Message].
	HTTPMethod string
	Chunked    bool
	URL        string // a reference, resolved against the endpoint
	Header     map[string]string
	Omit       []string
	Exact      [][2]string
	// Answers is how many responses end the waiting; 0 means one.
	Answers int
	// NoAwait does not wait for anything: the exchange ends when it is sent.
	NoAwait bool
	// Timeout replaces the session's time for one request.
	Timeout time.Duration
	// again says that it is sent again if it cannot be told whether an answer is its own.
	again bool
}

// ClientInfo is how we introduce ourselves.
var ClientInfo = map[string]any{"name": "mcpcheck", "version": "1.0.0"}

// InitializeParams are the params of initialize for a protocol version.
func InitializeParams(version string) map[string]any {
	return map[string]any{
		"protocolVersion": version,
		"capabilities":    map[string]any{},
		"clientInfo":      ClientInfo,
	}
}

// message builds the bytes and headers of a request, and fills in what the
// exchange says about it.
func (s *Session) message(q Request, id json.RawMessage) (transport.Message, json.RawMessage, error) {
	m := transport.Message{
		Raw: q.Unframed, Method: q.HTTPMethod, URL: q.URL, Omit: q.Omit, Exact: q.Exact, Chunked: q.Chunked,
	}
	params, err := encodeParams(q)
	if s.over != requirement.Stdio {
		m.Header = s.headers(q, params)
	}
	if q.Body != nil {
		m.Body = bytes.Clone(q.Body) // the transcript keeps it
		if !wire.Valid(q.Body) {
			return m, nil, nil
		}
		return m, json.RawMessage(wire.Parse(q.Body).Get("params").Raw), nil
	}
	if q.HTTPMethod != "" && q.HTTPMethod != http.MethodPost {
		return m, nil, nil
	}
	if err == nil {
		params, err = s.withMeta(q, params)
	}
	if err != nil {
		return m, nil, err
	}
	method, err := json.Marshal(q.Method)
	if err != nil {
		return m, nil, err
	}
	m.Body = make([]byte, 0, 64+len(id)+len(method)+len(params))
	m.Body = append(m.Body, `{"jsonrpc":"2.0"`...)
	if !q.Notification {
		m.Body = append(append(m.Body, `,"id":`...), id...)
	}
	m.Body = append(append(m.Body, `,"method":`...), method...)
	if params != nil {
		m.Body = append(append(m.Body, `,"params":`...), params...)
		params = m.Body[len(m.Body)-len(params) : len(m.Body) : len(m.Body)] // which may be long
	}
	m.Body = append(m.Body, '}')
	return m, params, nil
}

// encodeParams is the params of a request as JSON; nil if there are none.
func encodeParams(q Request) (json.RawMessage, error) {
	switch p := q.Params.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return p, nil
	}
	raw, err := encode(q.Params)
	if err != nil {
		return nil, fmt.Errorf("cannot encode the params of %s: %w", q.Method, err)
	}
	return raw, nil
}

// withMeta adds to params the metadata of a request. Params that are no object carry none.
func (s *Session) withMeta(q Request, raw json.RawMessage) (json.RawMessage, error) {
	meta, err := s.metaOf(q)
	if err != nil {
		return nil, fmt.Errorf("cannot encode _meta of %s: %w", q.Method, err)
	}
	if meta == nil || raw != nil && !(wire.Valid(raw) && wire.Parse(raw).IsObject()) {
		return raw, nil
	}
	all := append(append(make([]byte, 0, len(`{"_meta":}`)+len(meta)+len(raw)), `{"_meta":`...), meta...)
	wire.Parse(raw).ForEach(func(name, value gjson.Result) bool {
		if name.Str != "_meta" {
			all = append(append(append(append(all, ','), name.Raw...), ':'), value.Raw...)
		}
		return true
	})
	return append(all, '}'), nil
}

// metaOf is the metadata of a request: in modern sessions what every request carries, and
// what the request says. It is nil if there is none.
func (s *Session) metaOf(q Request) (json.RawMessage, error) {
	ordinary := s.opts.Revision.Modern() && !q.Notification
	switch {
	case q.Bare || !ordinary && q.Meta == nil:
		return nil, nil
	case ordinary && q.Meta == nil && q.Version == "" && q.Capabilities == nil:
		return s.meta, nil
	}
	meta := map[string]any{}
	if ordinary {
		meta = ModernMeta(cmp.Or(q.Version, string(s.opts.Revision)))
		if q.Capabilities != nil {
			meta[MetaCapabilities] = q.Capabilities
		}
	}
	maps.Copy(meta, q.Meta)
	maps.DeleteFunc(meta, func(_ string, v any) bool { return v == nil })
	return encode(meta)
}

// ModernMeta is the metadata that every request of a modern revision carries.
func ModernMeta(version string) map[string]any {
	return map[string]any{MetaVersion: version, MetaClientInfo: ClientInfo,
		MetaCapabilities: map[string]any{}}
}

// encode is JSON without the escaping of <, > and &, which is legal but would
// make URIs in the transcript hard to read.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// headers are the protocol's own headers for a request with these params on an HTTP transport;
// other transports ignore them.
func (s *Session) headers(q Request, params json.RawMessage) http.Header {
	h := http.Header{}
	for k, v := range s.opts.Header {
		h.Set(k, v)
	}
	s.mu.Lock()
	version, id := s.version, s.session
	s.mu.Unlock()
	switch {
	case s.opts.Revision.Modern():
		h.Set("Mcp-Protocol-Version", cmp.Or(q.Version, string(s.opts.Revision)))
		if q.Method != "" {
			h.Set("Mcp-Method", wire.HeaderValue(q.Method))
		}
		if name := mcpName(q.Method, params); name != "" {
			h.Set("Mcp-Name", wire.HeaderValue(name))
		}
	case requirement.Revision(version).Since(requirement.R20250618):
		h.Set("Mcp-Protocol-Version", version)
	}
	if id != "" {
		h.Set("Mcp-Session-Id", id)
	}
	if q.HTTPMethod == http.MethodGet {
		h.Set("Accept", "text/event-stream")
	}
	for k, v := range q.Header {
		h.Set(k, v)
	}
	return h
}

// mcpName is the value that Mcp-Name mirrors, for the methods that have one.
func mcpName(method string, params json.RawMessage) string {
	member := map[string]string{"resources/read": "uri", "tools/call": "name", "prompts/get": "name"}[method]
	if member == "" {
		return ""
	}
	return gjson.GetBytes(params, member).String()
}
