package fault

import "github.com/mcpcheck/mcpcheck/reference/hook"

// Faults of icons.
func init() {
	pictured := Needs{Revisions: sinceIcons}
	Register(
		Fault{
			Name: "icon-01-single-object", Requirement: "ICON-01",
			Summary: "icons is a single object", Needs: pictured,
			Hooks: hook.EditEachResource(func(_ int, r hook.Object) {
				if icons, ok := r["icons"].([]any); ok {
					r["icons"] = icons[0]
				}
			}),
		},
		Fault{
			Name: "icon-01-url-for-src", Requirement: "ICON-01",
			Summary: "the source of an icon is called url", Needs: pictured,
			Hooks: editIcons(func(icon hook.Object) {
				icon["url"] = icon["src"]
				delete(icon, "src")
			}),
		},
		Fault{
			Name: "icon-01-null-mime-type", Requirement: "ICON-01",
			Summary: "an icon has a null mimeType", Needs: pictured,
			Hooks: setIcon("mimeType", nil),
		},
		Fault{
			Name: "icon-01-sizes-string", Requirement: "ICON-01",
			Summary: "sizes is a string", Needs: pictured,
			Hooks: setIcon("sizes", "48x48"),
		},
		Fault{
			Name: "icon-01-auto-theme", Requirement: "ICON-01",
			Summary: "the theme of an icon is auto", Needs: pictured,
			Hooks: setIcon("theme", "auto"),
		},
		Fault{
			Name: "icon-01-server-icon-without-src", Requirement: "ICON-01",
			Summary: "the server's own icon has no src", Needs: pictured,
			Hooks: hook.EditResult("", func(result hook.Object) {
				for _, info := range []hook.Object{
					hook.ObjectAt(result, "serverInfo"),
					hook.ObjectAt(result, "_meta", "io.modelcontextprotocol/serverInfo"),
				} {
					eachIcon(info, func(icon hook.Object) { delete(icon, "src") })
				}
			}),
		},
		Fault{
			Name: "icon-01-template-icon-without-src", Requirement: "ICON-01",
			Summary: "icons of templates have no src", Needs: pictured,
			Hooks: hook.EditEachTemplate(func(_ int, t hook.Object) {
				eachIcon(t, func(icon hook.Object) { delete(icon, "src") })
			}),
		},
		Fault{
			Name: "icon-03-relative-src", Requirement: "ICON-03",
			Summary: "the src of an icon is a path", Needs: pictured,
			Hooks: setIcon("src", "/icons/a.png"),
		},
		Fault{
			Name: "icon-04-file-src", Requirement: "ICON-04",
			Summary: "the src of an icon is a file: URI", Needs: pictured,
			Hooks: setIcon("src", "file:///usr/share/icons/a.png"),
		},
		Fault{
			Name: "icon-05-broken-base64", Requirement: "ICON-05",
			Summary: "a data: icon has malformed base64", Needs: pictured,
			Hooks: setIcon("src", "data:image/png;base64,iVBORw0KGgo"),
		},
		Fault{
			Name: "icon-08-large", Requirement: "ICON-08",
			Summary: "the size of an icon is large", Needs: pictured,
			Hooks: setIcon("sizes", []any{"large"}),
		},
	)
}

// editIcons changes the icons of resources.
func editIcons(edit func(icon hook.Object)) hook.Hooks {
	return hook.EditEachResource(func(_ int, r hook.Object) { eachIcon(r, edit) })
}

func setIcon(member string, value any) hook.Hooks {
	return editIcons(func(icon hook.Object) { icon[member] = value })
}

func eachIcon(owner hook.Object, edit func(icon hook.Object)) {
	icons, _ := owner["icons"].([]any)
	for _, i := range icons {
		if icon, ok := i.(hook.Object); ok {
			edit(icon)
		}
	}
}
