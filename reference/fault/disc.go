package fault

import (
	"context"
	"math/rand/v2"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

const (
	metaVersion      = "io.modelcontextprotocol/protocolVersion"
	metaServerInfo   = "io.modelcontextprotocol/serverInfo"
	metaClientInfo   = "io.modelcontextprotocol/clientInfo"
	metaCapabilities = "io.modelcontextprotocol/clientCapabilities"
	metaLogLevel     = "io.modelcontextprotocol/logLevel"
)

// modernAlone restricts a server to the revision without a handshake.
var modernAlone = Needs{Served: []string{hook.R20260728}}

func init() {
	Register(
		Fault{
			Name: "disc-01-unknown-method", Requirement: "DISC-01",
			Summary: "server/discover is an unknown method",
			Hooks: hook.ReplaceReply(hook.MethodDiscover, func(*hook.Call) *hook.Reply {
				r := hook.Fail(-32601, "Method not found")
				r.Status = 404
				return r
			}),
		},
		Fault{
			Name: "disc-02-single-version", Requirement: "DISC-02",
			Summary: "supportedVersions is a single string",
			Hooks:   editDiscovery(func(d hook.Object) { d["supportedVersions"] = hook.R20260728 }),
		},
		Fault{
			Name: "disc-02-capability-array", Requirement: "DISC-02",
			Summary: "capabilities is an array of names",
			Hooks:   editDiscovery(func(d hook.Object) { d["capabilities"] = []any{"resources"} }),
		},
		Fault{
			Name: "disc-02-null-instructions", Requirement: "DISC-02",
			Summary: "instructions is null",
			Hooks:   editDiscovery(func(d hook.Object) { d["instructions"] = nil }),
		},
		Fault{
			Name: "disc-03-own-version-missing", Requirement: "DISC-03",
			Summary: "supportedVersions lacks the version under which it was served",
			Hooks:   editDiscovery(func(d hook.Object) { d["supportedVersions"] = []any{"2025-11-25"} }),
		},
		Fault{
			Name: "disc-04-unserved-version", Requirement: "DISC-04",
			Summary: "discovery lists a legacy version whose handshake is refused",
			Needs:   modernAlone,
			Hooks:   editDiscovery(func(d hook.Object) { d["supportedVersions"] = []any{hook.R20260728, "2025-11-25"} }),
		},
		Fault{
			Name: "disc-07-server-info-at-top", Requirement: "DISC-07",
			Summary: "discovery has serverInfo beside _meta instead of inside it",
			Hooks: editDiscovery(func(d hook.Object) {
				meta := hook.ObjectAt(d, "_meta")
				d["serverInfo"] = meta[metaServerInfo]
				delete(meta, metaServerInfo)
			}),
		},
		Fault{
			Name: "disc-08-any-version-served", Requirement: "DISC-08",
			Summary: "requests under unknown versions are served",
			Hooks:   tolerantOfVersions("resources/*"),
		},
		Fault{
			Name: "disc-09-no-data", Requirement: "DISC-09",
			Summary: "the error for an unsupported version has no data",
			Hooks:   editUnsupported(func(e hook.Object) { delete(e, "data") }),
		},
		Fault{
			Name: "disc-09-refused-version-listed", Requirement: "DISC-09",
			Summary: "the error for an unsupported version recommends the same version",
			Hooks: editUnsupported(func(e hook.Object) {
				data := hook.ObjectAt(e, "data")
				list, _ := data["supported"].([]any)
				data["supported"] = append(list, data["requested"])
			}),
		},
		Fault{
			Name: "disc-11-checked-at-discovery-only", Requirement: "DISC-11",
			Summary: "only server/discover checks the version",
			Hooks:   tolerantOfVersions("resources/*|completion/*"),
		},
		Fault{
			Name: "disc-12-discovery-first", Requirement: "DISC-12",
			Summary: "a connection serves nothing before server/discover was called on it",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Make:    discoveryFirst,
		},
		Fault{
			Name: "disc-13-bare-refusal", Requirement: "DISC-13",
			Summary: "initialize is refused without a word about versions",
			Needs:   modernAlone,
			Hooks: hook.ReplaceReply("initialize", func(*hook.Call) *hook.Reply {
				return &hook.Reply{Error: hook.Object{"code": hook.Number(-32601), "message": "Method not found"}, Status: 400}
			}),
		},
		Fault{
			Name: "disc-14-no-answer", Requirement: "DISC-14",
			Summary: "initialize is not answered",
			Needs:   modernAlone,
			Hooks:   hook.DropReply("initialize"),
		},
		Fault{
			Name: "disc-15-legacy-for-good", Requirement: "DISC-15",
			Summary: "after a handshake modern requests are refused",
			Needs:   Needs{Transports: []string{hook.Stdio}},
			Hooks: hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Modern && c.Peer != nil && c.Peer.Revision() != "" {
					return hook.Fail(-32600, "This session speaks "+c.Peer.Revision())
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "disc-16-bare-name", Requirement: "DISC-16",
			Summary: "an extension has a name without a prefix",
			Hooks: editDiscovery(func(d hook.Object) {
				hook.MakeObjectAt(d, "capabilities", "extensions")["tasks"] = hook.Object{}
			}),
		},
		Fault{
			Name: "disc-16-extension-unasked", Requirement: "DISC-16",
			Summary: "reads are answered by the rules of an extension that the client did not declare",
			Hooks: hook.Join(
				editDiscovery(func(d hook.Object) {
					hook.MakeObjectAt(d, "capabilities", "extensions")["com.example/tasks"] = hook.Object{}
				}),
				editModern(hook.MethodRead, func(result hook.Object) { result["resultType"] = "task" }),
			),
		},
		Fault{
			Name: "disc-17-shorter-for-curl", Requirement: "DISC-17",
			Summary: "the list is shorter for a client that calls itself curl",
			Hooks: hook.EditResultOf(hook.MethodList, func(c *hook.Call, result hook.Object) {
				info, _ := c.Meta(metaClientInfo).(hook.Object)
				if list, _ := result["resources"].([]any); info["name"] == "curl" && len(list) > 1 {
					result["resources"] = list[:1]
				}
			}),
		},
		Fault{
			Name: "disc-18-cursors-per-connection", Requirement: "DISC-18",
			Summary: "a cursor is refused on any other connection",
			Needs:   Needs{PageSize: 5, Transports: []string{hook.Stdio}},
			Make:    cursorsPerConnection,
		},
	)
}

// editDiscovery changes the result of server/discover.
func editDiscovery(edit func(result hook.Object)) hook.Hooks {
	return hook.EditResult(hook.MethodDiscover, edit)
}

// editModern changes results of modern requests.
func editModern(pattern string, edit func(result hook.Object)) hook.Hooks {
	return hook.EditResultOf(pattern, func(c *hook.Call, result hook.Object) {
		if c.Modern {
			edit(result)
		}
	})
}

// editUnsupported changes the error for an unsupported version.
func editUnsupported(edit func(e hook.Object)) hook.Hooks {
	return hook.EditError("", func(e hook.Object) {
		if e["code"] == hook.Number(-32022) {
			edit(e)
		}
	})
}

// tolerantOfVersions takes any version for the current one.
func tolerantOfVersions(pattern string) hook.Hooks {
	return hook.EditCall(pattern, func(c *hook.Call) {
		if version, ok := c.Meta(metaVersion).(string); ok && version != hook.R20260728 {
			c.SetMeta(metaVersion, hook.R20260728)
			if c.Header != nil {
				c.Header.Set("Mcp-Protocol-Version", hook.R20260728)
			}
		}
	})
}

// discoveryFirst remembers on which connections discovery was called.
func discoveryFirst(*rand.Rand) hook.Hooks {
	var known marks
	return hook.OnMethod("", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio {
			return next(ctx, c) // there every modern request is a connection of its own
		}
		if c.Method == hook.MethodDiscover {
			known.add(c.Peer.ID())
		}
		if c.Modern && !c.Notification() && !known.has(c.Peer.ID()) {
			return hook.Fail(-32600, "Invalid request: call server/discover first")
		}
		return next(ctx, c)
	})
}

// cursorsPerConnection remembers which connection was given which cursor.
func cursorsPerConnection(*rand.Rand) hook.Hooks {
	var given marks
	return hook.OnMethod(hook.MethodList, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if c.Transport != hook.Stdio {
			return next(ctx, c)
		}
		if cursor, ok := c.Param("cursor").(string); ok && !given.has(c.Peer.ID()+" "+cursor) {
			return hook.Fail(-32602, "Invalid params: unknown cursor")
		}
		r := next(ctx, c)
		if r != nil {
			if cursor, ok := r.Result["nextCursor"].(string); ok {
				given.add(c.Peer.ID() + " " + cursor)
			}
		}
		return r
	})
}
