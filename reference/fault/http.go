package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Conditions of faults over HTTP.
var (
	overHTTP     = Needs{Transports: []string{hook.HTTP}}
	modernHTTP   = Needs{Transports: []string{hook.HTTP}, Revisions: []string{hook.R20260728}}
	modernServed = Needs{Transports: []string{hook.HTTP}, Served: []string{hook.R20260728}}
)

// The headers and paths that the faults touch.
const (
	headerVersion = "Mcp-Protocol-Version"
	headerSession = "Mcp-Session-Id"
	headerMethod  = "Mcp-Method"
	headerName    = "Mcp-Name"
	lastEventID   = "Last-Event-ID"
	pathMCP       = "/mcp"
)

// The faults of Streamable HTTP: statuses, media types and bodies.
func init() {
	Register(
		Fault{
			Name: "http-01-notifications-elsewhere", Requirement: "HTTP-01", Needs: overHTTP,
			Summary: "notifications are not found at the endpoint",
			Hooks:   refuse(func(r *http.Request) bool { return isNotification(posted(r)) }, http.StatusNotFound),
		},
		Fault{
			Name: "http-02-html", Requirement: "HTTP-02", Needs: overHTTP,
			Summary: "GET is answered by a web page",
			Hooks: hook.OnHTTP(local(by(http.MethodGet)), func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", "text/html")
				_, _ = w.Write([]byte("<h1>It works</h1>"))
			}),
		},
		Fault{
			Name: "http-03-get-opens-stream", Requirement: "HTTP-03", Needs: modernServed,
			Summary: "GET opens an event stream",
			Hooks: hook.OnHTTP(local(by(http.MethodGet)), func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				_ = http.NewResponseController(w).Flush() // a writer that cannot flush sends by itself
				<-r.Context().Done()
			}),
		},
		Fault{
			Name: "http-03-delete-accepted", Requirement: "HTTP-03", Needs: modernServed,
			Summary: "DELETE is answered by 200",
			Hooks:   refuse(by(http.MethodDelete), http.StatusOK),
		},
		Fault{
			Name: "http-06-refused-with-200", Requirement: "HTTP-06", Needs: overHTTP,
			Summary: "notifications are refused with status 200 and an error",
			Hooks: hook.EditAnswer(func(r *http.Request, body []byte, a *hook.Answer) {
				if r.Header.Get("Origin") == "" && isNotification(bodyObject(body)) && a.Status >= 400 {
					a.Status = http.StatusOK
				}
			}),
		},
		Fault{
			Name: "http-06-error-with-id", Requirement: "HTTP-06", Needs: overHTTP,
			Summary: "errors about notifications have the id 1",
			Hooks: hook.EditAnswer(func(_ *http.Request, body []byte, a *hook.Answer) {
				if isNotification(bodyObject(body)) && a.Status >= 400 {
					a.Body = hook.EditRaw(a.Body, func(o hook.Object) { o["id"] = hook.Number(1) })
				}
			}),
		},
		Fault{
			Name: "http-07-plain-text", Requirement: "HTTP-07", Needs: overHTTP,
			Summary: "answers are declared text/plain",
			Hooks: hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
				if status == http.StatusOK && h.Get("Content-Type") == "application/json" {
					h.Set("Content-Type", "text/plain")
				}
				return status
			}),
		},
		Fault{
			Name: "http-13-version-ignored", Requirement: "HTTP-13", Needs: overHTTP,
			Summary: "the version header is ignored in sessions",
			Hooks:   hook.EditRequest(func(r *http.Request) { dropUnknownVersion(r, http.MethodPost) }),
		},
		Fault{
			Name: "http-14-version-required", Requirement: "HTTP-14", Needs: overHTTP,
			Summary: "a list without version header is refused in sessions",
			Hooks: refuseHeaders(func(c *hook.Call) bool {
				return c.Header.Get(headerVersion) == "" && c.Header.Get(headerSession) != "" && c.Revision >= hook.R20250618
			}, -32600),
		},
		Fault{
			Name: "http-32-json-first", Requirement: "HTTP-32", Needs: overHTTP,
			Summary: "Accept must begin with application/json",
			Hooks: refuse(func(r *http.Request) bool {
				return r.Method == http.MethodPost && !strings.HasPrefix(strings.ToLower(r.Header.Get("Accept")), "application/json")
			}, http.StatusNotAcceptable),
		},
		Fault{
			Name: "http-32-no-charset", Requirement: "HTTP-32", Needs: overHTTP,
			Summary: "a charset parameter in Content-Type is refused",
			Hooks:   refuse(func(r *http.Request) bool { return strings.Contains(r.Header.Get("Content-Type"), ";") }, http.StatusUnsupportedMediaType),
		},
		Fault{
			Name: "http-36-malformed-500", Requirement: "HTTP-36", Needs: overHTTP,
			Summary: "a malformed body is a server error",
			Hooks: refuse(func(r *http.Request) bool {
				return r.Method == http.MethodPost && r.URL.Path == pathMCP && posted(r) == nil
			}, http.StatusInternalServerError),
		},
		Fault{
			Name: "http-37-cached-by-id", Requirement: "HTTP-37", Needs: overHTTP,
			Summary: "lists are cached by request id, across clients",
			Make:    cachedByID,
		},
		Fault{
			Name: "http-39-no-get", Requirement: "HTTP-39", Needs: overHTTP,
			Summary: "notifications are declared, but there is no stream to deliver them",
			Hooks:   refuse(by(http.MethodGet), http.StatusMethodNotAllowed),
		},
		Fault{
			Name: "http-60-get-unchecked", Requirement: "HTTP-60", Needs: overHTTP,
			Summary: "GET takes any version header",
			Hooks:   hook.EditRequest(func(r *http.Request) { dropUnknownVersion(r, http.MethodGet) }),
		},
		Fault{
			Name: "http-60-delete-unchecked", Requirement: "HTTP-60", Needs: overHTTP,
			Summary: "DELETE takes any version header",
			Hooks:   hook.EditRequest(func(r *http.Request) { dropUnknownVersion(r, http.MethodDelete) }),
		},
	)
}

