package fault

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

// alienVersion begins the versions that nobody implements and that a client may
// ask for to see what happens.
const alienVersion = "1900-01-01"

// Faults of the handshake and of ping.
func init() {
	legacy := Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}}
	onInitialize := func(edit func(result hook.Object)) hook.Hooks { return hook.EditResult("initialize", edit) }
	Register(
		Fault{
			Name: "life-01-no-server-info", Requirement: "LIFE-01", Needs: legacy,
			Summary: "the server does not introduce itself",
			Hooks:   onInitialize(func(result hook.Object) { delete(result, "serverInfo") }),
		},
		Fault{
			Name: "life-01-no-server-version", Requirement: "LIFE-01", Needs: legacy,
			Summary: "serverInfo has no version",
			Hooks:   onInitialize(func(result hook.Object) { delete(hook.ObjectAt(result, "serverInfo"), "version") }),
		},
		Fault{
			Name: "life-01-version-as-number", Requirement: "LIFE-01", Needs: legacy,
			Summary: "protocolVersion is a number made of the digits of the date",
			Hooks: onInitialize(func(result hook.Object) {
				if version, ok := result["protocolVersion"].(string); ok {
					result["protocolVersion"] = json.RawMessage(strings.ReplaceAll(version, "-", ""))
				}
			}),
		},
		Fault{
			Name: "life-03-offered-but-not-confirmed", Requirement: "LIFE-03",
			Summary: "2025-11-25 is offered in place of others, but not confirmed",
			Needs:   Needs{Revisions: []string{hook.R20250618}},
			Hooks:   insteadOf(hook.R20251125, hook.R20250618),
		},
		Fault{
			Name: "life-04-echoes-the-version", Requirement: "LIFE-04", Needs: legacy,
			Summary: "an unknown version is confirmed",
			Hooks:   insteadOf(alienVersion, alienVersion),
		},
		Fault{
			Name: "life-05-offers-the-oldest", Requirement: "LIFE-05", Needs: legacy,
			Summary: "in place of an unknown version the oldest one is offered",
			Hooks:   insteadOf(alienVersion, hook.R20241105),
		},
		Fault{
			Name: "life-07-null-title", Requirement: "LIFE-07",
			Summary: "serverInfo.title is null",
			Needs:   Needs{Revisions: []string{hook.R20250618, hook.R20251125}},
			Hooks:   onInitialize(func(result hook.Object) { hook.MakeObjectAt(result, "serverInfo")["title"] = nil }),
		},
		Fault{
			Name: "life-07-null-instructions", Requirement: "LIFE-07", Needs: legacy,
			Summary: "instructions are null",
			Hooks:   onInitialize(func(result hook.Object) { result["instructions"] = nil }),
		},
		Fault{
			Name: "life-09-asks-early", Requirement: "LIFE-09",
			Summary: "the server asks for roots right after its answer to initialize",
			Needs:   Needs{Revisions: legacy.Revisions, Transports: []string{hook.Stdio, hook.SSE}},
			Hooks: hook.Tee(func(m hook.Message) bool {
				return m.Kind == hook.Response && m.Call != nil && m.Call.Method == "initialize"
			}, nil, func(hook.Message) [][]byte {
				return [][]byte{[]byte(`{"jsonrpc":"2.0","id":"early","method":"roots/list"}`)}
			}),
		},
		Fault{
			Name: "life-10-never-ready", Requirement: "LIFE-10", Needs: legacy,
			Summary: "the list is refused as if there had been no handshake",
			Hooks: hook.ReplaceReply(hook.MethodList, func(*hook.Call) *hook.Reply {
				return hook.Fail(-32600, "Invalid request: the session has not been initialized")
			}),
		},
		Fault{
			Name: "life-12-asks-for-roots", Requirement: "LIFE-12", Needs: legacy,
			Summary: "the server asks for roots, although the client has none",
			Hooks:   askBefore(hook.MethodTemplates, `{"jsonrpc":"2.0","id":"roots","method":"roots/list"}`),
		},
		Fault{
			Name: "life-13-array-of-one", Requirement: "LIFE-13",
			Summary: "templates are listed in arrays of one response",
			Needs:   Needs{Revisions: []string{hook.R20250618, hook.R20251125}},
			Hooks:   hook.OnResponse(hook.MethodTemplates, inArray),
		},
		Fault{
			Name: "life-13-input-required", Requirement: "LIFE-13", Needs: legacy,
			Summary: "the result of a list says that input is required",
			Hooks:   hook.EditResult(hook.MethodTemplates, func(result hook.Object) { result["resultType"] = "input_required" }),
		},
		Fault{
			Name: "life-14-ping-unknown", Requirement: "LIFE-14", Needs: legacy,
			Summary: "ping is an unknown method",
			Hooks:   hook.ReplaceReply("ping", func(*hook.Call) *hook.Reply { return hook.Fail(-32601, "Method not found") }),
		},
		Fault{
			Name: "life-14-pong", Requirement: "LIFE-14", Needs: legacy,
			Summary: "the result of ping says pong",
			Hooks:   hook.EditResult("ping", func(result hook.Object) { result["pong"] = true }),
		},
		Fault{
			Name: "life-16-early-ping-refused", Requirement: "LIFE-16", Needs: legacy,
			Summary: "ping is refused until initialized comes",
			Make:    refuseEarlyPing,
		},
		Fault{
			Name: "life-17-dies-without-client-info", Requirement: "LIFE-17",
			Summary: "the connection ends at an initialize without clientInfo",
			Needs:   Needs{Revisions: legacy.Revisions, Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   hangUp(func(c *hook.Call) bool { return c.Param("clientInfo") == nil }),
		},
		Fault{
			Name: "life-17-dies-of-alien-version", Requirement: "LIFE-17",
			Summary: "the connection ends at an initialize with an unknown version",
			Needs:   Needs{Revisions: legacy.Revisions, Transports: []string{hook.Stdio, hook.SSE}},
			Hooks:   hangUp(func(c *hook.Call) bool { return c.Param("protocolVersion") == alienVersion }),
		},
	)
}

// insteadOf answers a handshake for one version with another.
func insteadOf(asked, answered string) hook.Hooks {
	return hook.EditResultOf("initialize", func(c *hook.Call, result hook.Object) {
		if c.Param("protocolVersion") == asked {
			result["protocolVersion"] = answered
		}
	})
}

// hangUp ends the connection at certain handshakes.
func hangUp(at func(c *hook.Call) bool) hook.Hooks {
	return hook.OnMethod("initialize", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if at(c) {
			c.Peer.Abort()
			return nil
		}
		return next(ctx, c)
	})
}

func refuseEarlyPing(*rand.Rand) hook.Hooks {
	var ready marks
	return hook.OnMethod("ping|notifications/initialized", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Method != "ping" {
			ready.add(c.Peer.ID())
		} else if !ready.has(c.Peer.ID()) {
			return hook.Fail(-32600, "Invalid request: not initialized")
		}
		return next(ctx, c)
	})
}
