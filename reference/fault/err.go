package fault

import (
	"context"
	"net/http"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	notFoundMessage = "Resource not found"
	greeting        = "test://greeting" // asks for input in 2026-07-28
)

func init() {
	Register(
		Fault{
			Name: "err-02-legacy-code", Requirement: "ERR-02",
			Summary: "a missing resource has the code of earlier revisions",
			Hooks:   modernNotFound(-32002),
		},
		Fault{
			Name: "err-02-url-elicitation", Requirement: "ERR-02",
			Summary: "a read that needs the user has the code of 2025-11-25",
			Hooks: hook.EditErrorOf(hook.MethodRead, func(c *hook.Call, e hook.Object) {
				if c.Param("uri") == greeting {
					e["code"] = hook.Number(-32042)
				}
			}),
		},
		Fault{
			Name: "err-04-rate-limit", Requirement: "ERR-04",
			Summary: "refused completions have a code from the reserved range",
			Hooks:   hook.ReplaceCode(hook.MethodComplete, -32602, -32050),
		},
		Fault{
			Name: "err-05-missing-capability", Requirement: "ERR-05",
			Summary: "a missing resource is reported as a missing capability",
			Hooks: hook.EditErrorOf(hook.MethodRead, func(c *hook.Call, e hook.Object) {
				if c.Modern && e["message"] == notFoundMessage {
					e["code"] = hook.Number(-32021)
					e["data"] = hook.Object{"requiredCapabilities": hook.Object{}}
				}
			}),
		},
		Fault{
			Name: "err-05-header-mismatch", Requirement: "ERR-05",
			Summary: "a missing resource is reported as a mismatch of headers",
			Hooks:   modernNotFound(-32020),
		},
		Fault{
			Name: "err-06-legacy-range", Requirement: "ERR-06",
			Summary: "refused completions have the code -32000",
			Hooks:   hook.ReplaceCode(hook.MethodComplete, -32602, -32000),
		},
		Fault{
			Name: "err-06-reserved-range", Requirement: "ERR-06",
			Summary: "refused completions have the code -32100",
			Hooks:   hook.ReplaceCode(hook.MethodComplete, -32602, -32100),
		},
		Fault{
			Name: "err-08-invalid-params", Requirement: "ERR-08",
			Summary: "a failing backend is blamed on the params",
			Hooks:   hook.ReplaceCode(hook.MethodRead, -32603, -32602),
		},
		Fault{
			Name: "err-09-empty-contents", Requirement: "ERR-09",
			Summary: "a missing resource has empty contents",
			Hooks:   insteadOfNotFound(func(*hook.Call) []any { return []any{} }),
		},
		Fault{
			Name: "err-10-text", Requirement: "ERR-10",
			Summary: "a missing resource has a text that says so",
			Hooks: insteadOfNotFound(func(c *hook.Call) []any {
				return []any{hook.Object{"uri": c.Param("uri"), "mimeType": "text/plain", "text": "Not found"}}
			}),
		},
		Fault{
			Name: "err-11-default-resource", Requirement: "ERR-11",
			Summary: "a read without a uri reads the first resource",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Param("uri") == nil {
					return next(ctx, pointedAt(c, present))
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "err-11-no-answer", Requirement: "ERR-11",
			Summary: "a read whose uri is no string is never answered",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if _, ok := c.Param("uri").(string); !ok {
					return &hook.Reply{Silent: true}
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "err-11-dies", Requirement: "ERR-11",
			Summary: "a read whose uri is an object ends the connection",
			Hooks: hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if _, ok := c.Param("uri").(hook.Object); ok {
					return die(ctx, c, next)
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "err-60-no-data", Requirement: "ERR-60",
			Summary: "an error for a missing capability does not name it",
			Hooks: hook.EditError("", func(e hook.Object) {
				if e["code"] == hook.Number(-32021) {
					delete(e, "data")
				}
			}),
		},
		Fault{
			Name: "err-60-status", Requirement: "ERR-60",
			Summary: "an error for a missing capability has HTTP status 200",
			Needs:   Needs{Transports: []string{hook.HTTP}},
			Hooks: hook.EditReply("", func(_ *hook.Call, r *hook.Reply) {
				if r.Error != nil && r.Error["code"] == hook.Number(-32021) {
					r.Status = http.StatusOK
				}
			}),
		},
		Fault{
			Name: "err-61-ping", Requirement: "ERR-61",
			Summary: "ping is still answered",
			Hooks: hook.OnMethod("ping", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Modern {
					return &hook.Reply{Result: hook.Object{"resultType": "complete"}}
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "err-61-invalid-params", Requirement: "ERR-61",
			Summary: "removed methods have the code for bad params",
			Hooks: hook.EditErrorOf("ping|logging/setLevel", func(c *hook.Call, e hook.Object) {
				if c.Modern {
					e["code"] = hook.Number(-32602)
				}
			}),
		},
	)
}

// modernNotFound gives missing resources another code in 2026-07-28.
func modernNotFound(code int64) hook.Hooks {
	return hook.EditErrorOf(hook.MethodRead, func(c *hook.Call, e hook.Object) {
		if c.Modern && e["message"] == notFoundMessage {
			e["code"] = hook.Number(code)
		}
	})
}

// insteadOfNotFound answers reads of missing resources with contents.
func insteadOfNotFound(contents func(c *hook.Call) []any) hook.Hooks {
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		r := next(ctx, c)
		if r == nil || r.Error == nil || r.Error["message"] != notFoundMessage {
			return r
		}
		return forged(ctx, c, next, contents(c))
	})
}
