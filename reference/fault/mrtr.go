package fault

import (
	"context"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var mrtrCode = code{
	"mrtr-10-capabilities-linger": lingeringCapabilities,
	"mrtr-11-same-connection":     retryWhereAsked,
	"mrtr-60-lists-wait":          waitingForInput,
}

func lingeringCapabilities() hook.Hooks {
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

func retryWhereAsked() hook.Hooks {
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

func waitingForInput() hook.Hooks {
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
