package fault

import (
	"bytes"
	"encoding/base64"
	"net"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func httpCode() code {
	return code{
		"http-26-one-spelling": hook.Hooks{Conn: func(c net.Conn) net.Conn { return &speller{Conn: c} }},
		"sec-06-everywhere":    hook.Hooks{Public: hook.Always},
		"http-27-caseless": hook.EditRequest(func(r *http.Request) {
			if method, ok := posted(r)["method"].(string); ok &&
				strings.EqualFold(r.Header.Get(headerMethod), method) {
				r.Header.Set(headerMethod, method)
			}
		}),
		"http-09-stays-open": hook.OnHTTP(
			nil,
			func(x hook.Serving) {
				x.Next()
				if by(http.MethodPost)(x.Request) && hook.Streams(x.W) {
					hook.Hang(x.Context())
				}
			},
		),
		"http-09-error-stays-open": hook.OnHTTP(
			by(http.MethodPost),
			func(x hook.Serving) {
				failed := false
				x.Serve(&hook.Writer{ResponseWriter: x.W, Body: func(p []byte) (int, error) {
					failed = failed || bytes.Contains(p, []byte(`"error":{`))
					return x.W.Write(p)
				}}, x.Request)
				if failed && hook.Streams(x.W) {
					hook.Hang(x.Context())
				}
			},
		),
		"http-25-more-behind": hook.EditRequest(func(r *http.Request) {
			params, _ := posted(r)["params"].(hook.Object)
			if uri, ok := params["uri"].(string); ok && strings.HasPrefix(decodedName(r), uri) {
				r.Header.Set(headerName, uri)
			}
		}),
		"http-12-broadcast": broadcasting(by(http.MethodGet), "method"),
		"http-12-progress-broadcast": broadcasting(
			func(r *http.Request) bool { return r.URL.Path == pathMCP },
			"progressToken",
		),
		"http-03-get-opens-stream": hook.OnHTTP(
			local(by(http.MethodGet)),
			func(x hook.Serving) {
				x.Reply(http.StatusOK, "text/event-stream", "")
				_ = http.NewResponseController(x.W).Flush() // a writer that cannot flush sends by itself
				hook.Hang(x.Context())
			},
		),
		"http-37-cached-by-id": remembering(
			hook.MethodList+"|"+hook.MethodTemplates,
			func(c *hook.Call) string { return c.Revision + string(c.ID) },
		),
		"http-37-few-threads": starved(6, func(*http.Request) string { return "" }),
		"http-37-streams-of-session": starved(
			3,
			func(r *http.Request) string { return r.Header.Get(headerSession) },
		),
		"http-37-one-client": hook.OnMethod("initialize", func(c hook.Calling) *hook.Reply {
			if !taken(c.Call) {
				return c.Next()
			}
			return hook.Fail(-32600, "Invalid Request: Server already initialized")
		}),
	}
}

// taken reports whether another session with a handshake stands.
func taken(c *hook.Call) bool {
	return c.Transport == hook.HTTP && slices.ContainsFunc(c.Session.Sessions(), func(s hook.Session) bool {
		return s.Transport() == hook.HTTP && s.ID() != c.Session.ID() && s.Revision() != "" &&
			!hook.Modern(s.Revision())
	})
}

// The headers and paths that the faults touch.
const (
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	lastEventID   = "Last-Event-ID"
	pathMCP       = "/mcp"
)

// by matches requests to the endpoint by their HTTP method.
func by(method string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == method && r.URL.Path == pathMCP }
}

// decodedName is what Mcp-Name stands for.
func decodedName(r *http.Request) string {
	name := r.Header.Get(headerName)
	if inner, encoded := strings.CutPrefix(name, "=?base64?"); encoded {
		plain, _ := base64.StdEncoding.DecodeString(
			strings.TrimSuffix(inner, "?="),
		) // what cannot be decoded names nothing
		return string(plain)
	}
	return name
}

// posted is the message in the body of a POST; nil if it is no object.
func posted(r *http.Request) hook.Object {
	if r.Method != http.MethodPost {
		return nil
	}
	body, _ := hook.PeekBody(r)
	o, _ := hook.DecodeObject(body) // what could not be read to its end is none
	return o
}

// local is match for requests that no web page makes: what is wrong with an Origin is
// left to the server behind.
func local(match func(*http.Request) bool) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Header.Get("Origin") == "" && match(r) }
}

// speller spoils the names of headers that begin with "m" or "MC". Lines of a body
// can begin so as well, but JSON on one line does not.
type speller struct {
	net.Conn
	column   int
	previous byte
}

// Read reads with the names changed.
func (s *speller) Read(p []byte) (int, error) {
	n, err := s.Conn.Read(p)
	for i, b := range p[:n] {
		if s.column == 0 && b == 'm' || s.column == 1 && s.previous == 'M' && b == 'C' {
			p[i] = 'X'
		}
		s.column, s.previous = s.column+1, b
		if b == '\n' {
			s.column = 0
		}
	}
	return n, err
}
