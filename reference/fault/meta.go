package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Fault{
			Name: "meta-01-null", Requirement: "META-01",
			Summary: "list results have _meta: null",
			Hooks:   hook.EditResult(hook.MethodList, func(result hook.Object) { result["_meta"] = nil }),
		},
		Fault{
			Name: "meta-02-digit-label", Requirement: "META-02",
			Summary: "a label of a metadata prefix begins with a digit",
			Hooks:   extraMeta("1acme/x", true),
		},
		Fault{
			Name: "meta-02-leading-underscore", Requirement: "META-02",
			Summary: "the name of a metadata key begins with an underscore",
			Hooks:   extraMeta("_internal", true),
		},
		Fault{
			Name: "meta-04-reserved-prefix", Requirement: "META-04",
			Summary: "a key of the server's own has a prefix of the protocol",
			Hooks:   extraMeta("io.modelcontextprotocol/acme-rank", 1),
		},
		Fault{
			Name: "meta-04-forward-domain", Requirement: "META-04",
			Needs:   Needs{Revisions: []string{hook.R20251125, hook.R20260728}},
			Summary: "a key of the server's own begins with its domain, the top level last",
			Hooks:   extraMeta("example.com/rank", 1),
		},
		Fault{
			Name: "meta-06-unknown-key-refused", Requirement: "META-06",
			Summary: "requests with an unknown metadata key are refused",
			Hooks: refuseCalls(-32602, func(c *hook.Call) bool {
				return c.Meta("com.example/probe") != nil
			}),
		},
		Fault{
			Name: "meta-07-default-version", Requirement: "META-07",
			Summary: "a missing protocol version defaults to the latest",
			Needs:   modernAlone,
			Hooks: hook.EditCall("", func(c *hook.Call) {
				if c.Meta(metaCapabilities) != nil && c.Meta(metaVersion) == nil {
					c.SetMeta(metaVersion, hook.R20260728)
				}
			}),
		},
		Fault{
			Name: "meta-08-default-capabilities", Requirement: "META-08",
			Summary: "missing client capabilities count as none",
			Hooks: hook.EditCall("", func(c *hook.Call) {
				if c.Meta(metaVersion) != nil && c.Meta(metaCapabilities) == nil {
					c.SetMeta(metaCapabilities, hook.Object{})
				}
			}),
		},
		Fault{
			Name: "meta-08-odd-capabilities", Requirement: "META-08",
			Summary: "client capabilities may be a string",
			Hooks: hook.EditCall("", func(c *hook.Call) {
				if _, odd := c.Meta(metaCapabilities).(string); odd {
					c.SetMeta(metaCapabilities, hook.Object{})
				}
			}),
		},
		Fault{
			Name: "meta-09-served-without", Requirement: "META-09",
			Summary: "requests without _meta are served",
			Needs:   modernAlone,
			Hooks: hook.EditCall("resources/*", func(c *hook.Call) {
				if params, ok := hook.DecodeObject(c.Params); !ok || params["_meta"] == nil {
					c.SetMeta(metaVersion, hook.R20260728)
					c.SetMeta(metaCapabilities, hook.Object{})
				}
			}),
		},
		Fault{
			Name: "meta-10-client-info-required", Requirement: "META-10",
			Summary: "requests without clientInfo are refused",
			Hooks: refuseCalls(-32602, func(c *hook.Call) bool {
				return c.Modern && c.Meta(metaVersion) != nil && c.Meta(metaClientInfo) == nil
			}),
		},
		Fault{
			Name: "meta-11-no-result-type", Requirement: "META-11",
			Summary: "template lists have no resultType",
			Hooks:   editModern(hook.MethodTemplates, func(result hook.Object) { delete(result, "resultType") }),
		},
		Fault{
			Name: "meta-12-ok", Requirement: "META-12",
			Summary: "resultType is ok",
			Hooks:   editModern(hook.MethodRead, func(result hook.Object) { result["resultType"] = "ok" }),
		},
		Fault{
			Name: "meta-13-anonymous-list", Requirement: "META-13",
			Summary: "lists do not say who serves them",
			Hooks: editModern(hook.MethodList, func(result hook.Object) {
				delete(hook.ObjectAt(result, "_meta"), metaServerInfo)
			}),
		},
		Fault{
			Name: "meta-13-plain-string", Requirement: "META-13",
			Summary: "the server's description is a string",
			Hooks: editModern("resources/*", func(result hook.Object) {
				hook.MakeObjectAt(result, "_meta")[metaServerInfo] = "mockserver 1.0"
			}),
		},
		Fault{
			Name: "meta-15-bad-traceparent", Requirement: "META-15",
			Summary: "results carry a traceparent of another form",
			Hooks: editModern(hook.MethodRead, func(result hook.Object) {
				hook.MakeObjectAt(result, "_meta")["traceparent"] = "none"
			}),
		},
		Fault{
			Name: "meta-15-trace-refused", Requirement: "META-15",
			Summary: "requests with trace context are refused",
			Hooks:   refuseCalls(-32602, func(c *hook.Call) bool { return c.Modern && c.Meta("traceparent") != nil }),
		},
		Fault{
			Name: "meta-16-logs-by-default", Requirement: "META-16",
			Summary: "reads send log messages that nobody asked for",
			Hooks: hook.Join(declareLogging(), logsBefore(hook.MethodRead, func(c *hook.Call) hook.Object {
				if !c.Modern {
					return nil
				}
				return logMessage("info")
			})),
		},
		Fault{
			Name: "meta-17-late-log", Requirement: "META-17",
			Summary: "a log message follows the response of its request",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.Join(declareLogging(), hook.Tee(func(m hook.Message) bool {
				return m.Kind == hook.Response && m.Transport == hook.Stdio && m.Call != nil && m.Call.Meta(metaLogLevel) != nil
			}, nil, func(hook.Message) [][]byte {
				return [][]byte{hook.NewNotification("notifications/message", logMessage("error")).Raw}
			})),
		},
		Fault{
			Name: "meta-17-below-level", Requirement: "META-17",
			Summary: "debug messages come whatever level was asked for",
			Hooks: hook.Join(declareLogging(), logsBefore(hook.MethodRead, func(c *hook.Call) hook.Object {
				if c.Meta(metaLogLevel) == nil {
					return nil
				}
				return logMessage("debug")
			})),
		},
		Fault{
			Name: "meta-18-internal-error", Requirement: "META-18",
			Summary: "an unknown log level is an internal error",
			Hooks:   refuseCalls(-32603, func(c *hook.Call) bool { return c.Modern && c.Meta(metaLogLevel) == "loud" }),
		},
		Fault{
			Name: "meta-19-tagged-progress", Requirement: "META-19",
			Summary: "progress of a read carries a subscription id",
			Hooks: hook.EditNotification(hook.NotificationProgress, func(n hook.Object) {
				hook.MakeObjectAt(n, "params", "_meta")["io.modelcontextprotocol/subscriptionId"] = "1"
			}),
		},
		Fault{
			Name: "meta-21-warn", Requirement: "META-21",
			Summary: "log messages have the level warn",
			Hooks: hook.Join(declareLogging(), logsBefore(hook.MethodRead, func(c *hook.Call) hook.Object {
				if c.Modern && c.Meta(metaLogLevel) == nil {
					return nil
				}
				return logMessage("warn")
			})),
		},
		Fault{
			Name: "meta-60-debug-at-error", Requirement: "META-60",
			Summary: "debug messages come in spite of the level error",
			Hooks: hook.Join(declareLogging(), logsBefore(hook.MethodList, func(c *hook.Call) hook.Object {
				if c.Modern {
					return nil
				}
				return logMessage("debug")
			})),
		},
		Fault{
			Name: "meta-60-any-level", Requirement: "META-60",
			Summary: "logging/setLevel accepts every level",
			Hooks: hook.EditParams("logging/setLevel", func(_ *hook.Call, params hook.Object) {
				params["level"] = "error"
			}),
		},
	)
}

// extraMeta adds a key to the _meta of list results.
func extraMeta(key string, value any) hook.Hooks {
	return hook.EditResult(hook.MethodList, func(result hook.Object) {
		hook.MakeObjectAt(result, "_meta")[key] = value
	})
}

// declareLogging declares the logging capability in every revision.
func declareLogging() hook.Hooks {
	return editCapabilities(func(c hook.Object) { c["logging"] = hook.Object{} })
}

// refuseCalls refuses requests for which match is true.
func refuseCalls(code int64, match func(c *hook.Call) bool) hook.Hooks {
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Notification() || !match(c) {
			return next(ctx, c)
		}
		return hook.Fail(code, "Refused")
	})
}
