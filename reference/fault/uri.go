package fault

import (
	"context"
	"net/url"
	"path"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

// What the faults of file access know of the world: a resource that is always
// there, and a file outside of the root that nobody should see.
const (
	present       = "file:///project/README.md"
	canaryPath    = "/outside/canary.txt"
	canaryContent = "canary-7d1f3a52b8"
)

func init() {
	Register(
		listedURI("uri-01-path", "URI-01", "a listed uri is a path", "/etc/motd"),
		listedURI("uri-01-relative-reference", "URI-01", "a listed uri is a relative reference", "users/me"),
		listedURI("uri-02-underscore", "URI-02", "a listed uri has an underscore in its scheme", "my_app://x"),
		templateText("uri-02-template-scheme", "URI-02", "a template has an underscore in its scheme", "my_app://{id}"),
		listedURI("uri-03-stray-percent", "URI-03", "a listed uri has a percent sign that encodes nothing", "file:///project/100%.txt"),
		listedURI("uri-03-template", "URI-03", "a template is listed as a resource", "note://{id}"),
		listedURI("uri-05-port", "URI-05", "a listed uri has a word as its port", "db://host:port/x"),
		listedURI("uri-05-bracket", "URI-05", "a listed uri has a bracket in its path", "file:///project/a[1].txt"),
		Fault{
			Name: "uri-06-file-name", Requirement: "URI-06",
			Summary: "the contents of a read name a file instead of a URI",
			Hooks:   hook.EditEachContent(func(_ int, content hook.Object) { content["uri"] = "main.rs" }),
		},
		readAs(present, "uri-08-empty-uri", "URI-08", "an empty uri reads the first resource", func(uri string) bool {
			return uri == ""
		}),
		diesOf("uri-08-dies-of-nul", "URI-08", "a NUL in a uri ends the connection", func(uri string) bool {
			return strings.Contains(uri, "\x00")
		}),
		readAs(present, "uri-08-inherited-member", "URI-08", "resources are looked up among the members of an object, which has a constructor", func(uri string) bool {
			return uri == "constructor"
		}),
		diesOf("uri-08-dies-of-iri", "URI-08", "a uri with letters beyond ASCII ends the connection", func(uri string) bool {
			return strings.Contains(uri, "ü")
		}),
		diesOf("uri-08-dies-of-template-value", "URI-08", "braces in the value of a template's variable end the connection", func(uri string) bool {
			return strings.Contains(uri, "%7B")
		}),
		Fault{
			Name: "uri-08-null-contents", Requirement: "URI-08",
			Summary: "a data: URI is answered by contents of null",
			Hooks: readsOf(func(uri string) bool { return strings.HasPrefix(uri, "data:") }, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				return forged(ctx, c, next, nil)
			}),
		},
		diesOf("uri-09-dies-of-length", "URI-09", "a uri of 8 KiB ends the connection", func(uri string) bool {
			return len(uri) > 8000
		}),
		readAs(present, "uri-09-any-scheme", "URI-09", "an unknown scheme is taken for file", func(uri string) bool {
			return strings.HasPrefix(uri, "x-")
		}),
		escape("uri-10-dot-segments", "URI-10", "dot segments are followed out of the root", func(uri string) string {
			if strings.ContainsAny(uri, `%\`) {
				return ""
			}
			return filePath(uri)
		}),
		escape("uri-11-decoded-late", "URI-11", "dots are looked for before the percent-encoding is undone", func(uri string) string {
			if !strings.Contains(uri, "%") || strings.Contains(filePath(uri), "/../") {
				return ""
			}
			return decoded(filePath(uri))
		}),
		escape("uri-11-decoded-twice", "URI-11", "the percent-encoding is undone twice", func(uri string) string {
			if !strings.Contains(uri, "%25") {
				return ""
			}
			return decoded(decoded(filePath(uri)))
		}),
		escape("uri-11-overlong-utf8", "URI-11", "overlong UTF-8 is taken for dots and slashes", func(uri string) string {
			if !strings.Contains(uri, "%c0%a") {
				return ""
			}
			return filePath(strings.NewReplacer("%c0%ae", ".", "%c0%af", "/").Replace(uri))
		}),
		escape("uri-12-decoded-variable", "URI-12", "a variable is decoded and joined to the root", func(uri string) string {
			value, ok := strings.CutPrefix(uri, "file:///..%")
			if !ok {
				return ""
			}
			return "/project/" + decoded("..%"+value)
		}),
		escape("uri-12-absolute-variable", "URI-12", "a variable may be an absolute path", func(uri string) string {
			value, ok := strings.CutPrefix(uri, "file:///%2F")
			if !ok {
				return ""
			}
			return "/" + decoded(value)
		}),
		escape("uri-13-sibling", "URI-13", "a directory whose name begins with that of the root is taken for it", func(uri string) string {
			if uri == "file:///project-old/canary.txt" {
				return canaryPath
			}
			return ""
		}),
		escape("uri-13-backslash", "URI-13", "backslashes separate directories", func(uri string) string {
			if !strings.Contains(uri, `\`) {
				return ""
			}
			return filePath(strings.ReplaceAll(uri, `\`, "/"))
		}),
		escape("uri-13-nul", "URI-13", "a path ends at an encoded NUL", func(uri string) string {
			before, _, found := strings.Cut(uri, "%00")
			if !found {
				return ""
			}
			return filePath(before)
		}),
		escape("uri-13-fullwidth", "URI-13", "fullwidth dots and slashes are taken for plain ones", func(uri string) string {
			if !strings.Contains(uri, "\uFF0E") {
				return ""
			}
			return filePath(strings.NewReplacer("\uFF0E", ".", "\uFF0F", "/").Replace(uri))
		}),
		escape("uri-13-stripped-once", "URI-13", "steps up are taken out of a path, but only once", func(uri string) string {
			if !strings.Contains(uri, "....//") {
				return ""
			}
			return filePath(strings.ReplaceAll(uri, "../", ""))
		}),
		Fault{
			Name: "uri-13-system-file", Requirement: "URI-13",
			Summary: "files of the system can be read beside those below the root",
			Hooks: readsOf(func(uri string) bool { return uri == "file:///etc/passwd" }, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				return forged(ctx, c, next, []any{hook.Object{"uri": c.Param("uri"), "text": "root:x:0:0:root:/root:/bin/sh\nbin:x:1:1:bin:/bin:/sbin/nologin\n"}})
			}),
		},
		escape("uri-13-link", "URI-13", "a link that leads out of the root is followed", func(uri string) string {
			if uri == "file:///project/link.txt" {
				return canaryPath
			}
			return ""
		}),
		Fault{
			Name: "uri-14-dies", Requirement: "URI-14",
			Summary: "a subscription to what is no URI ends the connection",
			Hooks: hook.OnMethod("resources/subscribe|"+hook.MethodListen, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if asksFor(c, noURI) {
					return die(ctx, c, next)
				}
				return next(ctx, c)
			}),
		},
		Fault{
			Name: "uri-14-accepts-anything", Requirement: "URI-14",
			Summary: "a subscription to what is no URI is accepted",
			Needs:   Needs{Revisions: []string{hook.R20241105, hook.R20250326, hook.R20250618, hook.R20251125}},
			Hooks: hook.OnMethod("resources/subscribe", func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if asksFor(c, noURI) {
					return &hook.Reply{Result: hook.Object{}}
				}
				return next(ctx, c)
			}),
		},
	)
}

// listedURI is a fault of a listed resource with such a URI.
func listedURI(name, requirement, summary, uri string) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Overlay: func(w *world.World) {
		text := "found under an odd name\n"
		w.Resources = append(w.Resources, world.Resource{URI: uri, Name: "odd", MIMEType: "text/plain", Text: &text})
	}}
}

// readsOf wraps the handling of reads of certain URIs.
func readsOf(which func(uri string) bool, handle func(context.Context, *hook.Call, hook.Handler) *hook.Reply) hook.Hooks {
	return hook.OnMethod(hook.MethodRead, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
		if uri, ok := c.Param("uri").(string); ok && which(uri) {
			return handle(ctx, c, next)
		}
		return next(ctx, c)
	})
}

// die ends the connection instead of answering.
func die(_ context.Context, c *hook.Call, _ hook.Handler) *hook.Reply {
	c.Peer.Abort()
	return &hook.Reply{Silent: true}
}

// diesOf is a fault of a server that does not survive reads of certain URIs.
func diesOf(name, requirement, summary string, which func(uri string) bool) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary, Hooks: readsOf(which, die)}
}

// readAs is a fault of a server that takes certain URIs for another one.
func readAs(other, name, requirement, summary string, which func(uri string) bool) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary,
		Hooks: readsOf(which, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			return next(ctx, pointedAt(c, other))
		})}
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

// escape is a fault of a server that takes a URI for the path that resolve makes
// of it: where that leads to the canary, its contents are served.
func escape(name, requirement, summary string, resolve func(uri string) string) Fault {
	leads := func(uri string) bool {
		p := resolve(uri)
		return p != "" && path.Clean(p) == canaryPath
	}
	return Fault{Name: name, Requirement: requirement, Summary: summary,
		Hooks: readsOf(leads, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
			return forged(ctx, c, next, []any{hook.Object{"uri": c.Param("uri"), "mimeType": "text/plain", "text": canaryContent + "\n"}})
		})}
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
	d, err := url.PathUnescape(p)
	if err != nil {
		return ""
	}
	return d
}

func noURI(uri string) bool { return world.CheckURI(uri) != nil }

// asksFor reports whether a call wants to subscribe to such a URI.
func asksFor(c *hook.Call, which func(uri string) bool) bool {
	var uris []any
	if filter, ok := c.Param("notifications").(hook.Object); ok {
		uris, _ = filter["resourceSubscriptions"].([]any)
	}
	for _, v := range append(uris, c.Param("uri")) {
		if uri, ok := v.(string); ok && which(uri) {
			return true
		}
	}
	return false
}
