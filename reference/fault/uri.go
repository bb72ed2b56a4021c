package fault

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

var uriCode = code{
	"uri-09-dies-of-length": stateless(readsOf(func(uri string) bool { return len(uri) > 8000 }, die)),
	"uri-10-dot-segments": escape("", func(uri string) string {
		if strings.ContainsAny(uri, `%\`) {
			return ""
		}
		return filePath(uri)
	}),
	"uri-11-decoded-late": escape("%", func(uri string) string {
		if strings.Contains(filePath(uri), "/../") {
			return ""
		}
		return decoded(filePath(uri))
	}),
	"uri-11-decoded-twice": escape("%25", func(uri string) string { return decoded(decoded(filePath(uri))) }),
	"uri-11-exact-depth": escape("%2", func(uri string) string {
		if strings.Count(decoded(filePath(uri)), "/../") != 1 {
			return "" // above the top of what it serves there is nothing
		}
		return decoded(filePath(uri))
	}),
	"uri-11-overlong-utf8":     escape("%c0%a", replacing("%c0%ae", ".", "%c0%af", "/")),
	"uri-12-decoded-variable":  escape("file:///..%", func(uri string) string { return "/project" + decoded(filePath(uri)) }),
	"uri-12-absolute-variable": escape("file:///%2F", func(uri string) string { return decoded(strings.TrimPrefix(filePath(uri), "/")) }),
	"uri-13-backslash":         escape(`\`, replacing(`\`, "/")),
	"uri-13-nul": escape("%00", func(uri string) string {
		before, _, _ := strings.Cut(uri, "%00")
		return filePath(before)
	}),
	"uri-13-fullwidth":     escape("\uFF0E", replacing("\uFF0E", ".", "\uFF0F", "/")),
	"uri-13-stripped-once": escape("....//", replacing("../", "")),
}

// What the faults of file access know of the world: a resource that is always
// there, and a file outside of the root that nobody should see.
const (
	present       = "file:///project/README.md"
	canaryPath    = "/outside/canary.txt"
	canaryContent = "canary-7d1f3a52b8"
)

// readsOf wraps the handling of reads of certain URIs.
func readsOf(which func(uri string) bool, handle func(context.Context, *hook.Call, hook.Handler) *hook.Reply) hook.Hooks {
	return hook.OnCall(hook.MethodRead, func(c *hook.Call) bool {
		uri, ok := c.Param("uri").(string)
		return ok && which(uri)
	}, handle)
}

// die ends the connection instead of answering.
func die(_ context.Context, c *hook.Call, _ hook.Handler) *hook.Reply {
	c.Session.Abort()
	return &hook.Reply{Silent: true}
}

// forged answers a read by contents that no resource has, in the result of one that is there.
func forged(ctx context.Context, c *hook.Call, next hook.Handler, contents any) *hook.Reply {
	r := next(ctx, pointedAt(c, present))
	if r != nil && r.Error == nil {
		r.Result["contents"] = contents
	}
	return r
}

// pointedAt is a read of another URI, with the header that mirrors it.
func pointedAt(c *hook.Call, uri string) *hook.Call {
	other := *c
	params, ok := hook.DecodeObject(c.Params)
	if !ok {
		params = hook.Object{}
	}
	params["uri"] = uri
	other.Params = hook.Encode(params)
	if c.Header != nil {
		other.Header = c.Header.Clone()
		if hook.Modern(other.Header.Get("Mcp-Protocol-Version")) {
			other.Header.Set("Mcp-Name", uri)
		}
	}
	return &other
}

// escape takes URIs that have something in them for the path that resolve makes of them: where that
// leads to the canary, its contents are served.
func escape(having string, resolve func(uri string) string) func() hook.Hooks {
	leads := func(uri string) bool {
		return strings.Contains(uri, having) && path.Clean(resolve(uri)) == canaryPath
	}
	return stateless(readsOf(leads, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		return forged(ctx, c, next, []any{hook.Object{"uri": c.Param("uri"), "mimeType": "text/plain", "text": canaryContent + "\n"}})
	}))
}

// replacing takes parts of a file: URI for others.
func replacing(oldnew ...string) func(uri string) string {
	return func(uri string) string { return filePath(strings.NewReplacer(oldnew...).Replace(uri)) }
}

// filePath is the path of a file: URI as it is written; empty for other URIs.
func filePath(uri string) string {
	p, ok := strings.CutPrefix(uri, "file://")
	if !ok {
		return ""
	}
	return p
}

func decoded(p string) string {
	d, _ := url.PathUnescape(p) // empty if it cannot be
	return d
}
