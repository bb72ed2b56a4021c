package fault

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// The faults of Streamable HTTP, request metadata (2026-07-28). Most mend the
// headers of a request, so that the server behind does not see what is wrong.
func init() {
	Register(
		mends("http-16-body-wins", "HTTP-16", "the version header is not compared with the body", modernHTTP, func(h http.Header, m mirrored) {
			h.Set(headerVersion, m.version)
		}),
		mends("http-15-version-assumed", "HTTP-15", "a missing version header is taken from the body", modernServed, func(h http.Header, m mirrored) {
			fill(h, headerVersion, m.version)
		}),
		mends("http-20-method-optional", "HTTP-20", "Mcp-Method may be missing", modernHTTP, func(h http.Header, m mirrored) {
			fill(h, headerMethod, m.method)
		}),
		mends("http-21-method-ignored", "HTTP-21", "Mcp-Method is not compared with the body", modernHTTP, func(h http.Header, m mirrored) {
			if h.Get(headerMethod) != "" {
				h.Set(headerMethod, m.method)
			}
		}),
		mends("http-22-name-optional", "HTTP-22", "Mcp-Name may be missing", modernHTTP, func(h http.Header, m mirrored) {
			fill(h, headerName, m.uri)
		}),
		unlisted(mends("http-22-name-optional-nothing-listed", "HTTP-22", "Mcp-Name may be missing, and nothing is listed", modernHTTP, func(h http.Header, m mirrored) {
			fill(h, headerName, m.uri)
		})),
		mends("http-23-name-ignored", "HTTP-23", "a plain Mcp-Name is not compared with the body", modernHTTP, func(h http.Header, m mirrored) {
			if name := h.Get(headerName); name != "" && !strings.HasPrefix(name, "=?base64?") {
				h.Set(headerName, m.uri)
			}
		}),
		mends("http-24-encoding-unknown", "HTTP-24", "an encoded Mcp-Name is compared as it stands", modernHTTP, func(h http.Header, _ mirrored) {
			if name := h.Get(headerName); strings.HasPrefix(name, "=?base64?") {
				h.Set(headerName, "literally "+name)
			}
		}),
		unlisted(mends("http-24-encoding-unknown-nothing-listed", "HTTP-24", "an encoded Mcp-Name is compared as it stands, and nothing is listed", modernHTTP, func(h http.Header, _ mirrored) {
			if name := h.Get(headerName); strings.HasPrefix(name, "=?base64?") {
				h.Set(headerName, "literally "+name)
			}
		})),
		mends("http-25-broken-name-skipped", "HTTP-25", "an encoded Mcp-Name that cannot be decoded is ignored", modernHTTP, func(h http.Header, m mirrored) {
			if strings.Contains(h.Get(headerName), "!") {
				h.Set(headerName, m.uri)
			}
		}),
		mends("http-27-caseless", "HTTP-27", "Mcp-Method is compared without regard to case", modernHTTP, func(h http.Header, m mirrored) {
			if strings.EqualFold(h.Get(headerMethod), m.method) {
				h.Set(headerMethod, m.method)
			}
		}),
		restatused("http-17-status-200", "HTTP-17", "an unsupported version is refused with status 200", "-32022"),
		restatused("http-18-status-200", "HTTP-18", "an unknown method is refused with status 200", "-32601"),
		restatused("http-19-status-200", "HTTP-19", "missing metadata is refused with status 200", "-32602"),
		Fault{
			Name: "http-28-name-everywhere", Requirement: "HTTP-28", Needs: modernHTTP,
			Summary: "lists are refused for want of Mcp-Name",
			Hooks:   refuseHeaders(func(c *hook.Call) bool { return c.Modern && c.Header.Get(headerName) == "" }, -32020),
		},
		Fault{
			Name: "http-29-session-unknown", Requirement: "HTTP-29", Needs: modernServed,
			Summary: "an unknown session id is not found",
			Hooks:   refuse(func(r *http.Request) bool { return r.Header.Get(headerSession) != "" }, http.StatusNotFound),
		},
		Fault{
			Name: "http-29-no-resumption", Requirement: "HTTP-29", Needs: modernServed,
			Summary: "Last-Event-ID is refused",
			Hooks:   refuse(func(r *http.Request) bool { return r.Header.Get(lastEventID) != "" }, http.StatusBadRequest),
		},
		Fault{
			Name: "http-29-session-minted", Requirement: "HTTP-29", Needs: modernServed,
			Summary: "responses issue a session id",
			Hooks: hook.EditHead(func(_ *http.Request, status int, h http.Header) int {
				h.Set(headerSession, "0f8fad5b-d9cb-469f-a165-70867728950e")
				return status
			}),
		},
		Fault{
			Name: "http-34-no-id", Requirement: "HTTP-34", Needs: modernHTTP,
			Summary: "errors about headers have no id",
			Hooks: hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
				if a.Status == http.StatusBadRequest {
					a.Body = hook.EditRaw(a.Body, func(o hook.Object) { delete(o, "id") })
				}
			}),
		},
		Fault{
			Name: "http-61-metadata-optional", Requirement: "HTTP-61", Needs: modernServed,
			Summary: "metadata that is missing is made up",
			Hooks: hook.EditCall("", func(c *hook.Call) {
				const prefix = "io.modelcontextprotocol/"
				for name, value := range map[string]any{"protocolVersion": hook.R20260728, "clientCapabilities": hook.Object{}} {
					if !c.Notification() && c.Meta(prefix+name) == nil {
						c.SetMeta(prefix+name, value)
					}
				}
			}),
		},
	)
}

// mirrored is what the headers of a request repeat.
type mirrored struct{ method, uri, version string }

// unlisted joins a fault with lists that are empty.
func unlisted(f Fault) Fault {
	empty := func(member string) func(hook.Object) {
		return func(result hook.Object) {
			if _, ok := result[member]; ok {
				result[member] = []any{}
				delete(result, "nextCursor")
			}
		}
	}
	f.Hooks = hook.Join(f.Hooks, hook.EditResult(hook.MethodList, empty("resources")), hook.EditResult(hook.MethodTemplates, empty("resourceTemplates")))
	return f
}

// mends makes a fault that changes the headers of posted requests.
func mends(name, requirement, summary string, needs Needs, mend func(h http.Header, m mirrored)) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Needs: needs,
		Hooks: hook.EditRequest(func(r *http.Request) {
			o := posted(r)
			params, _ := o["params"].(hook.Object)
			var m mirrored
			m.method, _ = o["method"].(string)
			m.uri, _ = params["uri"].(string)
			m.version, _ = hook.ObjectAt(params, "_meta")["io.modelcontextprotocol/protocolVersion"].(string)
			if m.method != "" && m.version != "" {
				mend(r.Header, m)
			}
		})}
}

// fill sets a header that is missing.
func fill(h http.Header, name, value string) {
	if h.Get(name) == "" && value != "" {
		h.Set(name, value)
	}
}

// restatused makes a fault that answers one error code with status 200.
func restatused(name, requirement, summary, code string) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Needs: modernHTTP,
		Hooks: hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
			if a.Status >= 400 && bytes.Contains(a.Body, []byte(code)) {
				a.Status = http.StatusOK
			}
		})}
}
