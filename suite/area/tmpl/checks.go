// Package tmpl is the area TMPL: resources/templates/list, the templates and their
// expansions (server/resources#resource-templates).
package tmpl

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// The scenario of the area.
// resources/templates/list with and without params
const TemplatesWithoutParams recording.Name = "templates-without-params"

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{expansionsScenario, templatesWithoutParamsScenario}

// The steps and tags of the area's scripts.
const (
	stepExpansion, stepQuery, stepWithParams recording.Step = "expansion", "query", "with-params"
	stepWithoutParams                        recording.Step = "without-params"
	tagEncoded, tagGiven                     recording.Tag  = "encoded", "given"
)

// templateWalk is the walk through the templates.
var templateWalk = recording.Names{recording.WalkTemplates}

// Checks lists the checks of server/resources#resource-templates.
var Checks = verdict.Checks{
	"TMPL-01": {From: templateWalk,
		Judge: verdict.Each(verdict.PagesOf,
			verdict.TypedResult("ListResourceTemplatesResult", "resourceTemplates"))},
	"TMPL-02": {From: templateWalk,
		Judge: verdict.Each(verdict.ListedItems, func(i verdict.Item, v *verdict.Verdict) {
			if v.That(i, i.IsObject(), "an object for each template", "%s is %s", i.Name,
				judge.TypeName(i.Result)).Held() {
				v.Typed(i, "ResourceTemplate", "uriTemplate", "name")
			}
		})},
	"TMPL-04": grammar("expressions in braces that are closed, not nested and not empty",
		judge.CodeUnbalanced, judge.CodeEmptyExpression, judge.CodeNested),
	"TMPL-05": grammar(
		"expressions of RFC 6570: an operator (+ # . / ; ? &) or none, names of letters, digits, _ and "+
			"dots, a modifier :n or *",
		judge.CodeBadOperator, judge.CodeBadVariable, judge.CodeBadModifier, judge.CodeReservedOperator),
	"TMPL-08": grammar("literal parts without characters that RFC 6570 excludes", judge.CodeBadLiteral,
		judge.CodeBadPercent, judge.CodeApostrophe),
	"TMPL-09": {From: templateWalk, With: verdict.ResourceWalk,
		Judge: func(v *verdict.Verdict) {
			items := verdict.ListedItems(v)
			v.Remarks(items, templateMembers)
			templateRemarks(items, v)
			for _, i := range items {
				v.Typed(i, "ResourceTemplate", "description", "mimeType", "title")
			}
		}},
	"TMPL-15": {From: recording.Names{TemplatesWithoutParams},
		Judge: func(v *verdict.Verdict) {
			with := v.Step(stepWithParams)
			if with != nil && with.Failed() {
				v.NeedsSubject("the list of templates was refused with params, too: %v", with)
				return
			}
			v.Expect(v.Step(stepWithoutParams), matcher.BeResult(),
				"resources/templates/list without params")
		}},
	"TMPL-16": {From: templateWalk,
		Judge: verdict.Each(verdict.TemplateTexts, func(i verdict.Item, v *verdict.Verdict) {
			ok, known := judge.StartsWithScheme(i.Str)
			v.That(i, ok || !known, "a template that begins with a scheme and a colon",
				"the template %v expands to no absolute URI", i.Result)
		})},
	"TMPL-10": {From: recording.Names{recording.TemplateSweep, recording.Expansions},
		With: recording.Names{recording.Reads, recording.KnownReads, recording.WalkTemplates},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepExpansion, stepQuery, scenario.StepKnown) {
				sameTypes(x, v)
			}
			ofSome(v, "no template that is listed has a mimeType",
				"give arguments of a template with a mimeType, "+
					"which lead to resources with one, "+inFile,
				func(x *recording.Exchange) bool { return x.Tags[scenario.TagMIME] != "" })
		}},
	"TMPL-11": {From: recording.Names{recording.Expansions, recording.TemplateSweep},
		With: verdict.PlainReads,
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepExpansion) {
				if x.Tags[tagEncoded] == "" { // those are judged by TMPL-12
					expanded(x, v)
				}
			}
			completed(v)
			neverRead(v)
		}},
	"TMPL-12": {From: recording.Names{recording.Expansions},
		With: verdict.PlainReads,
		Judge: verdict.Each(verdict.Steps(stepExpansion), func(x *recording.Exchange, v *verdict.Verdict) {
			if _, known := x.Tags[recording.TagText]; known && x.Tags[tagEncoded] != "" {
				expanded(x, v)
			}
		}).Or(recording.CodeNeedsConfig,
			"give an argument with a space or a letter beyond ASCII, and the text that it leads to, "+
				inFile)},
	"TMPL-13": {From: recording.Names{recording.TemplateSweep, recording.Expansions},
		With: verdict.PlainReads,
		Judge: func(v *verdict.Verdict) {
			queryNeeded(v)
			for _, x := range v.Steps(stepQuery) {
				given := cmp.Or(x.Tags[tagGiven], "no query variable")
				if toBeJudged(x, v) {
					v.Expect(x, matcher.BeResult(), "%s, which gives %s to the template %s",
						verdict.ReadOf(x), given, x.Tags[recording.TagTemplate])
				}
			}
			ofSome(v, "no template that is listed has a query expression",
				"give arguments of a template with a query "+
					"expression, with a value for one of its variables, "+inFile,
				func(x *recording.Exchange) bool {
					return slices.ContainsFunc(judge.Variables(x.Tags[recording.TagTemplate]),
						func(v judge.Variable) bool { return v.Operator == '?' || v.Operator == '&' })
				})
		}},
}.Needing(verdict.Resources)

