package fault

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// Faults of messages: what every request, response and notification is made of.
func init() {
	Register(
		Fault{
			Name: "rpc-01-notification-of-1-0", Requirement: "RPC-01",
			Summary: "notifications say jsonrpc 1.0",
			Hooks:   hook.EditNotification("", func(n hook.Object) { n["jsonrpc"] = "1.0" }),
		},
		Fault{
			Name: "rpc-02-counts-its-responses", Requirement: "RPC-02",
			Summary: "lists are answered under numbers of the server's own",
			Make:    countedResponses,
		},
		Fault{
			Name: "rpc-03-digits-become-numbers", Requirement: "RPC-03",
			Summary: "a string of digits comes back as a number",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if id, ok := envelope["id"].(string); ok && id != "" && strings.Trim(id, "0123456789") == "" {
					if n, err := hook.Decode([]byte(id)); err == nil {
						envelope["id"] = n
					}
				}
			}),
		},
		Fault{
			Name: "rpc-04-zero-is-no-id", Requirement: "RPC-04",
			Summary: "a request with the id 0 is not answered",
			Hooks: hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				if string(c.ID) == "0" && r != nil {
					r.Silent = true
				}
				return r
			}),
		},
		Fault{
			Name: "rpc-05-null-error", Requirement: "RPC-05",
			Summary: "successful responses have an error, too: null",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if _, ok := envelope["result"]; ok {
					envelope["error"] = nil
				}
			}),
		},
		Fault{
			Name: "rpc-05-neither", Requirement: "RPC-05",
			Summary: "the response to a list of templates has neither result nor error",
			Hooks:   hook.EditEnvelope(hook.MethodTemplates, func(envelope hook.Object) { delete(envelope, "result") }),
		},
		Fault{
			Name: "rpc-06-null-result", Requirement: "RPC-06",
			Summary: "ping and subscriptions are answered with null",
			Needs:   Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}},
			Hooks:   hook.EditEnvelope("ping|resources/subscribe|resources/unsubscribe", func(envelope hook.Object) { envelope["result"] = nil }),
		},
		Fault{
			Name: "rpc-07-no-message", Requirement: "RPC-07",
			Summary: "errors have no message",
			Hooks:   hook.EditError("", func(e hook.Object) { delete(e, "message") }),
		},
		Fault{
			Name: "rpc-08-code-as-string", Requirement: "RPC-08",
			Summary: "error codes are strings",
			Hooks: hook.EditError("", func(e hook.Object) {
				if code, ok := e["code"]; ok {
					e["code"] = string(hook.Encode(code))
				}
			}),
		},
		Fault{
			Name: "rpc-09-answers-twice", Requirement: "RPC-09",
			Summary: "each read is answered twice",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   hook.RepeatMessage(hook.MethodRead, 2),
		},
		Fault{
			Name: "rpc-09-never-answers", Requirement: "RPC-09",
			Summary: "the list of templates is never answered",
			Hooks:   hook.DropReply(hook.MethodTemplates),
		},
		Fault{
			Name: "rpc-09-hangs-up", Requirement: "RPC-09",
			Summary: "the connection ends at a request for the list of templates",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: hook.ReplaceReply(hook.MethodTemplates, func(c *hook.Call) *hook.Reply {
				c.Peer.Abort()
				return nil
			}),
		},
		Fault{
			Name: "rpc-10-answers-initialized", Requirement: "RPC-10",
			Summary: "notifications/initialized is answered with an empty result",
			Needs:   Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}},
			Hooks: hook.ReplaceReply("notifications/initialized", func(*hook.Call) *hook.Reply {
				return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"result":{}}`)}
			}),
		},
		Fault{
			Name: "rpc-10-unknown-notification", Requirement: "RPC-10",
			Summary: "an unknown notification is answered with method not found",
			Hooks: hook.ReplaceReply("notifications/mcpcheck/*", func(*hook.Call) *hook.Reply {
				return &hook.Reply{Raw: []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"Method not found"}}`)}
			}),
		},
		Fault{
			Name: "rpc-12-null-id", Requirement: "RPC-12",
			Summary: "notifications have an id of null",
			Hooks:   hook.EditNotification("", func(n hook.Object) { n["id"] = nil }),
		},
		Fault{
			Name: "rpc-12-array-params", Requirement: "RPC-12",
			Summary: "the params of notifications are an empty array",
			Hooks:   hook.EditNotification("", func(n hook.Object) { n["params"] = []any{} }),
		},
		Fault{
			Name: "rpc-12-ready-event", Requirement: "RPC-12",
			Summary: "the server says that it is ready, in a message of no kind",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks:   atStart(`{"jsonrpc":"2.0","event":"ready"}` + "\n"),
		},
		Fault{
			Name: "rpc-13-internal-error", Requirement: "RPC-13",
			Summary: "an unknown method is an internal error",
			Hooks:   hook.ReplaceCode("", -32601, -32603),
		},
		Fault{
			Name: "rpc-14-wrong-code", Requirement: "RPC-14",
			Summary: "text that is no JSON is an internal error",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   wireCode(-32700, -32603),
		},
		Fault{
			Name: "rpc-15-numeric-method-kills", Requirement: "RPC-15",
			Summary: "the connection ends at a request whose method is a number",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: onIncoming(func(in hook.Incoming) bool {
				o, ok := hook.DecodeObject(in.Raw)
				_, text := o["method"].(string)
				if ok && o["method"] != nil && !text && in.Peer != nil {
					in.Peer.Abort()
					return false
				}
				return true
			}),
		},
		Fault{
			Name: "rpc-15-wrong-code", Requirement: "RPC-15",
			Summary: "what is no request is an internal error",
			Needs:   Needs{Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   wireCode(-32600, -32603),
		},
		Fault{
			Name: "rpc-16-null-id", Requirement: "RPC-16",
			Summary: "errors about params have an id of null",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if hook.ObjectAt(envelope, "error")["code"] == hook.Number(-32602) {
					envelope["id"] = nil
				}
			}),
		},
		Fault{
			Name: "rpc-16-invented-id", Requirement: "RPC-16",
			Summary: "an error about text that is no JSON has the id 1",
			Hooks: hook.EditEnvelope("", func(envelope hook.Object) {
				if hook.ObjectAt(envelope, "error")["code"] == hook.Number(-32700) {
					envelope["id"] = hook.Number(1)
				}
			}),
		},
		Fault{
			Name: "rpc-18-stack-trace", Requirement: "RPC-18",
			Summary: "error messages are followed by how the server got there",
			Hooks: hook.EditError("", func(e hook.Object) {
				message, _ := e["message"].(string)
				e["message"] = message + strings.Repeat("\n    in a handler of the server", 12)
			}),
		},
		Fault{
			Name: "rpc-17-mixes-up-reads", Requirement: "RPC-17",
			Summary: "a read gets the contents of another one that came at the same time",
			Make:    mixedReads,
		},
		Fault{
			Name: "rpc-20-latin-1", Requirement: "RPC-20",
			Summary: "the letter ü is written as in Latin-1",
			Hooks: hook.OnMessage(func(hook.Message) bool { return true }, func(ctx context.Context, m hook.Message, next hook.Emitter) error {
				return next(ctx, m.With(bytes.ReplaceAll(m.Raw, []byte("ü"), []byte{0xfc})))
			}),
		},
		Fault{
			Name: "rpc-20-byte-order-mark", Requirement: "RPC-20",
			Summary: "standard output begins with a byte order mark",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks:   atStart("\xef\xbb\xbf"),
		},
		Fault{
			Name: "rpc-21-same-id-again", Requirement: "RPC-21",
			Summary: "the server sends pings that all have the id 1",
			Needs:   Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}},
			Hooks:   askBefore(hook.MethodTemplates+"|"+hook.MethodList, `{"jsonrpc":"2.0","id":1,"method":"ping"}`),
		},
		Fault{
			Name: "rpc-22-asks-for-roots", Requirement: "RPC-22",
			Summary: "the server asks for roots while it serves a read",
			Needs:   Needs{Revisions: []string{hook.R20260728}},
			Hooks:   askBefore(hook.MethodRead, `{"jsonrpc":"2.0","id":"roots-1","method":"roots/list"}`),
		},
		Fault{
			Name: "rpc-24-reserved-code", Requirement: "RPC-24",
			Summary: "a missing resource has the code -32604",
			Hooks: hook.EditError(hook.MethodRead, func(e hook.Object) {
				if e["message"] == "Resource not found" {
					e["code"] = hook.Number(-32604)
				}
			}),
		},
	)
}

