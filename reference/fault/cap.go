package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Fault{
			Name: "cap-02-array", Requirement: "CAP-02",
			Summary: "the resources capability is an empty array",
			Hooks:   editCapabilities(func(c hook.Object) { c["resources"] = []any{} }),
		},
		Fault{
			Name: "cap-02-true", Requirement: "CAP-02",
			Summary: "the resources capability is true",
			Hooks:   editCapabilities(func(c hook.Object) { c["resources"] = true }),
		},
		Fault{
			Name: "cap-03-subscribe-object", Requirement: "CAP-03",
			Summary: "subscribe is an object",
			Hooks:   editCapabilities(func(c hook.Object) { hook.MakeObjectAt(c, "resources")["subscribe"] = hook.Object{} }),
		},
		Fault{
			Name: "cap-03-subscribe-null", Requirement: "CAP-03",
			Summary: "subscribe is null",
			Hooks:   editCapabilities(func(c hook.Object) { hook.MakeObjectAt(c, "resources")["subscribe"] = nil }),
		},
		Fault{
			Name: "cap-03-list-changed-string", Requirement: "CAP-03",
			Summary: "listChanged is a string",
			Hooks:   editCapabilities(func(c hook.Object) { hook.MakeObjectAt(c, "resources")["listChanged"] = "true" }),
		},
		Fault{
			Name: "cap-06-list-unknown", Requirement: "CAP-06",
			Summary: "resources/list is an unknown method",
			Hooks:   unknownMethod(hook.MethodList),
		},
		Fault{
			Name: "cap-07-templates-unknown", Requirement: "CAP-07",
			Summary: "resources/templates/list is an unknown method",
			Hooks:   unknownMethod(hook.MethodTemplates),
		},
		Fault{
			Name: "cap-08-read-unknown", Requirement: "CAP-08",
			Summary: "resources/read is an unknown method",
			Hooks:   unknownMethod(hook.MethodRead),
		},
		Fault{
			Name: "cap-09-subscribe-unknown", Requirement: "CAP-09",
			Summary: "subscribe is declared, and resources/subscribe is an unknown method",
			Hooks:   unknownMethod("resources/subscribe"),
		},
		Fault{
			Name: "cap-09-unsubscribe-unknown", Requirement: "CAP-09",
			Summary: "subscribe is declared, and resources/unsubscribe is an unknown method",
			Hooks:   unknownMethod("resources/unsubscribe"),
		},
		Fault{
			Name: "cap-10-undeclared-subscribe", Requirement: "CAP-10",
			Summary: "subscriptions are confirmed without being declared",
			Hooks:   editCapabilities(func(c hook.Object) { delete(hook.MakeObjectAt(c, "resources"), "subscribe") }),
		},
		Fault{
			Name: "cap-11-logging-true", Requirement: "CAP-11",
			Summary: "the logging capability is true",
			Hooks:   editCapabilities(func(c hook.Object) { c["logging"] = true }),
		},
		Fault{
			Name: "cap-11-experimental-flag", Requirement: "CAP-11",
			Summary: "an experimental capability is true",
			Hooks:   editCapabilities(func(c hook.Object) { c["experimental"] = hook.Object{"search": true} }),
		},
		Fault{
			Name: "cap-12-undeclared-log", Requirement: "CAP-12",
			Summary: "every read sends a log message, and logging is not declared",
			Hooks: hook.Join(
				editCapabilities(func(c hook.Object) { delete(c, "logging") }),
				logsBefore(hook.MethodRead, func(*hook.Call) hook.Object { return logMessage("info") }),
			),
		},
		Fault{
			Name: "cap-13-internal-error", Requirement: "CAP-13",
			Summary: "prompts/list, which is not offered, is an internal error",
			Hooks:   hook.ReplaceReply("prompts/list", func(*hook.Call) *hook.Reply { return hook.Fail(-32603, "Internal error") }),
		},
		Fault{
			Name: "cap-13-empty-list", Requirement: "CAP-13",
			Summary: "tools/list, which is not offered, is an empty list",
			Hooks: hook.ReplaceReply("tools/list", func(*hook.Call) *hook.Reply {
				return &hook.Reply{Result: hook.Object{"resultType": "complete", "tools": []any{}}}
			}),
		},
	)
}

// editCapabilities changes what the server declares, in both eras.
func editCapabilities(edit func(capabilities hook.Object)) hook.Hooks {
	return hook.EditResult("initialize|"+hook.MethodDiscover, func(result hook.Object) {
		edit(hook.MakeObjectAt(result, "capabilities"))
	})
}

// unknownMethod answers methods as if they did not exist.
func unknownMethod(pattern string) hook.Hooks {
	return hook.ReplaceReply(pattern, func(c *hook.Call) *hook.Reply {
		r := hook.Fail(-32601, "Method not found")
		if c.Modern {
			r.Status = 404
		}
		return r
	})
}

// logMessage is the params of a log message.
func logMessage(level string) hook.Object {
	return hook.Object{"level": level, "logger": "mockserver", "data": "a message"}
}

// logsBefore sends a log message on the way of each call, before its answer; nil
// params send none.
func logsBefore(pattern string, params func(c *hook.Call) hook.Object) hook.Hooks {
	return hook.OnMethod(pattern, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if p := params(c); p != nil {
			// A client that has gone is noticed by the transport.
			_ = c.Emit(ctx, hook.NewNotification("notifications/message", p))
		}
		return next(ctx, c)
	})
}
