package scenario

import (
	"context"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
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
func variables(p *Play) []variable {
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
func complete(step recording.Step, template, argument, value string, context map[string]string, more recording.Tags) session.Request {
	params := map[string]any{
		"ref":      map[string]any{"type": "ref/resource", "uri": template},
		"argument": map[string]any{"name": argument, "value": value},
	}
	if context != nil {
		params["context"] = map[string]any{"arguments": context}
	}
	return session.Request{Step: step, Method: "completion/complete", Params: params,
		Tags: recording.Tags{recording.TagTemplate: template, recording.TagArgument: argument}.With(more)}
}

// Steps "complete" complete each variable of each listed template with nothing
// typed so far; steps "typed" do so once more with a letter for those that
// have very many values, for those that fail, and for one whose values do not all have that letter. Steps "context" complete the second and further variables
// of a template with the first one given (2025-06-18 on); the tag "invented" says
// that no value of the first was known. Steps "configured" are the completions that
// the target file gives. The tags "template" and "argument" say what is completed.
var templateCompletionsScenario = &Scenario{
	Name:  recording.TemplateCompletions,
	Title: "completing the variables of templates",
	Sends: "completion/complete for each variable of each listed template: nothing typed, a letter, with a context, and what the target file gives.",
	After: []recording.Name{recording.WalkTemplates},
	When:  Completes,
	Script: func(ctx context.Context, p *Play) {
		all := variables(p)
		if len(all)+len(p.Target.Subjects.Completions) == 0 {
			p.Unlisted(recording.WalkTemplates, "no template with a variable is listed")
			return
		}
		c, ok := p.Clean(ctx)
		if !ok {
			return
		}
		values := make([][]string, len(all))
		Each(c, all, func(i int, v variable, c *Client) {
			x := c.Do(ctx, complete(recording.StepComplete, v.template, v.name, "", nil, nil))
			x.Result().Get("completion.values").ForEach(func(_, s gjson.Result) bool {
				values[i] = append(values[i], s.String())
				return len(values[i]) < many // there can be as many as fit into a message
			})
			if x.Failed() {
				c.Do(ctx, complete(recording.StepTyped, v.template, v.name, "a", nil, nil))
			}
		})
		c.DoEach(ctx, further(p, all, values)...)
	},
}

// further are the completions that build on the first ones, and those that the
// target file gives.
func further(p *Play, all []variable, values [][]string) []session.Request {
	var requests []session.Request
	narrowed := false
	known := map[variable]string{}
	for i, v := range all {
		if len(values[i]) > 0 {
			known[variable{template: v.template, name: v.name}] = values[i][0]
		}
		if telling := !narrowed && Narrows(firstLetter(known[variable{template: v.template, name: v.name}]), values[i]); telling || len(values[i]) >= many {
			narrowed = narrowed || telling
			requests = append(requests, complete(recording.StepTyped, v.template, v.name, firstLetter(values[i][0]), nil, nil))
		}
	}
	for _, v := range all {
		if v.first == "" || p.Revision() < requirement.R20250618 {
			continue
		}
		var tags recording.Tags
		value, ok := known[variable{template: v.template, name: v.first}]
		if !ok {
			value, tags = "a", recording.Tags{recording.TagInvented: "yes"}
		}
		requests = append(requests, complete(recording.StepContext, v.template, v.name, "", map[string]string{v.first: value}, tags))
	}
	for i := range p.Target.Subjects.Completions {
		requests = append(requests, Configured(p, &p.Target.Subjects.Completions[i]))
	}
	return requests
}

// Narrows reports whether something typed is a part of some values and not of others, whatever the case.
func Narrows(typed string, values []string) bool {
	has := func(value string) bool { return strings.Contains(strings.ToLower(value), strings.ToLower(typed)) }
	return typed != "" && slices.ContainsFunc(values, has) && slices.ContainsFunc(values, func(value string) bool { return !has(value) })
}

func firstLetter(s string) string {
	for _, r := range s {
		return string(r)
	}
	return ""
}

// Configured is a completion that the target file gives. Values that must not
// come stand in the tag "never", one in a line.
func Configured(p *Play, k *target.Completion) session.Request {
	var given map[string]string
	if p.Revision() >= requirement.R20250618 && len(k.Context) > 0 {
		given = k.Context
	}
	var tags recording.Tags
	if len(k.Never) > 0 {
		tags = recording.Tags{recording.TagNever: strings.Join(k.Never, "\n")}
	}
	return complete(recording.StepConfigured, k.Template, k.Argument, k.Prefix, given, tags)
}

// Steps leave out what a completion has to have ("no-ref", "no-argument",
// "no-value"), or get it wrong ("unknown-type", "number-value",
// "unknown-argument", "unknown-uri"). Steps "brackets" and "pattern" have a value that is a string like any other,
// but not to who makes a query or a pattern of it, step "nothing-like" one of letters that no value has: for a variable
// that has some.
var malformedCompletionsScenario = &Scenario{
	Name:  recording.MalformedCompletions,
	Title: "asking for completions in a wrong way",
	Sends: "Completions without a ref, an argument or a value, and with an unknown type, a number as value, an unknown argument and an unknown template; and one with brackets and quotes, with a pattern and with odd letters as the value.",
	In:    Expendable,
	After: []recording.Name{recording.WalkTemplates, recording.TemplateCompletions},
	When:  Completes,
	Script: func(ctx context.Context, p *Play) {
		v := variable{template: "x-mcpcheck-7b4e91://{name}", name: "name"}
		if all := variables(p); len(all) > 0 {
			v = all[0]
		}
		c, ok := p.Expendable(ctx)
		if !ok {
			return
		}
		ref := map[string]any{"type": "ref/resource", "uri": v.template}
		argument := map[string]any{"name": v.name, "value": ""}
		requests := []session.Request{
			{Step: recording.StepNoRef, Params: map[string]any{"argument": argument}},
			{Step: recording.StepNoArgument, Params: map[string]any{"ref": ref}},
			{Step: recording.StepNoValue, Params: map[string]any{"ref": ref, "argument": map[string]any{"name": v.name}}},
			{Step: recording.StepUnknownType, Params: map[string]any{"ref": map[string]any{"type": "ref/mcpcheck", "uri": v.template}, "argument": argument}},
			{Step: recording.StepNumberValue, Params: map[string]any{"ref": ref, "argument": map[string]any{"name": v.name, "value": 5}}},
			{Step: recording.StepUnknownArgument, Params: map[string]any{"ref": ref, "argument": map[string]any{"name": "mcpcheck_no_such_variable", "value": ""}}},
			{Step: recording.StepUnknownURI, Params: map[string]any{"ref": map[string]any{"type": "ref/resource", "uri": "x-mcpcheck-7b4e91://{nothing}"}, "argument": map[string]any{"name": "nothing", "value": ""}}},
		}
		Each(c, append(requests, oddlyTyped(p)...), func(_ int, q session.Request, c *Client) {
			q.Method = "completion/complete"
			c.Do(ctx, q)
		})
	},
}

// oddlyTyped are completions of the first variable that has values, with something typed that none of them has.
func oddlyTyped(p *Play) []session.Request {
	r := p.Earlier(recording.TemplateCompletions)
	if r == nil {
		return nil
	}
	for _, x := range r.Steps(recording.StepComplete) {
		if x.Result().Get("completion.values.0").Exists() {
			odd := func(step recording.Step, typed string) session.Request {
				return complete(step, x.Tags[recording.TagTemplate], x.Tags[recording.TagArgument], typed, nil, nil)
			}
			return []session.Request{odd(recording.StepNothingLike, "mcpcheck-7b4e91"), odd(recording.StepBrackets, `'"[(`), odd(recording.StepPattern, ".*")}
		}
	}
	return nil
}

// Step "undeclared" completes a variable of the first template, or of one that
// nobody has, although the target did not declare completions.
var undeclaredCompletionScenario = &Scenario{
	Name:  recording.UndeclaredCompletion,
	Title: "asking for a completion that was not declared",
	Sends: "completion/complete, although the target does not declare completions.",
	In:    Expendable,
	After: []recording.Name{recording.WalkTemplates},
	When: Where(func(p *Play) bool { return Completes(p) != nil },
		recording.CodeNotExercised, "the target declares capabilities.completions, or the revision has no such capability"),
	Script: OnExpendable(func(ctx context.Context, p *Play, c *Client) {
		all := variables(p)
		if len(all) == 0 {
			all = []variable{{template: "x-mcpcheck-7b4e91://{name}", name: "name"}}
		}
		Each(c, Sample(all, 4), func(_ int, v variable, c *Client) {
			c.Do(ctx, complete(recording.StepUndeclared, v.template, v.name, "", nil, nil))
		})
	}),
}