// ofSome says what is missing if nothing was judged: a template of a kind, of which no listed one is, or
// arguments in the target file that say what one yields.
func ofSome(v *verdict.Verdict, none, lacking string,
	is func(*recording.Exchange) bool) {
	if v.Scenario == recording.TemplateSweep && !slices.ContainsFunc(v.Exchanges, is) {
		v.NeedsSubject("%s", none)
	} else {
		v.Skip(recording.CodeNeedsConfig, "%s", lacking)
	}
}

// grammar is a check that the listed templates have no problem with one of the codes; those that
// practice accepts warn only.
func grammar(expected string, codes ...judge.Code) verdict.Check {
	return verdict.Check{From: templateWalk,
		Judge: verdict.Each(verdict.TemplateTexts, func(i verdict.Item, v *verdict.Verdict) {
			found := recording.Keep(judge.Template(i.Str),
				func(p judge.Problem) bool { return slices.Contains(codes, p.Code) })
			for _, p := range found {
				v.Fail(i, expected, "the template %v: %v", i.Result, p).WarnIf(p.Soft)
			}
			if len(found) == 0 {
				v.Holds()
			}
		})}
}

// templateRemarks notes templates that are listed twice, that are resources in truth,
// and that are listed as resources, too.
func templateRemarks(items []verdict.Item, v *verdict.Verdict) {
	listed := map[string]bool{}
	if walk := v.Input(recording.WalkResources); walk != nil {
		for _, x := range walk.Steps(recording.StepPage) {
			for _, uri := range verdict.IDsOf(x) {
				listed[uri] = true
			}
		}
	}
	var twice, plain, both verdict.Sightings
	seen := map[string]bool{}
	for _, i := range items {
		text := i.Get("uriTemplate")
		if !judge.IsString(text) {
			continue
		}
		if seen[text.Str] {
			twice.Add(i, "%v", text)
		}
		seen[text.Str] = true
		if len(judge.Variables(text.Str)) == 0 && !strings.ContainsAny(text.Str, "{}") {
			plain.Add(i, "%v", text)
		}
		if listed[text.Raw] {
			both.Add(i, "%v", text)
		}
	}
	twice.Observe(v, "duplicate-template", "%d {template|templates} listed more than once: %s")
	plain.Observe(v, "template-without-variable",
		"%d {template|templates} without a variable: {it|each} stands for a single resource, which "+
			"belongs in resources/list: %s")
	both.Observe(v, "template-as-resource", "%d {template|templates} listed among the resources as well: %s")
}

// toBeJudged reports whether the read of an expansion says something about its
// template: the target lists it, and does not ask for input first.
func toBeJudged(x *recording.Exchange, v *verdict.Verdict) bool {
	switch {
	case x.Tags[recording.TagListed] == "":
		v.NeedsSubject("the target does not list the template %s, which the target file gives arguments for",
			x.Tags[recording.TagTemplate])
		return false
	case v.ReadsUnknown():
		return false
	case verdict.AsksForInput(x):
		v.NeedsSubject("the target asks for input before it lets an expansion be read")
		return false
	}
	return true
}

// completed: what a template yields with the values that the target itself suggests for its
// variables can be read. That a suggestion leads nowhere proves nothing, since it may be the
// beginning of a value; it is remarked upon where what was read is judged.
func completed(v *verdict.Verdict) {
	for _, x := range v.Steps(scenario.StepKnown) {
		if verdict.Yields(x) {
			v.Holds()
		} else if v.Answered(x) {
			v.Skip(recording.CodeNeedsConfig, "%v to %s, an expansion with suggested values: the target "+
				"file has to give arguments that lead to a resource (subjects.templates)", x,
				verdict.ReadOf(x))
		}
	}
}

