package fault

import "github.com/mcpcheck/mcpcheck/reference/hook"

// Faults of annotations.
func init() {
	Register(
		Fault{
			Name: "ann-01-array", Requirement: "ANN-01",
			Summary: "annotations is an array",
			Hooks: hook.EditEachResource(func(_ int, r hook.Object) {
				if a, ok := r["annotations"]; ok {
					r["annotations"] = []any{a}
				}
			}),
		},
		Fault{
			Name: "ann-01-audience-string", Requirement: "ANN-01",
			Summary: "audience is a string",
			Hooks:   annotate("audience", "user"),
		},
		Fault{
			Name: "ann-01-priority-string", Requirement: "ANN-01",
			Summary: "priority is a string",
			Hooks:   annotate("priority", "0.8"),
		},
		Fault{
			Name: "ann-01-epoch", Requirement: "ANN-01",
			Summary: "lastModified counts seconds since 1970",
			Needs:   Needs{Revisions: sinceTitles},
			Hooks:   annotate("lastModified", hook.Number(1736694058)),
		},
		Fault{
			Name: "ann-01-template-priority-null", Requirement: "ANN-01",
			Summary: "templates have a null priority",
			Hooks:   annotateTemplates("priority", nil),
		},
		Fault{
			Name: "ann-03-developer", Requirement: "ANN-03",
			Summary: "the audience is the developer",
			Hooks:   annotate("audience", []any{"developer"}),
		},
		Fault{
			Name: "ann-05-priority-five", Requirement: "ANN-05",
			Summary: "priority is 5",
			Hooks:   annotate("priority", hook.Number(5)),
		},
		Fault{
			Name: "ann-05-template-priority-ten", Requirement: "ANN-05",
			Summary: "templates have priority 10",
			Hooks:   annotateTemplates("priority", hook.Number(10)),
		},
		Fault{
			Name: "ann-07-http-date", Requirement: "ANN-07",
			Summary: "lastModified is written like an HTTP date",
			Needs:   Needs{Revisions: sinceTitles},
			Hooks:   annotate("lastModified", "Sun, 12 Jan 2025 15:00:58 GMT"),
		},
	)
}

// annotate sets a member of the annotations of each resource that has some.
func annotate(member string, value any) hook.Hooks {
	return hook.EditEachResource(func(_ int, r hook.Object) {
		if a := hook.ObjectAt(r, "annotations"); a != nil {
			a[member] = value
		}
	})
}

func annotateTemplates(member string, value any) hook.Hooks {
	return hook.EditEachTemplate(func(_ int, t hook.Object) {
		hook.MakeObjectAt(t, "annotations")[member] = value
	})
}
