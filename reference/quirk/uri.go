package quirk

import (
	"context"
	"net/http"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/world"
)

func init() {
	Register(
		Quirk{
			Name: "template-that-matches-nothing", Permits: []string{"TMPL-14"},
			Summary: "a template matches none of the listed resources",
			Overlay: func(w *world.World) {
				text := "{word}\n"
				w.Templates = append(w.Templates, world.Template{URITemplate: "echo:{word}", Name: "Echo", Text: &text})
			},
		},
		Quirk{
			Name: "scheme-in-any-case", Permits: []string{"URI-15"},
			Summary: "the scheme of a URI may be written in capital letters",
			Hooks: hook.EditParams(hook.MethodRead, func(c *hook.Call, params hook.Object) {
				uri, _ := params["uri"].(string)
				scheme, rest, ok := strings.Cut(uri, ":")
				if lower := strings.ToLower(scheme); ok && lower != scheme && !hook.Modern(c.Revision) {
					params["uri"] = lower + ":" + rest
				}
			}),
		},
		Quirk{
			Name: "not-found-status", Permits: []string{"ERR-13"},
			Summary: "over HTTP a missing resource comes with the status 404",
			Needs:   Needs{Transports: []string{hook.HTTP}},
			Hooks: hook.EditReply(hook.MethodRead, func(c *hook.Call, r *hook.Reply) {
				if c.Transport == hook.HTTP && r.Error != nil && r.Error["message"] == "Resource not found" {
					r.Status = http.StatusNotFound
				}
			}),
		},
		Quirk{
			Name: "unknown-template-completes-to-nothing", Permits: []string{"COMP-09", "COMP-11"},
			Summary: "completions for unknown templates and variables have no values",
			Hooks: hook.OnMethod(hook.MethodComplete, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				r := next(ctx, c)
				var message string
				if r != nil && r.Error != nil {
					message, _ = r.Error["message"].(string)
				}
				if !strings.Contains(message, "no such") {
					return r
				}
				result := hook.Object{"completion": hook.Object{"values": []any{}}}
				if c.Modern {
					result["resultType"] = "complete"
				}
				return &hook.Reply{Result: result}
			}),
		},
	)
}
