package engine

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/internal/scan"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

// maxPlain bounds the messages that are looked at; plain ones are short.
const maxPlain = 8 << 10

// plainRequest is a request in which nothing is unusual: each member is there once, has the
// type that it should have and no escapes in it.
type plainRequest struct {
	id     json.RawMessage
	method string
	uri    string
	cursor string
	meta   []byte
	// version is what the metadata claims; empty in a legacy request.
	version string
	// hasURI and hasCursor tell absent strings from empty ones.
	hasParams, hasURI, hasCursor bool
}

// plainMethods are those of plain requests.
var plainMethods = []string{hook.MethodRead, hook.MethodList, hook.MethodTemplates}

// plainly reads a message; ok is false if it is not plain. Its metadata may claim one of
// the modern revisions.
func plainly(body []byte, modern []string) (p plainRequest, ok bool) {
	if len(body) > maxPlain || !utf8.Valid(body) || !scan.Valid(body) {
		return p, false
	}
	for len(body) > 0 && scan.Blank(body[0]) {
		body = body[1:]
	}
	if body[0] != '{' {
		return p, false
	}
	var version, params []byte
	for name, value := range scan.Members(body) {
		once := true
		switch string(name) {
		case "jsonrpc":
			once, version = version == nil, value
		case "id":
			once, p.id = p.id == nil, value
		case "method":
			once, p.method = p.method == "", oneOf(value, plainMethods)
		case "params":
			once, params = params == nil, value
		default:
			once = scan.Plain(name)
		}
		if !once {
			return p, false
		}
	}
	if string(version) != `"2.0"` || p.method == "" || !plainID(p.id) {
		return p, false
	}
	if params == nil {
		return p, true
	}
	p.hasParams = true
	return p, params[0] == '{' && p.readParams(params) && p.readMeta(modern)
}

// plainText is the value of a string without escapes.
func plainText(value []byte) (string, bool) {
	if value[0] != '"' || !scan.Plain(value) {
		return "", false
	}
	return string(value[1 : len(value)-1]), true
}

// plainID reports whether an id is a string or a number of digits.
func plainID(id []byte) bool {
	if len(id) == 0 || len(id) > 64 {
		return false
	}
	if id[0] == '"' {
		return true
	}
	for _, c := range id {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// is reports whether a value is that string, written without escapes.
func is(value []byte, s string) bool {
	return len(value) == len(s)+2 && value[0] == '"' && scan.Plain(value) && string(value[1:len(value)-1]) == s
}

func (p *plainRequest) readParams(params []byte) bool {
	for name, value := range scan.Members(params) {
		once, ok := true, true
		switch string(name) {
		case "uri":
			once = !p.hasURI
			p.uri, p.hasURI = plainText(value)
			ok = p.hasURI
		case "cursor":
			once = !p.hasCursor
			p.cursor, p.hasCursor = plainText(value)
			ok = p.hasCursor
		case "_meta":
			once, ok = p.meta == nil, value[0] == '{'
			p.meta = value
		case "ref":
			ok = false // could be taken for what the request is about
		default:
			ok = scan.Plain(name)
		}
		if !once || !ok {
			return false
		}
	}
	return true
}

// describe says in an entry what there is to say about the request.
func (p *plainRequest) describe(e *journal.Entry) {
	e.Kind, e.ID, e.Method, e.URI = journal.Request, p.id, p.method, p.uri
}

// readMeta reads the metadata: that of a legacy request has none of the members that make
// a modern one, that of a modern one has all that it must have.
func (p *plainRequest) readMeta(modern []string) bool {
	var version, capable, introduced bool
	for name, value := range scan.Members(p.meta) {
		once, ok := true, true
		switch string(name) {
		case metaVersion:
			once = !version
			p.version = oneOf(value, modern)
			version = p.version != ""
			ok = version
		case metaCapabilities:
			once, capable = !capable, value[0] == '{'
			ok = capable
		case metaClientInfo:
			once, introduced = !introduced, plainInfo(value)
			ok = introduced
		case metaLogLevel:
			ok = false
		default:
			ok = scan.Plain(name)
		}
		if !once || !ok {
			return false
		}
	}
	return version == capable && (version || !introduced)
}

// oneOf is the one of some strings that a value is; empty if it is none.
func oneOf(value []byte, known []string) string {
	for _, s := range known {
		if is(value, s) {
			return s
		}
	}
	return ""
}

// plainInfo reports whether a client introduces itself by a name and a version.
func plainInfo(info []byte) bool {
	if info[0] != '{' {
		return false
	}
	var name, version int
	for member, value := range scan.Members(info) {
		switch {
		case !scan.Plain(member):
			return false
		case string(member) == "name" && value[0] == '"':
			name++
		case string(member) == "version" && value[0] == '"':
			version++
		case string(member) == "name" || string(member) == "version":
			return false
		}
	}
	return name == 1 && version == 1
}

// params are the members that matter to the one who makes the result.
func (p *plainRequest) params() hook.Object {
	params := hook.Object{}
	if p.hasURI {
		params["uri"] = p.uri
	}
	if p.hasCursor {
		params["cursor"] = p.cursor
	}
	return params
}

// plainRevision is the revision in which a plain request is served; empty if its headers
// are not as plain, or it takes a session and has none that is at ease.
func (e *Engine) plainRevision(h http.Header, s *session, p *plainRequest) string {
	if p.version != "" {
		if p.mirrored(h) {
			return p.version
		}
		return ""
	}
	offered := e.handshaking(hook.HTTP)
	if version := first(h, headerVersion); s == nil || s.transport != hook.HTTP || len(offered) == 0 || version != "" && !slices.Contains(offered, version) {
		return ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(s.inflight) >= maxInFlight {
		return ""
	}
	return s.revision
}

// first is the first value of a header, whose name is written as such names are kept.
func first(h http.Header, name string) string {
	if values := h[name]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// mirrored reports whether the headers of a modern request say what its body says.
func (p *plainRequest) mirrored(h http.Header) bool {
	same := func(name, want string) bool {
		values := h[name]
		return len(values) == 1 && strings.Trim(values[0], " \t") == want
	}
	return p.hasParams && same(headerVersion, p.version) && same(headerMethod, p.method) &&
		(p.method != hook.MethodRead || same(headerName, p.uri) && !strings.HasPrefix(p.uri, "=?base64?"))
}
