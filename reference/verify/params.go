package verify

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/reference/hook"
	"github.com/mcpcheck/mcpcheck/reference/journal"
)

func paramsRules() []Rule {
	return []Rule{
		{
			ID: "CL-37", Title: "Params have the form of the schema", Profile: profileMessages,
			Text:  "What a request needs is there and has its type: a URI and a name are strings, a completion names its reference and an argument with a value, listening has a filter, _meta is an object.",
			Level: "SHOULD", Grade: Warn, Basis: Schema, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{{From: hook.R20250618, To: modern, Page: "schema"}, {From: first, To: first, Page: "basic/messages", Anchor: "requests"}, {From: hook.R20250326, To: hook.R20250326, Page: "basic/index", Anchor: "requests"}},
			Tolerated: "Members that the schema does not know, and methods of extensions. No keyword asks for it, hence a warning.",
			Occasion:  "it sent no request with params that the schema asks for", judge: paramsFit,
		},
		{
			ID: "CL-38", Title: "Methods are those of the revision", Profile: profileLifecycle,
			Text:  "A client does not call what only other revisions have: no ping, resources/subscribe, logging/setLevel or notifications/initialized in 2026-07-28, no subscriptions/listen after a handshake.",
			Level: "SHOULD", Grade: Warn, Basis: Implied, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{in("basic/lifecycle", "operation"), inModern("basic/versioning", "")},
			Tolerated: "Methods that no revision has: they may be of an extension. What was sent before the era of the server was known, and server/discover always.",
			Occasion:  "it sent nothing whose name tells revisions apart", judge: methodsOfRevision,
		},
		{
			ID: "CL-39", Title: "Completions are for variables that there are", Profile: profileResources,
			Text:  "The argument of a completion for a listed resource template is a variable of that template.",
			Level: "SHOULD", Grade: Warn, Basis: Implied, Revisions: everyOne, Transports: onAll,
			Sections:  []Section{{From: first, To: modern, Page: "server/utilities/completion", Anchor: "requesting-completions"}},
			Tolerated: "References to what was not listed, and to URIs without variables.",
			Occasion:  "it completed nothing of a template that it had been told of", judge: completesVariables,
		},
	}
}

// form is a place in params and the type that it has to have.
type form struct {
	path     string
	fits     func(x gjson.Result) bool
	expected string
}

func isText(x gjson.Result) bool    { return x.Type == gjson.String }
func isFlag(x gjson.Result) bool    { return !x.Exists() || x.IsBool() }
func isMembers(x gjson.Result) bool { return x.IsObject() }

func isTexts(x gjson.Result) bool {
	return !x.Exists() || x.IsArray() && !slices.ContainsFunc(x.Array(), func(e gjson.Result) bool { return !isText(e) })
}

func isLevel(x gjson.Result) bool {
	return isText(x) && slices.Contains([]string{"debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"}, x.String())
}

// forms lists what the params of a method need in every revision that has it.
func forms(method string) []form {
	switch method {
	case hook.MethodRead, "resources/subscribe", "resources/unsubscribe":
		return []form{{"uri", isText, "a string"}}
	case "prompts/get", "tools/call":
		return []form{{"name", isText, "a string"}}
	case "logging/setLevel":
		return []form{{"level", isLevel, "one of the eight levels"}}
	case hook.MethodListen:
		return []form{
			{"notifications", isMembers, "an object"}, {"notifications.resourceSubscriptions", isTexts, "an array of strings"},
			{"notifications.resourcesListChanged", isFlag, "a boolean"}, {"notifications.toolsListChanged", isFlag, "a boolean"}, {"notifications.promptsListChanged", isFlag, "a boolean"},
		}
	}
	return nil
}

// completionForms are those of a completion, which depend on what it refers to.
func completionForms(m *message) []form {
	if m.params.Get("ref.type").String() == "ref/prompt" {
		return []form{{"ref.name", isText, "a string"}, {"argument.name", isText, "a string"}, {"argument.value", isText, "a string"}}
	}
	resource := func(x gjson.Result) bool { return isText(x) && x.String() == "ref/resource" }
	return []form{
		{"ref.type", resource, `"ref/resource" or "ref/prompt"`}, {"ref.uri", isText, "a string"},
		{"argument.name", isText, "a string"}, {"argument.value", isText, "a string"},
	}
}

func paramsFit(g *group, v *ruling) {
	for _, c := range g.talks {
		for _, m := range c.requests() {
			if !m.whole || m.params.Exists() && !m.params.IsObject() {
				continue // see CL-24
			}
			wanted := forms(m.method)
			if m.method == "completion/complete" {
				wanted = completionForms(m)
			}
			if m.params.Get("_meta").Exists() {
				wanted = append(wanted, form{"_meta", isMembers, "an object"})
			}
			bad := slices.IndexFunc(wanted, func(f form) bool { return !f.fits(m.params.Get(f.path)) })
			switch {
			case len(wanted) == 0:
			case bad < 0:
				v.fine(m.seq())
			default:
				f := wanted[bad]
				v.broken(f.path+" in params: "+f.expected, fmt.Sprintf("params.%s of %s %s", f.path, m.what(), shownValue(m.params.Get(f.path))), "send params in the form of the schema", m.seq())
			}
		}
	}
}

// shownValue says of a member what it is, if it is there.
func shownValue(x gjson.Result) string {
	if !x.Exists() {
		return "is missing"
	}
	return "is " + shorten(x.Raw)
}

// foreign are the methods that revisions of the other era have, and this one has not. The
// handshake itself is the matter of CL-27.
func foreign(isModern bool) []string {
	if !isModern {
		return []string{hook.MethodListen}
	}
	return []string{
		"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel",
		"notifications/initialized", "notifications/progress", "notifications/roots/list_changed",
	}
}

func methodsOfRevision(g *group, v *ruling) {
	for _, c := range g.talks {
		understood := c.welcome
		for _, m := range c.requests() {
			if _, ok := m.succeeded(); ok && c.modern && understood == nil {
				understood = m.answer
			}
		}
		if understood == nil {
			continue
		}
		for _, m := range c.received(journal.Request, journal.Notification) {
			switch {
			case m.seq() < understood.seq():
			case slices.Contains(foreign(c.modern), m.method):
				v.broken("a method of "+c.revision, m.what()+" was sent, which "+c.revision+" does not have", "look the methods up in the schema of the revision that is spoken", understood.seq(), m.seq())
			case slices.Contains(foreign(!c.modern), m.method):
				v.fine(m.seq())
			}
		}
	}
}

func completesVariables(g *group, v *ruling) {
	templates, _ := g.known("uriTemplate")
	for _, c := range g.talks {
		for _, m := range c.requests("completion/complete") {
			text, name := m.params.Get("ref.uri").String(), m.params.Get("argument.name")
			told, listed := templates[text]
			t, err := uritemplate.New(text)
			if !listed || told > m.seq() || err != nil || !isText(name) {
				continue
			}
			if variables := t.Varnames(); !slices.Contains(variables, name.String()) {
				v.broken(fmt.Sprintf("one of the variables %q", variables), fmt.Sprintf("%s names %q, which is no variable of %q", m.what(), shorten(name.String()), shorten(text)),
					"take the names of arguments from the template, without braces and operators", told, m.seq())
			} else {
				v.fine(told, m.seq())
			}
		}
	}
}
