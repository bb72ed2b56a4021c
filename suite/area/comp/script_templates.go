package comp

import (
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/tidwall/gjson"
)

// many values of a variable are narrowed down by a letter.
const many = 100

// maxVariables bounds how many variables of templates are completed.
const maxVariables = 40

// variable is a variable of a listed template.
type variable struct {
	template, name string
	first          string // another variable of the template, that comes first
}

// variables lists the variables of the listed templates, each once.
func variables(p *scenario.Play) []variable {
	var all []variable
	for _, l := range p.Templates() {
		seen, first := map[string]bool{}, ""
		for _, v := range judge.Variables(l.Template()) {
			if seen[v.Name] || len(all) == maxVariables {
				continue
			}
			seen[v.Name] = true
			all = append(all, variable{l.Template(), v.Name, first})
			if first == "" {
				first = v.Name
			}
		}
	}
	return all
}

// complete is a request for a completion.
func complete(step recording.Step, template, argument, value string, context map[string]string,
	more recording.Tags) session.Request {
	params := map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": template},
		"argument": map[string]any{"name": argument, "value": value},
	}
	if context != nil {
		params["context"] = map[string]any{"arguments": context}
	}
	return session.Request{Step: step, Method: "completion/complete", Params: params,
		Tags: recording.Tags{recording.TagTemplate: template, scenario.TagArgument: argument}.With(more)}
}

// Steps "complete" complete each variable of each listed template with nothing
// typed so far; steps "typed" do so once more with a letter for those that
// have very many values, for those that fail, and for one whose values do not all have that letter. Steps
// "context" complete the second and further variables of a template with the first one given (2025-06-18 on);
// the tag "invented" says that no value of the first was known. Steps "configured" are the completions that
// the target file gives. The tags "template" and "argument" say what is completed.
var templateCompletionsScenario = &scenario.Scenario{
	Name:  recording.TemplateCompletions,
	Title: "completing the variables of templates",
	Sends: "completion/complete for each variable of each listed template: nothing typed, a letter, with " +
		"a context, and what the target file gives.",
	After: recording.Names{recording.WalkTemplates},
	When:  scenario.Completes,
	Script: func(p *scenario.Play) {
		all := variables(p)
		if len(all)+len(p.Target.Subjects.Completions) == 0 {
			p.Unlisted(recording.WalkTemplates, "no template with a variable is listed")
			return
		}
		c, ok := p.Clean()
		if !ok {
			return
		}
		values := make([][]string, len(all))
		scenario.Each(c, all, func(i int, v variable, c *scenario.Client) {
			x := c.Do(complete(recording.StepComplete, v.template, v.name, "", nil, nil))
			x.Value("completion.values").ForEach(func(_, s gjson.Result) bool {
				values[i] = append(values[i], s.String())
				return len(values[i]) < many // there can be as many as fit into a message
			})
			if x.Failed() {
				c.Do(complete(stepTyped, v.template, v.name, "a", nil, nil))
			}
		})
		c.DoEach(further(p, all, values)...)
	},
}

// further are the completions that build on the first ones, and those that the
// target file gives.
func further(p *scenario.Play, all []variable, values [][]string) []session.Request {
	var requests []session.Request
	narrowed := false
	known := map[variable]string{}
	for i, v := range all {
		if len(values[i]) > 0 {
			known[variable{template: v.template, name: v.name}] = values[i][0]
		}
		if telling := !narrowed && narrows(firstLetter(known[variable{template: v.template, name: v.name}]),
			values[i]); telling || len(values[i]) >= many {
			narrowed = narrowed || telling
			requests = append(requests, complete(stepTyped, v.template, v.name, firstLetter(values[i][0]),
				nil, nil))
		}
	}
	for _, v := range all {
		if v.first == "" || p.Revision() < requirement.R20250618 {
			continue
		}
		var tags recording.Tags
		value, ok := known[variable{template: v.template, name: v.first}]
		if !ok {
			value, tags = "a", recording.Tags{tagInvented: "yes"}
		}
		requests = append(requests, complete(scenario.StepContext, v.template, v.name, "",
			map[string]string{v.first: value}, tags))
	}
	for i := range p.Target.Subjects.Completions {
		requests = append(requests, configured(p, &p.Target.Subjects.Completions[i]))
	}
	return requests
}

// narrows reports whether something typed is a part of some values and not of others, whatever the case.
func narrows(typed string, values []string) bool {
	has := func(value string) bool { return strings.Contains(strings.ToLower(value), strings.ToLower(typed)) }
	return typed != "" && slices.ContainsFunc(values, has) &&
		slices.ContainsFunc(values, func(value string) bool { return !has(value) })
}

