package check

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// templateWalk is the walk through the templates.
var templateWalk = []recording.Name{recording.WalkTemplates}

// The checks of server/resources#resource-templates.
func init() {
	add(Check{
		Requirement: "TMPL-01",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range pagesOf(r, v) {
				list := x.Result().Get("resourceTemplates")
				v.That(list.IsArray(), "resourceTemplates as an array on every page", "resourceTemplates is "+judge.TypeName(list), x.Evidence()...)
				v.Hint("send an empty array if there are no templates")
			}
		},
	}, Check{
		Requirement: "TMPL-02",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, i := range listedItems(r, v) {
				if !v.That(i.IsObject(), "an object for each template", i.name+" is "+judge.TypeName(i.Result), i.frames...) {
					continue
				}
				for _, member := range []string{"uriTemplate", "name"} {
					m := i.Get(member)
					v.That(judge.IsString(m), "a string "+member, member+" of "+i.name+" is "+judge.TypeName(m), i.frames...)
				}
			}
		},
	}, Check{
		Requirement: "TMPL-04",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			grammar(r, v, "expressions in braces that are closed, not nested and not empty", judge.CodeUnbalanced, judge.CodeEmptyExpression, judge.CodeNested)
		},
	}, Check{
		Requirement: "TMPL-05",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			grammar(r, v, "expressions of RFC 6570: an operator (+ # . / ; ? &) or none, names of letters, digits, _ and dots, a modifier :n or *",
				judge.CodeBadOperator, judge.CodeBadVariable, judge.CodeBadModifier, judge.CodeReservedOperator)
		},
	}, Check{
		Requirement: "TMPL-08",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			grammar(r, v, "literal parts without characters that RFC 6570 excludes", judge.CodeBadLiteral, judge.CodeBadPercent, judge.CodeApostrophe)
		},
	}, Check{
		Requirement: "TMPL-09",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			items := listedItems(r, v)
			remarks(items, templateMembers, v)
			templateRemarks(items, v)
			for _, i := range items {
				typed(v, i, "description", judge.IsString, "a string")
				typed(v, i, "mimeType", judge.IsString, "a string")
				if v.Revision() >= requirement.R20250618 {
					typed(v, i, "title", judge.IsString, "a string")
				}
				v.Saw()
			}
		},
	}, Check{
		Requirement: "TMPL-15",
		From:        []recording.Name{recording.TemplatesWithoutParams},
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			with := r.Step("with-params")
			if with != nil && with.Failed() {
				v.Skip(recording.CodeNeedsSubject, "the list of templates was refused with params, too: "+Describe(with))
				return
			}
			v.Expect(r.Step("without-params")).To(Succeed(), "resources/templates/list without params")
			v.Hint("treat absent params like empty ones")
		},
	}, Check{
		Requirement: "TMPL-16",
		From:        templateWalk,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, i := range templateTexts(r, v) {
				ok, known := judge.StartsWithScheme(i.Str)
				v.That(ok || !known, "a template that begins with a scheme and a colon", "the template "+Brief(i.Result)+" expands to no absolute URI", i.frames...)
			}
		},
	})
}

// templateTexts lists the URI templates of a walk; those that are no strings are
// judged by TMPL-02.
func templateTexts(r *recording.Recording, v *Verdict) []item {
	var all []item
	for _, i := range listedItems(r, v) {
		if u := i.Get("uriTemplate"); judge.IsString(u) {
			all = append(all, newItem(u, i.name, i.frames))
		}
	}
	return all
}

// grammar notes the problems of the listed templates that bear one of the codes;
// those that practice accepts warn only.
func grammar(r *recording.Recording, v *Verdict, expected string, codes ...judge.Code) {
	for _, i := range templateTexts(r, v) {
		found := false
		for _, p := range judge.Template(i.Str) {
			if !judge.Has([]judge.Problem{p}, codes...) {
				continue
			}
			found = true
			state := v.That
			if p.Soft {
				state = v.Ought
			}
			state(false, expected, "the template "+Brief(i.Result)+": "+p.String(), i.frames...)
		}
		if !found {
			v.Saw()
		}
	}
}