// by matches requests to the endpoint by their HTTP method.
func by(method string) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Method == method && r.URL.Path == pathMCP }
}

// posted is the message in the body of a POST; nil if it is no object.
func posted(r *http.Request) hook.Object {
	if r.Method != http.MethodPost {
		return nil
	}
	body, err := hook.PeekBody(r)
	if err != nil {
		return nil
	}
	return bodyObject(body)
}

func bodyObject(body []byte) hook.Object {
	o, _ := hook.DecodeObject(body)
	return o
}

func isNotification(o hook.Object) bool {
	_, named := o["method"].(string)
	_, numbered := o["id"]
	return named && !numbered
}

// refuse answers requests with a status and nothing else.
func refuse(match func(*http.Request) bool, status int) hook.Hooks {
	return hook.OnHTTP(local(match), func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(status)
	})
}

// local is match for requests that no web page makes: what is wrong with an Origin is
// left to the server behind.
func local(match func(*http.Request) bool) func(*http.Request) bool {
	return func(r *http.Request) bool { return r.Header.Get("Origin") == "" && match(r) }
}

// refuseHeaders refuses calls of resources/list over HTTP for their headers.
func refuseHeaders(match func(c *hook.Call) bool, code int64) hook.Hooks {
	return hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Header == nil || !match(c) {
			return next(ctx, c)
		}
		reply := hook.Fail(code, "a header is missing")
		reply.Status = http.StatusBadRequest
		return reply
	})
}

// dropUnknownVersion removes a version header that names no revision.
func dropUnknownVersion(r *http.Request, method string) {
	known := []string{hook.R20250326, hook.R20250618, hook.R20251125, hook.R20260728}
	if r.Method == method && r.Header.Get(headerSession) != "" && !slices.Contains(known, r.Header.Get(headerVersion)) {
		r.Header.Del(headerVersion)
	}
}

// cachedByID answers a list with what was answered to the last one that had the
// same id, whoever asked.
func cachedByID(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	answers := map[string]*hook.Reply{}
	return hook.OnMethod(hook.MethodList+"|"+hook.MethodTemplates, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport == hook.Stdio {
			return next(ctx, c)
		}
		mu.Lock()
		defer mu.Unlock()
		key := c.Revision + string(c.ID)
		if answers[key] == nil {
			answers[key] = next(ctx, c)
		}
		return answers[key]
	})
}