// neverRead remarks on templates of which no expansion was read, while another template was. Nobody
// configured the values, and they may lead nowhere: hence no verdict.
func neverRead(v *verdict.Verdict) {
	type template struct {
		name, answer  string
		reads         int
		read, unknown bool
		first         *recording.Exchange
	}
	var all []*template
	for _, x := range v.Steps(scenario.StepKnown, scenario.StepSweep) {
		name := x.Tags[recording.TagTemplate]
		at := slices.IndexFunc(all, func(t *template) bool { return t.name == name })
		if at < 0 {
			at, all = len(all), append(all, &template{name: name, answer: matcher.Describe(x), first: x})
		}
		t := all[at]
		t.read = t.read || verdict.Yields(x)
		t.unknown = t.unknown || x.Outcome != recording.Replied || verdict.AsksForInput(x)
		t.reads++
	}
	if !slices.ContainsFunc(all, func(t *template) bool { return t.read }) {
		return
	}
	var never verdict.Sightings
	for _, t := range all {
		if !t.read && !t.unknown {
			never.Add(t.first, plural.Of(t.reads, "%s, %d {time|times} (%s)"), t.name, t.reads, t.answer)
		}
	}
	never.Observe(v, "template-never-read",
		"%d {template was|templates were} expanded with all kinds of values and never read, while another "+
			"one was: %s")
}

// queryNeeded remarks on templates that yield something with their query variables and
// are refused without. What a value that nobody configured leads to is not known, so
// this is no more than a remark.
func queryNeeded(v *verdict.Verdict) {
	var needed verdict.Sightings
	for _, x := range v.Steps(scenario.StepSweep) {
		if !x.Failed() || !withoutQuery(x) {
			continue
		}
		for _, y := range v.Steps(scenario.StepKnown, scenario.StepSweep) {
			if y.Tags[recording.TagTemplate] == x.Tags[recording.TagTemplate] && !withoutQuery(y) &&
				verdict.Yields(y) {
				needed.Add(verdict.Several{y, x}, "%s, where %s gets %v", x.Tags[recording.TagTemplate],
					verdict.ReadOf(x), x)
				break
			}
		}
	}
	needed.Observe(v, "query-variable-needed",
		"%d {template|templates} cannot be read without {its|their} query variables, although every "+
			"variable of a {?…} expression may be left out: %s")
}

// withoutQuery reports whether a read leaves the query variables out, and no other ones.
func withoutQuery(x *recording.Exchange) bool {
	kind := x.Tags[scenario.TagKind]
	return kind == scenario.KindNoQuery || kind == "none" &&
		!slices.ContainsFunc(judge.Variables(x.Tags[recording.TagTemplate]),
			func(v judge.Variable) bool { return v.Operator != '?' && v.Operator != '&' })
}

// expanded: the expansion can be read, and has the text that is known of it.
func expanded(x *recording.Exchange, v *verdict.Verdict) {
	about := verdict.ReadOf(x) + ", an expansion of " + x.Tags[recording.TagTemplate]
	if !toBeJudged(x, v) || !v.Expect(x, matcher.BeResult(), "%s", about).Held() || v.UnreadableShape(x) {
		return
	}
	contents := verdict.ContentsOf(x)
	v.That(x, len(contents) > 0, "contents", "no contents for %s", about)
	text, known := x.Tags[recording.TagText]
	if !known || len(contents) == 0 {
		return
	}
	seen := ""
	for _, c := range contents {
		sent := c.Get("text")
		got := sent.String()
		if data, err := judge.Decode(c.Get("blob").Str); !sent.Exists() && err == nil {
			sent, got = c.Get("blob"), string(data) // every character has arrived, if in base64
		}
		if got == text || (x.Tags[recording.TagContains] != "" && strings.Contains(got, text)) {
			v.Holds()
			return
		}
		seen = judge.Brief(sent)
	}
	v.Fail(x, "the text that the target file gives for these arguments", "the text %s for %s", seen, about)
}

// sameTypes: what a template with a media type expands to has that type.
func sameTypes(x *recording.Exchange, v *verdict.Verdict) {
	wanted := x.Tags[scenario.TagMIME]
	if wanted == "" || !v.Answered(x) || !x.Succeeded() {
		return
	}
	for _, c := range verdict.ContentsOf(x) {
		mime := c.Get("mimeType")
		if !judge.IsString(mime) || !judge.Matches(x.Tags[recording.TagTemplate], c.Get("uri").String()) {
			continue
		}
		v.That(c, strings.EqualFold(judge.Essence(mime.Str), judge.Essence(wanted)),
			"the mimeType of the template, "+wanted, "mimeType of %s is %v", c.Name, mime).
			Before(verdict.Frames(v.ListedIn(recording.WalkTemplates, x.Tags[recording.TagTemplate])))
	}
}

// The members that have a meaning.
var templateMembers = []string{"uriTemplate", "name", "title", "description", "mimeType", "annotations",
	"icons", "lastModified", "_meta"}
