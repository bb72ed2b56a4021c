package fault

import (
	"context"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// The revisions since which the protocol has titles, icons and statelessness.
var (
	sinceTitles = []string{hook.R20250618, hook.R20251125, hook.R20260728}
	sinceIcons  = []string{hook.R20251125, hook.R20260728}
	onlyModern  = []string{hook.R20260728}
)

// Faults of what resources/list says.
func init() {
	Register(
		Fault{
			Name: "list-01-null-resources", Requirement: "LIST-01",
			Summary: "the last page says resources: null",
			Hooks: hook.EditResult(hook.MethodList, func(result hook.Object) {
				if _, more := result["nextCursor"]; !more {
					result["resources"] = nil
				}
			}),
		},
		Fault{
			Name: "list-02-null-uri", Requirement: "LIST-02",
			Summary: "the first resource has a null uri",
			Hooks:   setFirst("uri", nil),
		},
		Fault{
			Name: "list-05-null-description", Requirement: "LIST-05",
			Summary: "the first resource has a null description",
			Hooks:   setFirst("description", nil),
		},
		Fault{
			Name: "list-05-null-title", Requirement: "LIST-05",
			Summary: "the first resource has a null title",
			Needs:   Needs{Revisions: sinceTitles},
			Hooks:   setFirst("title", nil),
		},
		Fault{
			Name: "list-05-null-mime-type", Requirement: "LIST-05",
			Summary: "the first resource has a null mimeType",
			Hooks:   setFirst("mimeType", nil),
		},
		Fault{
			Name: "list-05-string-size", Requirement: "LIST-05",
			Summary: "the first resource has its size in quotes",
			Hooks:   setFirst("size", "1024"),
		},
		Fault{
			Name: "list-08-size-in-base64", Requirement: "LIST-08",
			Summary: "the size of a binary resource is that of its base64 form",
			Overlay: func(w *world.World) {
				for i := range w.Resources {
					if r := &w.Resources[i]; r.Blob != nil {
						n := int64(len(*r.Blob))
						r.Size = &n
					}
				}
			},
		},
		Fault{
			Name: "list-10-by-connection", Requirement: "LIST-10",
			Summary: "every connection misses another resource of the first page",
			Needs:   Needs{Revisions: onlyModern, Transports: []string{hook.HTTP}},
			Make:    listByConnection,
		},
		Fault{
			Name: "list-11-recent-reads", Requirement: "LIST-11",
			Summary: "what was read on a connection is listed there as recently used",
			Needs:   Needs{Revisions: onlyModern},
			Make:    recentReads,
		},
		Fault{
			Name: "list-13-params-required", Requirement: "LIST-13",
			Summary: "resources/list without params is refused with -32602",
			Hooks: hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Params == nil {
					return hook.Fail(-32602, "Invalid params: params are missing")
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "list-14-same-uri-twice", Requirement: "LIST-14",
			Summary: "the first resource is listed twice, under different names",
			Hooks: hook.EditResult(hook.MethodList, func(result hook.Object) {
				entries, _ := result["resources"].([]any)
				if len(entries) == 0 {
					return
				}
				twin := hook.Object{"name": "twin"}
				if first, ok := entries[0].(hook.Object); ok {
					twin["uri"] = first["uri"]
				}
				result["resources"] = append(entries, twin)
			}),
		},
		Fault{
			Name: "list-15-normalised-uri", Requirement: "LIST-15",
			Summary: "a trailing slash is dropped before a URI is looked up",
			Hooks: hook.EditParams(hook.MethodRead, func(_ *hook.Call, params hook.Object) {
				if uri, ok := params["uri"].(string); ok {
					params["uri"] = strings.TrimSuffix(uri, "/")
				}
			}),
		},
		Fault{
			Name: "list-16-private-page", Requirement: "LIST-16",
			Summary: "a page that clients cannot load by themselves is listed under its https URI",
			Overlay: func(w *world.World) {
				text := "for signed-in staff\n"
				w.Resources = append(w.Resources, world.Resource{
					URI: "https://intranet.example.com/staff", Name: "staff", MIMEType: "text/plain", Text: &text})
			},
		},
		Fault{
			Name: "list-18-type-without-slash", Requirement: "LIST-18",
			Summary: "the first resource has the mimeType markdown",
			Hooks:   setFirst("mimeType", "markdown"),
		},
		Fault{
			Name: "list-18-template-type", Requirement: "LIST-18",
			Summary: "templates have a mimeType with a space in it",
			Hooks:   hook.EditEachTemplate(func(_ int, t hook.Object) { t["mimeType"] = "plain text" }),
		},
		Fault{
			Name: "list-18-content-type", Requirement: "LIST-18",
			Summary: "contents are of the mimeType text",
			Hooks:   hook.EditEachContent(func(_ int, c hook.Object) { c["mimeType"] = "text" }),
		},
	)
}

// setFirst sets a member of the first resource of each page.
func setFirst(member string, value any) hook.Hooks {
	return hook.EditEachResource(func(i int, resource hook.Object) {
		if i == 0 {
			resource[member] = value
		}
	})
}

// connectionHeader carries the remote address of a request to the hooks of calls.
const connectionHeader = "X-Fault-Connection"

// tellConnections makes connections known to the hooks of calls; see connection.
func tellConnections() hook.Hooks {
	return hook.EditRequest(func(r *http.Request) { r.Header.Set(connectionHeader, r.RemoteAddr) })
}

// connection names the connection that a call came on.
func connection(c *hook.Call) string {
	if addr := c.Header.Get(connectionHeader); addr != "" {
		return addr
	}
	return c.Peer.ID()
}

// listByConnection leaves out of the first page a resource that depends on the
// order in which connections appeared.
func listByConnection(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	order := map[string]int{}
	return hook.Join(tellConnections(), hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		if !c.Modern {
			return
		}
		name := connection(c)
		if _, known := order[name]; !known {
			order[name] = len(order)
		}
		entries, _ := result["resources"].([]any)
		if c.Param("cursor") == nil && len(entries) > 1 {
			i := order[name] % len(entries)
			result["resources"] = append(append([]any{}, entries[:i]...), entries[i+1:]...)
		}
	}))
}

// recentReads adds to the last page of the list what was read on the connection.
func recentReads(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	reads := map[string]int{}
	return hook.Join(tellConnections(),
		hook.EditResultOf(hook.MethodRead, func(c *hook.Call, _ hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			if c.Modern {
				reads[connection(c)]++
			}
		}),
		hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
			mu.Lock()
			defer mu.Unlock()
			entries, _ := result["resources"].([]any)
			for i := range reads[connection(c)] {
				n := strconv.Itoa(i + 1)
				entries = append(entries, hook.Object{"uri": "recent:" + n, "name": "recently used " + n})
			}
			if _, more := result["nextCursor"]; !more {
				result["resources"] = entries
			}
		}))
}