// atStart writes text to standard output before anything else.
func atStart(text string) hook.Hooks {
	return hook.Hooks{Streams: hook.Streams{Start: func(_ context.Context, w io.Writer) {
		_, _ = io.WriteString(w, text) // a client that has gone already sees nothing of it
	}}}
}

// onIncoming looks at raw messages before they are parsed; those for which it
// returns false go no further.
func onIncoming(pass func(in hook.Incoming) bool) hook.Hooks {
	return hook.Hooks{Receive: func(next hook.Receiver) hook.Receiver {
		return func(ctx context.Context, in hook.Incoming) {
			if pass(in) {
				next(ctx, in)
			}
		}
	}}
}

// wireCode replaces an error code also in answers to what is no request.
func wireCode(from, to int64) hook.Hooks {
	return hook.EditEnvelope("", func(envelope hook.Object) {
		if e := hook.ObjectAt(envelope, "error"); e["code"] == hook.Number(from) {
			e["code"] = hook.Number(to)
		}
	})
}

// askBefore sends a request of the server's own before calls are handled.
func askBefore(pattern, request string) hook.Hooks {
	return hook.OnMethod(pattern, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		// A client that has gone is asked in vain.
		_ = c.Emit(ctx, hook.Message{Kind: hook.Notification, Method: "", Raw: []byte(request)})
		return next(ctx, c)
	})
}

func countedResponses(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	n := int64(0)
	return hook.EditEnvelope(hook.MethodList, func(envelope hook.Object) {
		mu.Lock()
		defer mu.Unlock()
		n++
		envelope["id"] = hook.Number(n)
	})
}

// mixedReads answers a read with the result of the one before if both came within
// a millisecond.
func mixedReads(*rand.Rand) hook.Hooks {
	var mu sync.Mutex
	var last hook.Object
	var at time.Time
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if r == nil || r.Error != nil {
			return r
		}
		mu.Lock()
		defer mu.Unlock()
		if before := last; before != nil && time.Since(at) < time.Millisecond {
			last, at = r.Result, time.Now()
			return &hook.Reply{Result: before}
		}
		last, at = r.Result, time.Now()
		return r
	})
}
