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

// afterAsking answers, over stdio, what it chooses to on connections on which a user has been
// asked for input.
func afterAsking(methods string, answer func(c *hook.Call, asked bool) *hook.Reply) hook.Hooks {
	var asked marks
	return hook.OnMethod(methods, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio || !c.Modern {
			return next(ctx, c)
		}
		if r := answer(c, asked.has(c.Peer.ID())); r != nil {
			return r
		}
		r := next(ctx, c)
		if r != nil && r.Result["resultType"] == "input_required" {
			asked.add(c.Peer.ID())
		}
		return r
	})
}

func retryWhereAsked() hook.Hooks {
	return afterAsking(hook.MethodRead, func(c *hook.Call, asked bool) *hook.Reply {
		if c.Param("requestState") != nil && !asked {
			return hook.Fail(-32602, "Invalid params: unknown state")
		}
		return nil
	})
}

func waitingForInput() hook.Hooks {
	return afterAsking("resources/list|"+hook.MethodRead, func(c *hook.Call, asked bool) *hook.Reply {
		if c.Method == hook.MethodList && asked {
			return &hook.Reply{Silent: true}
		}
		return nil
	})
}