// The checks of expansions, which need arguments from the target file.
func init() {
	from := []recording.Name{recording.Expansions}
	add(Check{
		Requirement: "TMPL-10",
		From:        append(from, recording.TemplateSweep),
		Needs:       []Gate{resources},
		Judge:       sameTypes,
	}, Check{
		Requirement: "TMPL-11",
		From:        from,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("expansion") {
				if x.Tags["encoded"] == "" { // those are judged by TMPL-12
					expanded(x, v)
				}
			}
		},
	}, Check{
		Requirement: "TMPL-12",
		From:        from,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("expansion") {
				if _, known := x.Tags["text"]; known && x.Tags["encoded"] != "" {
					expanded(x, v)
					v.Hint("percent-decode what a variable matched before it is used")
				}
			}
		},
	}, Check{
		Requirement: "TMPL-13",
		From:        from,
		Needs:       []Gate{resources},
		Judge: func(r *recording.Recording, v *Verdict) {
			for _, x := range r.Steps("query") {
				given := x.Tags["given"]
				if given == "" {
					given = "no query variable"
				}
				if toBeJudged(x, v) {
					v.Expect(x).To(Succeed(), readOf(x)+", which gives "+given+" to the template "+x.Tags["template"])
					v.Hint("let every variable of a {?…} expression be absent")
				}
			}
		},
	})
}

// templateRemarks notes templates that are listed twice, that are resources in truth,
// and that are listed as resources, too.
func templateRemarks(items []item, v *Verdict) {
	listed := map[string]bool{}
	if walk := v.recs[recording.WalkResources]; walk != nil {
		for _, x := range walk.Steps("page") {
			for _, uri := range identities(x, "resources") {
				listed[uri] = true
			}
		}
	}
	var twice, plain, both sightings
	seen := map[string]bool{}
	for _, i := range items {
		text := i.Get("uriTemplate")
		if !judge.IsString(text) {
			continue
		}
		if seen[text.Str] {
			twice.add(Brief(text), i.frames...)
		}
		seen[text.Str] = true
		if len(judge.Variables(text.Str)) == 0 && !strings.ContainsAny(text.Str, "{}") {
			plain.add(Brief(text), i.frames...)
		}
		if listed[text.Raw] {
			both.add(Brief(text), i.frames...)
		}
	}
	twice.observe(v, "duplicate-template", "%d templates listed more than once: %s")
	plain.observe(v, "template-without-variable", "%d templates without a variable: each stands for a single resource, which belongs into resources/list: %s")
	both.observe(v, "template-as-resource", "%d templates listed among the resources as well: %s")
}

// toBeJudged reports whether the read of an expansion says something about its
// template: the target lists it, and does not ask for input first.
func toBeJudged(x *recording.Exchange, v *Verdict) bool {
	switch {
	case x.Tags["listed"] == "":
		v.Skip(recording.CodeNeedsSubject, "the target does not list the template "+x.Tags["template"]+", which the target file gives arguments for")
		return false
	case readsUnknown(v):
		return false
	case asksForInput(x):
		v.Skip(recording.CodeNeedsSubject, "the target asks for input before it lets an expansion be read")
		return false
	}
	return true
}

// expanded: the expansion can be read, and has the text that is known of it.
func expanded(x *recording.Exchange, v *Verdict) {
	about := readOf(x) + ", an expansion of " + x.Tags["template"]
	if !toBeJudged(x, v) || !v.Expect(x).To(Succeed(), about) || unreadableShape(x, v) {
		return
	}
	contents := contentsOf(x)
	v.That(len(contents) > 0, "contents", "no contents for "+about, x.Evidence()...)
	text, known := x.Tags["text"]
	if !known || len(contents) == 0 {
		return
	}
	seen := ""
	for _, c := range contents {
		got := c.Get("text").String()
		if got == text || (x.Tags["contains"] != "" && strings.Contains(got, text)) {
			v.Saw()
			return
		}
		seen = Brief(c.Get("text"))
	}
	v.That(false, "the text that the target file gives for these arguments", "the text "+seen+" for "+about, x.Evidence()...)
}

// sameTypes: what a template with a media type expands to has that type.
func sameTypes(r *recording.Recording, v *Verdict) {
	for _, x := range r.Steps("expansion", "query", "known") {
		wanted := x.Tags["mime"]
		if wanted == "" || !v.Answered(x) || !x.Succeeded() {
			continue
		}
		for _, c := range contentsOf(x) {
			mime := c.Get("mimeType")
			if !judge.IsString(mime) || !judge.Matches(x.Tags["template"], c.Get("uri").String()) {
				continue
			}
			v.That(strings.EqualFold(judge.Essence(mime.Str), judge.Essence(wanted)), "the mimeType of the template, "+wanted,
				"mimeType of "+c.name+" is "+Brief(mime), c.frames...)
			v.Hint("leave mimeType out of a template whose resources are of different types")
		}
	}
}
