package fault

import (
	"context"
	"math/rand/v2"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Fault{
			Name: "mrtr-01-list-asks", Requirement: "MRTR-01",
			Summary: "template lists ask for input",
			Hooks: editModern(hook.MethodTemplates, func(result hook.Object) {
				result["resultType"], result["requestState"] = "input_required", "state"
			}),
		},
		Fault{
			Name: "mrtr-02-bare", Requirement: "MRTR-02",
			Summary: "a result asks for input without saying for which",
			Hooks: editInput(func(result hook.Object) {
				delete(result, "inputRequests")
				delete(result, "requestState")
			}),
		},
		Fault{
			Name: "mrtr-02-array", Requirement: "MRTR-02",
			Summary: "inputRequests is an array",
			Hooks: editInput(func(result hook.Object) {
				var list []any
				for _, request := range hook.ObjectAt(result, "inputRequests") {
					list = append(list, request)
				}
				result["inputRequests"] = list
			}),
		},
		Fault{
			Name: "mrtr-02-foreign-method", Requirement: "MRTR-02",
			Summary: "an input request has a method that clients do not have",
			Hooks: editInput(func(result hook.Object) {
				hook.MakeObjectAt(result, "inputRequests", "who")["method"] = "acme/ask"
			}),
		},
		Fault{
			Name: "mrtr-02-state-object", Requirement: "MRTR-02",
			Summary: "requestState is an object",
			Hooks: editInput(func(result hook.Object) {
				result["requestState"] = hook.Object{"state": result["requestState"]}
			}),
		},
		Fault{
			Name: "mrtr-04-asks-anyone", Requirement: "MRTR-04",
			Summary: "clients without elicitation are asked all the same",
			Hooks: hook.EditCall(hook.MethodRead, func(c *hook.Call) {
				if c.Modern && c.Meta(metaCapabilities) != nil {
					c.SetMeta(metaCapabilities, hook.Object{"elicitation": hook.Object{}})
				}
			}),
		},
		Fault{
			Name: "mrtr-05-no-data", Requirement: "MRTR-05",
			Summary: "a missing client capability is not named",
			Hooks: hook.EditError(hook.MethodRead, func(e hook.Object) {
				if e["code"] == hook.Number(-32021) {
					delete(e, "data")
				}
			}),
		},
		Fault{
			Name: "mrtr-07-state-unchecked", Requirement: "MRTR-07",
			Summary: "a retry is served whatever its state says",
			Hooks: hook.EditReply(hook.MethodRead, func(c *hook.Call, r *hook.Reply) {
				if message, _ := r.Error["message"].(string); strings.Contains(message, "request state") {
					r.Error = nil
					r.Result = hook.Object{
						"resultType": "complete", "ttlMs": hook.Number(0), "cacheScope": "private",
						"contents": []any{hook.Object{"uri": c.Param("uri"), "text": "Hello, Ada!\n"}},
					}
				}
			}),
		},
		Fault{
			Name: "mrtr-08-internal-error", Requirement: "MRTR-08",
			Summary: "a retry without the answer is an internal error",
			Hooks: hook.EditReply(hook.MethodRead, func(c *hook.Call, r *hook.Reply) {
				if c.Param("inputResponses") != nil && r.Result["resultType"] == "input_required" {
					r.Result, r.Error = nil, hook.Object{"code": hook.Number(-32603), "message": "Internal error"}
				}
			}),
		},
		Fault{
			Name: "mrtr-09-superfluous-refused", Requirement: "MRTR-09",
			Summary: "answers that nobody asked for are refused",
			Hooks: refuseCalls(-32602, func(c *hook.Call) bool {
				return c.Modern && c.Param("inputResponses") != nil && c.Param("requestState") == nil
			}),
		},
		Fault{
			Name: "mrtr-09-malformed-fatal", Requirement: "MRTR-09",
			Summary: "the connection ends at answers that are no object",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.EditCall(hook.MethodRead, func(c *hook.Call) {
				if _, odd := c.Param("inputResponses").(string); odd && c.Transport == hook.Stdio {
					c.Peer.Abort()
				}
			}),
		},
		Fault{
			Name: "mrtr-10-capabilities-linger", Requirement: "MRTR-10",
			Summary: "client capabilities hold for the rest of the connection",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Make:    lingeringCapabilities,
		},
		Fault{
			Name: "mrtr-11-same-connection", Requirement: "MRTR-11",
			Summary: "a retry is accepted only on the connection that was asked",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Make:    retryWhereAsked,
		},
		Fault{
			Name: "mrtr-60-lists-wait", Requirement: "MRTR-60",
			Summary: "once input was asked for, the list waits for it",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Make:    waitingForInput,
		},
	)
}

func lingeringCapabilities(*rand.Rand) hook.Hooks {
	var able marks
	return hook.EditCall(hook.MethodRead, func(c *hook.Call) {
		capabilities, _ := c.Meta(metaCapabilities).(hook.Object)
		switch _, elicitation := capabilities["elicitation"]; {
		case !c.Modern || c.Transport != hook.Stdio:
		case elicitation:
			able.add(c.Peer.ID())
		case able.has(c.Peer.ID()):
			c.SetMeta(metaCapabilities, hook.Object{"elicitation": hook.Object{}})
		}
	})
}

func retryWhereAsked(*rand.Rand) hook.Hooks {
	var asked marks
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio {
			return next(ctx, c)
		}
		if c.Param("requestState") != nil && !asked.has(c.Peer.ID()) {
			return hook.Fail(-32602, "Invalid params: unknown state")
		}
		r := next(ctx, c)
		if r != nil && r.Result["resultType"] == "input_required" {
			asked.add(c.Peer.ID())
		}
		return r
	})
}

func waitingForInput(*rand.Rand) hook.Hooks {
	var asked marks
	return hook.OnMethod("resources/list|"+hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio || !c.Modern {
			return next(ctx, c)
		}
		if c.Method == hook.MethodList && asked.has(c.Peer.ID()) {
			return &hook.Reply{Silent: true}
		}
		r := next(ctx, c)
		if r != nil && r.Result["resultType"] == "input_required" {
			asked.add(c.Peer.ID())
		}
		return r
	})
}
