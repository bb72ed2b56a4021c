package fault

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const methodCancelled = "notifications/cancelled"

// Faults of listen streams (2026-07-28) on which nothing happens.
func init() {
	Register(
		Fault{
			Name: "sub-20-unknown-method", Requirement: "SUB-20",
			Summary: "subscribe is declared, but subscriptions/listen is an unknown method",
			Hooks:   hook.ReplaceReply(hook.MethodListen, func(*hook.Call) *hook.Reply { return hook.Fail(-32601, "Method not found") }),
		},
		Fault{
			Name: "sub-20-server-error", Requirement: "SUB-20", Needs: modernServed,
			Summary: "over HTTP a listen request is answered by status 500 and a line of text",
			Hooks: hook.OnHTTP(local(func(r *http.Request) bool { return r.Header.Get("Mcp-Method") == hook.MethodListen }),
				func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
					http.Error(w, "Error creating server", http.StatusInternalServerError)
				}),
		},
		Fault{
			Name: "sub-21-update-before-ack", Requirement: "SUB-21",
			Summary: "an update is sent before the acknowledgment of its stream",
			Hooks: hook.Tee(isAck, func(m hook.Message) [][]byte {
				return [][]byte{hook.NewNotification(hook.NotificationUpdated, hook.Object{
					"_meta": hook.Object{subscriptionID: subscriptionOf(m)}, "uri": "note:shopping",
				}).Raw}
			}, nil),
		},
		Fault{
			Name: "sub-22-no-filter", Requirement: "SUB-22",
			Summary: "acknowledgments lack params.notifications",
			Hooks:   editAck(func(_ hook.Message, params hook.Object) { delete(params, "notifications") }),
		},
		Fault{
			Name: "sub-22-flags-as-text", Requirement: "SUB-22",
			Summary: "acknowledgments give flags as strings",
			Hooks: editGranted(func(_ hook.Message, granted hook.Object) {
				granted["resourcesListChanged"] = "true"
			}),
		},
		Fault{
			Name: "sub-23-id-as-text", Requirement: "SUB-23",
			Summary: "acknowledgments give number ids as strings",
			Hooks: editAck(func(_ hook.Message, params hook.Object) {
				meta := hook.MakeObjectAt(params, "_meta")
				if n, ok := meta[subscriptionID].(json.Number); ok {
					meta[subscriptionID] = n.String()
				}
			}),
		},
		Fault{
			Name: "sub-23-id-of-its-own", Requirement: "SUB-23",
			Summary: "acknowledgments bear an id that the server made up",
			Hooks: editAck(func(_ hook.Message, params hook.Object) {
				hook.MakeObjectAt(params, "_meta")[subscriptionID] = "5f0c6c1e-6f5b-4f0e-8a43-0d8f4e0f9a11"
			}),
		},
		Fault{
			Name: "sub-24-grants-everything", Requirement: "SUB-24",
			Summary: "acknowledgments list all that the server can do",
			Hooks: editGranted(func(_ hook.Message, granted hook.Object) {
				granted["resourcesListChanged"] = true
				if granted["resourceSubscriptions"] == nil {
					granted["resourceSubscriptions"] = allURIs
				}
			}),
		},
		Fault{
			Name: "sub-24-rewrites-uris", Requirement: "SUB-24",
			Summary: "acknowledgments write the scheme of URIs in capitals",
			Hooks: editGranted(func(_ hook.Message, granted hook.Object) {
				uris, _ := granted["resourceSubscriptions"].([]any)
				for i := range uris {
					uri, _ := uris[i].(string)
					scheme, rest, _ := strings.Cut(uri, ":")
					uris[i] = strings.ToUpper(scheme) + ":" + rest
				}
			}),
		},
		Fault{
			Name: "sub-25-echoes-filter", Requirement: "SUB-25",
			Summary: "acknowledgments repeat the filter of the request, supported or not",
			Hooks: editAck(func(m hook.Message, params hook.Object) {
				if m.Call != nil && m.Call.Param("notifications") != nil {
					params["notifications"] = m.Call.Param("notifications")
				}
			}),
		},
		Fault{
			Name: "sub-27-no-resources", Requirement: "SUB-27",
			Summary: "subscribe is declared, but resourceSubscriptions is never acknowledged",
			Hooks:   withoutFilter("resourceSubscriptions"),
		},
		Fault{
			Name: "sub-37-answered-at-once", Requirement: "SUB-37",
			Summary: "listen requests are answered right after the acknowledgment",
			Hooks: hook.OnMethod(hook.MethodListen, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				if r == nil || !r.Open {
					return r
				}
				return &hook.Reply{Result: hook.Object{"resultType": "complete", "_meta": hook.Object{subscriptionID: c.IDValue()}}}
			}),
		},
		Fault{
			Name: "sub-38-no-filter-is-all", Requirement: "SUB-38",
			Summary: "a listen request without a filter asks for everything",
			Hooks: hook.EditParams(hook.MethodListen, func(_ *hook.Call, params hook.Object) {
				if params["notifications"] == nil {
					params["notifications"] = hook.Object{"resourcesListChanged": true, "resourceSubscriptions": allURIs}
				}
			}),
		},
		Fault{
			Name: "sub-39-progress-on-streams", Requirement: "SUB-39",
			Summary: "progress of other requests goes to the listen streams as well",
			Make:    func(*rand.Rand) hook.Hooks { return fanOut() },
		},
		Fault{
			Name: "sub-40-ack-as-body", Requirement: "SUB-40",
			Summary: "over HTTP the acknowledgment is a JSON body",
			Needs:   Needs{Transports: []string{hook.HTTP}},
			Hooks:   ackAsBody(),
		},
		Fault{
			Name: "sub-45-still-there", Requirement: "SUB-45",
			Summary: "resources/subscribe is confirmed under 2026-07-28",
			Hooks: hook.OnMethod(methodSubscribe+"|"+methodUnsubscribe, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if !c.Modern {
					return next(ctx, c)
				}
				return &hook.Reply{Result: hook.Object{"resultType": "complete"}}
			}),
		},
		Fault{
			Name: "sub-60-blocks-the-loop", Requirement: "SUB-60",
			Summary: "on stdio nothing else is answered while a stream is open",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Make:    blockedByListening,
		},
	)
}

