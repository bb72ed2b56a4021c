package clientcheck

import (
	"fmt"
	"slices"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/tidwall/gjson"
	"github.com/yosida95/uritemplate/v3"
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

func text(path string) form   { return form{path, judge.IsString, "a string"} }
func object(path string) form { return form{path, judge.IsObject, "an object"} }
func flag(path string) form   { return form{path, isFlag, "a boolean"} }

func isFlag(x gjson.Result) bool { return !x.Exists() || x.IsBool() }

func isTexts(x gjson.Result) bool {
	other := func(e gjson.Result) bool { return !judge.IsString(e) }
	return !x.Exists() || x.IsArray() && !slices.ContainsFunc(x.Array(), other)
}

// oneOf wants one of some strings.
func oneOf(texts ...string) func(gjson.Result) bool {
	return func(x gjson.Result) bool { return judge.IsString(x) && slices.Contains(texts, x.Str) }
}

// misfit is the first of some places that is not as it has to be; nil if all are.
func (m *message) misfit(wanted []form) *form {
	for i := range wanted {
		if !wanted[i].fits(m.Get("params." + wanted[i].path)) {
			return &wanted[i]
		}
	}
	return nil
}

// forms lists what the params of requests need in every revision that has their method.
var forms = map[string][]form{
	methodRead:        {text("uri")},
	methodSubscribe:   {text("uri")},
	methodUnsubscribe: {text("uri")},
	"prompts/get":     {text("name")},
	"tools/call":      {text("name")},
	"logging/setLevel": {{
		"level", oneOf("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"),
		"one of the eight levels",
	}},
	methodListen: {
		object("notifications"), {"notifications.resourceSubscriptions", isTexts, "an array of strings"},
		flag("notifications.resourcesListChanged"), flag("notifications.toolsListChanged"),
		flag("notifications.promptsListChanged"),
	},
	methodComplete: {
		{"ref.type", oneOf("ref/resource"), `"ref/resource" or "ref/prompt"`},
		text("ref.uri"), text("argument.name"), text("argument.value"),
	},
}

func paramsFit(v *judging) {
	told := map[string]bool{}
	for _, m := range v.fromClient(kindRequest, kindNotification) {
		if said := m.misnaming(); said != "" && !told[said] {
			told[said] = true
			v.Observe(m, "client-habit", "%s", said)
		}
	}
	for _, m := range v.requests() {
		if params := m.Get("params"); !m.whole || params.Exists() && !params.IsObject() {
			continue // see CL-24
		}
		wanted := forms[m.method]
		if m.method == methodComplete && m.Get("params.ref.type").String() == "ref/prompt" {
			wanted = append([]form{text("ref.name")}, wanted[2:]...)
		}
		if m.Get("params._meta").Exists() {
			wanted = append(slices.Clone(wanted), object("_meta"))
		}
		if len(wanted) == 0 {
			continue
		}
		f := m.misfit(wanted)
		if f == nil {
			v.pass(m)
			continue
		}
		seen := "is missing"
		if x := m.Get("params." + f.path); x.Exists() {
			seen = "is " + shorten(x.Raw)
		}
		v.violated(f.path+" in params: "+f.expected,
			fmt.Sprintf("params.%s of %s %s", f.path, m.what(), seen),
			"send params in the form of the schema", m)
	}
}

// foreign are the methods that revisions of the other era have, and those of an era have not. The
// handshake itself is the matter of CL-27.
var foreign = map[bool][]string{
	false: {methodListen},
	true: {
		methodPing, methodSubscribe, methodUnsubscribe, "logging/setLevel",
		methodInitialized, "notifications/progress", "notifications/roots/list_changed",
	},
}

func methodsOfRevision(v *judging) {
	known := v.accepted
	if q := v.understood(); v.modern && q != nil {
		known = q.answer
	}
	for _, m := range v.fromClient(kindRequest, kindNotification) {
		revision := string(v.Combination.Revision)
		switch {
		case known == nil || m.Seq < known.Seq:
		case slices.Contains(foreign[v.modern], m.method):
			v.violated("a method of "+revision, m.what()+" was sent, which "+revision+" does not have",
				"look the methods up in the schema of the revision that is spoken", known, m)
		case slices.Contains(foreign[!v.modern], m.method):
			v.pass(m)
		}
	}
}

func completesVariables(v *judging) {
	for _, m := range v.requests(methodComplete) {
		ref, name := m.Get("params.ref.uri").String(), m.Get("params.argument.name")
		told := v.templates[ref]
		t, err := uritemplate.New(ref)
		if told == nil || told.Seq > m.Seq || err != nil || !judge.IsString(name) {
			continue
		}
		variables := t.Varnames()
		v.that(slices.Contains(variables, name.Str), fmt.Sprintf("one of the variables %q", variables),
			fmt.Sprintf("%s names %q, which is no variable of %q", m.what(), shorten(name.Str), shorten(ref)),
			"take the names of arguments from the template, without braces and operators", told, m)
	}
}
