package fault

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// One fault for each way of making faults; the other files follow these models.
func init() {
	Register(
		Fault{
			Name: "rpc-01-error-without-jsonrpc", Requirement: "RPC-01",
			Summary: "errors lack the jsonrpc member",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if _, failed := envelope["error"]; failed {
					delete(envelope, "jsonrpc")
				}
			}),
		},
		Fault{
			Name: "page-01-null-cursor", Requirement: "PAGE-01",
			Summary: "the last page says nextCursor: null",
			Hooks: hook.EditResult(hook.MethodList, func(result hook.Object) {
				if _, more := result["nextCursor"]; !more {
					result["nextCursor"] = nil
				}
			}),
		},
		Fault{
			Name: "page-02-last-page-cycles", Requirement: "PAGE-02",
			Summary: "the last page points back to the second one",
			Needs:   Needs{PageSize: 3},
			Make:    cyclingPages,
		},
		Fault{
			Name: "list-02-missing-name", Requirement: "LIST-02",
			Summary: "the second resource has no name",
			Hooks: hook.EditEachResource(func(i int, resource hook.Object) {
				if i == 1 {
					delete(resource, "name")
				}
			}),
		},
		Fault{
			Name: "read-06-url-safe-base64", Requirement: "READ-06",
			Summary: "blobs are written in the URL-safe alphabet",
			Hooks: hook.EditEachContent(func(_ int, content hook.Object) {
				blob, ok := content["blob"].(string)
				if !ok {
					return
				}
				if data, err := base64.StdEncoding.DecodeString(blob); err == nil {
					content["blob"] = base64.URLEncoding.EncodeToString(data)
				}
			}),
		},
		Fault{
			Name: "sub-20-no-ack", Requirement: "SUB-20",
			Summary: "listen streams are not acknowledged",
			Needs:   Needs{Revisions: []string{hook.R20260728}},
			Hooks:   hook.DropNotification(hook.NotificationAcknowledged),
		},
		Fault{
			Name: "err-01-wrong-code", Requirement: "ERR-01",
			Summary: "a missing resource is an internal error",
			Hooks: hook.EditErrorOf(hook.MethodRead, func(_ *hook.Call, e hook.Object) {
				if e["message"] == "Resource not found" {
					e["code"] = hook.Number(-32603)
				}
			}),
		},
		Fault{
			Name: "cap-01-undeclared-resources", Requirement: "CAP-01",
			Summary: "resources are served but not declared",
			Hooks: hook.EditResult("initialize|"+hook.MethodDiscover, func(result hook.Object) {
				delete(hook.ObjectAt(result, "capabilities"), "resources")
			}),
		},
		Fault{
			Name: "stdio-01-banner", Requirement: "STDIO-01",
			Summary: "a banner is printed to standard output at the start",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.Hooks{Streams: hook.Streams{Start: func(_ context.Context, w io.Writer) {
				// A client that has gone already sees no banner.
				_, _ = io.WriteString(w, "Server running, press Ctrl+C to stop\n")
			}}},
		},
		Fault{
			Name: "http-05-notification-200", Requirement: "HTTP-05",
			Summary: "notifications are answered 200 with an empty object",
			Needs:   Needs{Transports: []string{hook.HTTP}},
			Hooks: hook.EditAnswer(func(_ *http.Request, _ []byte, a *hook.Answer) {
				if a.Status == http.StatusAccepted {
					a.Status, a.Body = http.StatusOK, []byte("{}")
					a.Header.Set("Content-Type", "application/json")
				}
			}),
		},
		Fault{
			Name: "uri-03-space-in-uri", Requirement: "URI-03",
			Summary: "a listed URI has a space in it",
			Overlay: func(w *world.World) {
				text := "unreachable"
				w.Resources = append(w.Resources, world.Resource{
					URI: "file:///project/my notes.txt", Name: "my notes.txt", MIMEType: "text/plain", Text: &text,
				})
			},
		},
		Fault{
			Name: "rpc-14-dies-of-garbage", Requirement: "RPC-14",
			Summary: "the connection ends at the first message that is no JSON",
			Hooks: hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
				return func(ctx context.Context, in hook.Incoming) {
					if in.Peer != nil && !json.Valid(in.Raw) {
						in.Peer.Abort()
						return
					}
					next(ctx, in)
				}
			}},
		},
		Fault{
			Name: "sse-03-event-type", Requirement: "SSE-03",
			Summary: "events are of a type of their own",
			Needs:   Needs{Transports: []string{hook.HTTP}},
			Hooks: hook.Join(hook.Hooks{EventStreams: true}, hook.EditEvent(func(e *hook.Event) {
				if e.Stream == "post" {
					e.Type = "response"
				}
			})),
		},
	)
}

// cyclingPages remembers the first cursor that was handed out for each revision
// of the list and offers it again where the list ends.
func cyclingPages(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	var first string
	return hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		next, more := result["nextCursor"].(string)
		switch {
		case more && first == "":
			first = next
		case !more && first != "" && c.Param("cursor") != nil:
			result["nextCursor"] = first
		}
	})
}

// Names lists the names of the faults of a requirement.
func Names(requirement string) []string {
	var names []string
	for _, f := range All() {
		if f.Requirement == requirement {
			names = append(names, f.Name)
		}
	}
	return slices.Clip(names)
}
