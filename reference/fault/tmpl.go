package fault

import (
	"context"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/hook"
)

func init() {
	Register(
		Fault{
			Name: "tmpl-01-other-member", Requirement: "TMPL-01",
			Summary: "the templates stand in a member called templates",
			Hooks: hook.EditResult(hook.MethodTemplates, func(result hook.Object) {
				result["templates"] = result["resourceTemplates"]
				delete(result, "resourceTemplates")
			}),
		},
		Fault{
			Name: "tmpl-02-uri-member", Requirement: "TMPL-02",
			Summary: "the template stands in a member called uri",
			Hooks: hook.EditEachTemplate(func(i int, template hook.Object) {
				template["uri"] = template["uriTemplate"]
				delete(template, "uriTemplate")
			}),
		},
		Fault{
			Name: "tmpl-02-no-name", Requirement: "TMPL-02",
			Summary: "a template has no name",
			Hooks: hook.EditEachTemplate(func(i int, template hook.Object) {
				if i == 0 {
					delete(template, "name")
				}
			}),
		},
		templateText("tmpl-04-unclosed", "TMPL-04", "an expression is not closed", "file:///{path"),
		templateText("tmpl-04-empty", "TMPL-04", "an expression is empty", "file:///{}"),
		templateText("tmpl-05-operator", "TMPL-05", "an expression begins with a sign that is no operator", "db://{$table}"),
		templateText("tmpl-05-reserved-operator", "TMPL-05", "an expression has an operator that is kept for later", "db://{@table}"),
		templateText("tmpl-05-hyphen", "TMPL-05", "a variable has a hyphen in its name", "note://{note-id}"),
		templateText("tmpl-05-typed", "TMPL-05", "a variable has a type", "x://{id:int}"),
		templateText("tmpl-08-space", "TMPL-08", "a template has a space in it", "file:///my docs/{name}"),
		templateText("tmpl-16-no-scheme", "TMPL-16", "a template is a path", "/notes/{id}"),
		Fault{
			Name: "tmpl-09-null-mime-type", Requirement: "TMPL-09",
			Summary: "the mimeType of templates is null",
			Hooks:   hook.EditEachTemplate(func(_ int, template hook.Object) { template["mimeType"] = nil }),
		},
		expansionHas("tmpl-10-other-type", "TMPL-10", "an expansion has another mimeType than its template", "log://app/2025", "mimeType", "image/png"),
		expansionHas("tmpl-10-type-of-text", "TMPL-10", "tables are read as plain text, although their template promises JSON", "db://", "mimeType", "text/plain"),
		unmatched("tmpl-11-never-matched", "TMPL-11", "expansions are never found", func(uri string) bool {
			return strings.HasPrefix(uri, "log://app/2") || strings.HasPrefix(uri, "db://") || strings.HasPrefix(uri, "search://")
		}),
		expansionHas("tmpl-11-other-text", "TMPL-11", "expansions all have the same text", "log://app/2", "text", "nothing new\n"),
		unmatched("tmpl-12-not-decoded", "TMPL-12", "percent-encoded arguments are compared as they are", func(uri string) bool {
			return strings.Contains(uri, "%") && !strings.Contains(uri, "docs/")
		}),
		unmatched("tmpl-13-all-or-nothing", "TMPL-13", "a query matches only with all its variables", func(uri string) bool {
			return strings.HasPrefix(uri, "search://") && !(strings.Contains(uri, "q=") && strings.Contains(uri, "limit="))
		}),
		Fault{
			Name: "tmpl-15-params-demanded", Requirement: "TMPL-15",
			Summary: "the template list cannot be asked for without params",
			Hooks: hook.OnMethod(hook.MethodTemplates, func(ctx context.Context, c *hook.Call, next hook.Handler) *hook.Reply {
				if c.Params == nil {
					return hook.Fail(-32602, "Invalid params: params are missing")
				}
				return next(ctx, c)
			}),
		},
	)
}

// templateText is a fault of a listed template with such a text.
func templateText(name, requirement, summary, text string) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary,
		Hooks: hook.EditEachTemplate(func(i int, template hook.Object) {
			if i == 0 {
				template["uriTemplate"] = text
			}
		})}
}

// expansionHas is a fault of what is read below a prefix, the expansions of a template: a
// member of the contents has a value of its own there.
func expansionHas(name, requirement, summary, prefix, member, value string) Fault {
	return Fault{Name: name, Requirement: requirement, Summary: summary,
		Hooks: hook.EditEachContent(func(_ int, content hook.Object) {
			if uri, _ := content["uri"].(string); strings.HasPrefix(uri, prefix) {
				content[member] = value
			}
		})}
}

// unmatched is a fault of certain URIs, which are not found.
func unmatched(name, requirement, summary string, which func(uri string) bool) Fault {
	return readAs("test://does-not-exist", name, requirement, summary, which)
}