func firstLetter(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// configured is a completion that the target file gives. Values that must not
// come stand in the tag "never", one in a line.
func configured(p *scenario.Play, k *target.Completion) session.Request {
	var given map[string]string
	if p.Revision() >= requirement.R20250618 && len(k.Context) > 0 {
		given = k.Context
	}
	var tags recording.Tags
	if len(k.Never) > 0 {
		tags = recording.Tags{tagNever: strings.Join(k.Never, "\n")}
	}
	return complete(scenario.StepConfigured, k.Template, k.Argument, k.Prefix, given, tags)
}

// Steps leave out what a completion has to have ("no-ref", "no-argument",
// "no-value"), or get it wrong ("unknown-type", "number-value",
// "unknown-argument", "unknown-uri"). Steps "brackets" and "pattern" have a value that is a string like any
// other, but not to who makes a query or a pattern of it, step "nothing-like" one of letters that no value
// has: for a variable that has some.
var malformedCompletionsScenario = &scenario.Scenario{
	Name:  recording.MalformedCompletions,
	Title: "asking for completions in a wrong way",
	Sends: "Completions without a ref, an argument or a value, and with an unknown type, a number as " +
		"value, an unknown argument and an unknown template; and one with brackets and quotes, with a " +
		"pattern and with odd letters as the value.",
	In:    scenario.Expendable,
	After: recording.Names{recording.WalkTemplates, recording.TemplateCompletions},
	When:  scenario.Completes,
	Script: func(p *scenario.Play) {
		v := variable{template: "x-mcpcheck-7b4e91://{name}", name: "name"}
		if all := variables(p); len(all) > 0 {
			v = all[0]
		}
		c, ok := p.Expendable()
		if !ok {
			return
		}
		ref := map[string]any{"type": "ref/resource", "uri": v.template}
		argument := map[string]any{"name": v.name, "value": ""}
		requests := []session.Request{
			{Step: stepNoRef, Params: map[string]any{"argument": argument}},
			{Step: stepNoArgument, Params: map[string]any{"ref": ref}},
			{Step: stepNoValue, Params: map[string]any{"ref": ref,
				"argument": map[string]any{"name": v.name}}},
			{Step: stepUnknownType, Params: map[string]any{"ref": map[string]any{"type": "ref/mcpcheck",
				"uri": v.template}, "argument": argument}},
			{Step: stepNumberValue, Params: map[string]any{"ref": ref,
				"argument": map[string]any{"name": v.name, "value": 5}}},
			{Step: stepUnknownArgument, Params: map[string]any{"ref": ref,
				"argument": map[string]any{"name": "mcpcheck_no_such_variable", "value": ""}}},
			{Step: stepUnknownURI, Params: map[string]any{"ref": map[string]any{"type": "ref/resource",
				"uri": "x-mcpcheck-7b4e91://{nothing}"}, "argument": map[string]any{"name": "nothing",
				"value": ""}}},
		}
		scenario.Each(c, append(requests, untypical(p)...),
			func(_ int, q session.Request, c *scenario.Client) {
				q.Method = "completion/complete"
				c.Do(q)
			})
	},
}

// untypical are completions of the first variable that has values, with something typed that none of them
// has.
func untypical(p *scenario.Play) []session.Request {
	r := p.Earlier(recording.TemplateCompletions)
	if r == nil {
		return nil
	}
	for _, x := range r.Steps(recording.StepComplete) {
		if x.Value("completion.values.0").Exists() {
			odd := func(step recording.Step, typed string) session.Request {
				return complete(step, x.Tags[recording.TagTemplate], x.Tags[scenario.TagArgument], typed, nil,
					nil)
			}
			return []session.Request{odd(stepNothingLike, "mcpcheck-7b4e91"), odd(stepBrackets, `'"[(`),
				odd(scenario.StepPattern, ".*")}
		}
	}
	return nil
}

// Step "undeclared" completes a variable of the first template, or of one that
// nobody has, although the target did not declare completions.
var undeclaredCompletionScenario = &scenario.Scenario{
	Name:  recording.UndeclaredCompletion,
	Title: "asking for a completion that was not declared",
	Sends: "completion/complete, although the target does not declare completions.",
	In:    scenario.Expendable,
	After: recording.Names{recording.WalkTemplates},
	When: scenario.Where(func(p *scenario.Play) bool { return scenario.Completes(p) != nil },
		recording.CodeNotExercised,
		"the target declares capabilities.completions, or the revision has no such capability"),
	Script: scenario.OnExpendable(func(c *scenario.Client) {
		all := variables(c.Play)
		if len(all) == 0 {
			all = []variable{{template: "x-mcpcheck-7b4e91://{name}", name: "name"}}
		}
		scenario.Each(c, scenario.Sample(all, 4), func(_ int, v variable, c *scenario.Client) {
			c.Do(complete(stepUndeclared, v.template, v.name, "", nil, nil))
		})
	}),
}