// isAck reports whether a message is an acknowledgment.
func isAck(m hook.Message) bool {
	return m.Kind == hook.Notification && m.Method == hook.NotificationAcknowledged
}

// subscriptionOf is the subscription id of a notification.
func subscriptionOf(m hook.Message) any {
	n, ok := hook.DecodeObject(m.Raw)
	if !ok {
		return nil
	}
	return hook.ObjectAt(n, "params", "_meta")[subscriptionID]
}

// editAck changes the params of acknowledgments.
func editAck(edit func(m hook.Message, params hook.Object)) hook.Hooks {
	return hook.OnMessage(isAck, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
		return next(ctx, m.With(hook.EditRaw(m.Raw, func(n hook.Object) { edit(m, hook.MakeObjectAt(n, "params")) })))
	})
}

// editGranted changes the filter of acknowledgments.
func editGranted(edit func(m hook.Message, granted hook.Object)) hook.Hooks {
	return editAck(func(m hook.Message, params hook.Object) { edit(m, hook.MakeObjectAt(params, "notifications")) })
}

// fanOut sends progress to the listen streams, too; to the latest if there are many.
func fanOut() hook.Hooks {
	const most = 64
	var mu sync.Mutex
	var streams []*hook.Call
	return hook.Join(
		hook.OnMethod(hook.MethodListen, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			r := next(ctx, c)
			if r != nil && r.Open {
				mu.Lock()
				streams = append(streams, c)
				streams = streams[max(len(streams)-most, 0):]
				mu.Unlock()
			}
			return r
		}),
		hook.OnNotification(hook.NotificationProgress, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
			if m.Call == nil || m.Call.Method == hook.MethodListen {
				return next(ctx, m)
			}
			mu.Lock()
			open := slices.Clone(streams)
			mu.Unlock()
			for _, c := range open {
				if n, ok := hook.DecodeObject(m.Raw); ok {
					params := hook.MakeObjectAt(n, "params")
					hook.MakeObjectAt(params, "_meta")[subscriptionID] = c.IDValue()
					// A stream that has ended takes nothing more.
					_ = c.Emit(ctx, hook.NewNotification(hook.NotificationProgress, params))
				}
			}
			return next(ctx, m)
		}),
	)
}

// ackAsBody answers listen requests over HTTP with a single JSON message.
func ackAsBody() hook.Hooks {
	return hook.OnHTTP(func(r *http.Request) bool { return r.Header.Get("Mcp-Method") == hook.MethodListen },
		func(w http.ResponseWriter, r *http.Request, next http.Handler) {
			body, err := hook.PeekBody(r)
			message, ok := hook.DecodeObject(body)
			if err != nil || !ok {
				next.ServeHTTP(w, r)
				return
			}
			w.Header().Set("Content-Type", "application/json")
			// A client that has gone is no concern of a response.
			_, _ = w.Write(hook.NewNotification(hook.NotificationAcknowledged, hook.Object{
				"_meta":         hook.Object{subscriptionID: message["id"]},
				"notifications": hook.ObjectAt(message, "params")["notifications"],
			}).Raw)
		})
}

// blockedByListening leaves requests unanswered on connections with an open
// stream.
func blockedByListening(*rand.Rand) hook.Hooks {
	var open marks
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		blocked := open.has(c.Peer.ID())
		switch {
		case c.Transport != hook.Stdio || c.Notification():
			return next(ctx, c)
		case blocked && c.Method != hook.MethodListen:
			return &hook.Reply{Silent: true}
		}
		r := next(ctx, c)
		if r != nil && r.Open {
			open.add(c.Peer.ID())
		}
		return r
	})
}
