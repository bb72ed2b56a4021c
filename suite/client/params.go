package client

import (
	"fmt"
	"slices"

	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"

	"github.com/mcpcheck/mcpcheck/suite/judge"
)

// paramsChecks are those of params and methods.
var paramsChecks = []check{
	{"CL-37", "it sent no request with params that the schema asks for", paramsFit},
	{"CL-38", "it sent nothing whose name tells revisions apart", methodsOfRevision},
	{"CL-39", "it completed nothing of a template that it had been told of", completesVariables},
}

// form is a place in params and the type that it has to have.
type form struct {
	path     string
	fits     func(x gjson.Result) bool
	expected string
}

func isFlag(x gjson.Result) bool { return !x.Exists() || x.IsBool() }

func isTexts(x gjson.Result) bool {
	return !x.Exists() || x.IsArray() && !slices.ContainsFunc(x.Array(), func(e gjson.Result) bool { return !judge.IsString(e) })
}

// oneOf wants one of some strings.
func oneOf(texts ...string) func(gjson.Result) bool {
	return func(x gjson.Result) bool { return judge.IsString(x) && slices.Contains(texts, x.String()) }
}

// forms lists what the params of a request need in every revision that has its method. What a
// completion needs depends on what it refers to.
func forms(m *message) []form {
	text := func(path string) form { return form{path, judge.IsString, "a string"} }
	argument := []form{text("argument.name"), text("argument.value")}
	switch m.method {
	case methodRead, "resources/subscribe", "resources/unsubscribe":
		return []form{text("uri")}
	case "prompts/get", "tools/call":
		return []form{text("name")}
	case "logging/setLevel":
		return []form{{"level", oneOf("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"), "one of the eight levels"}}
	case methodListen:
		return []form{
			{"notifications", judge.IsObject, "an object"}, {"notifications.resourceSubscriptions", isTexts, "an array of strings"},
			{"notifications.resourcesListChanged", isFlag, "a boolean"}, {"notifications.toolsListChanged", isFlag, "a boolean"}, {"notifications.promptsListChanged", isFlag, "a boolean"},
		}
	case methodComplete:
		if m.params.Get("ref.type").String() == "ref/prompt" {
			return append([]form{text("ref.name")}, argument...)
		}
		return append([]form{{"ref.type", oneOf("ref/resource"), `"ref/resource" or "ref/prompt"`}, text("ref.uri")}, argument...)
	}
	return nil
}

func paramsFit(g *group, v *judging) {
	for _, m := range g.requests() {
		if !m.whole || m.params.Exists() && !m.params.IsObject() {
			continue // see CL-24
		}
		wanted := forms(m)
		if m.params.Get("_meta").Exists() {
			wanted = append(wanted, form{"_meta", judge.IsObject, "an object"})
		}
		bad := slices.IndexFunc(wanted, func(f form) bool { return !f.fits(m.params.Get(f.path)) })
		switch {
		case len(wanted) == 0:
		case bad < 0:
			v.pass(m.Seq)
		default:
			f, seen := wanted[bad], "is missing"
			if x := m.params.Get(f.path); x.Exists() {
				seen = "is " + shorten(x.Raw)
			}
			v.violated(f.path+" in params: "+f.expected, fmt.Sprintf("params.%s of %s %s", f.path, m.what(), seen), "send params in the form of the schema", m.Seq)
		}
	}
}

// foreign are the methods that revisions of the other era have, and this one has not. The
// handshake itself is the matter of CL-27.
func foreign(modern bool) []string {
	if !modern {
		return []string{methodListen}
	}
	return []string{
		"ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel",
		"notifications/initialized", "notifications/progress", "notifications/roots/list_changed",
	}
}

func methodsOfRevision(g *group, v *judging) {
	for _, c := range g.conversations {
		known := c.accepted
		if q := c.understood(); c.modern && q != nil {
			known = q.answer
		}
		for _, m := range c.fromClient(kindRequest, kindNotification) {
			switch {
			case known == nil || m.Seq < known.Seq:
			case slices.Contains(foreign(c.modern), m.method):
				v.violated("a method of "+string(c.Revision), m.what()+" was sent, which "+string(c.Revision)+" does not have", "look the methods up in the schema of the revision that is spoken", known.Seq, m.Seq)
			case slices.Contains(foreign(!c.modern), m.method):
				v.pass(m.Seq)
			}
		}
	}
}

func completesVariables(g *group, v *judging) {
	templates := g.known("uriTemplate")
	for _, m := range g.requests(methodComplete) {
		text, name := m.params.Get("ref.uri").String(), m.params.Get("argument.name")
		told, listed := templates[text]
		t, err := uritemplate.New(text)
		if !listed || told > m.Seq || err != nil || !judge.IsString(name) {
			continue
		}
		if variables := t.Varnames(); !slices.Contains(variables, name.String()) {
			v.violated(fmt.Sprintf("one of the variables %q", variables), fmt.Sprintf("%s names %q, which is no variable of %q", m.what(), shorten(name.String()), shorten(text)),
				"take the names of arguments from the template, without braces and operators", told, m.Seq)
		} else {
			v.pass(told, m.Seq)
		}
	}
}
