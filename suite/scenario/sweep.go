package scenario

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/tidwall/gjson"
)

// maxSwept bounds how many templates are expanded with values of all kinds.
const maxSwept = 6

// kinds are values that variables may have, by what is special about them. They name
// nothing that could exist by chance. Where the sweep is brief, or broken off, the first stand
// for all.
var kinds = []struct {
	kind, value string
	always      bool
}{
	{"ascii", "mcpcheck", true},
	{"slash", "mc/pcheck", true},
	{"braces", "{mcpcheck}", true},
	{"other", "McpCheck-7B4e91", false}, // capital letters are lost where it is taken for a name of a host
	{"space", "mc pcheck", false},
	{"utf-8", "grüße-你好-🧭", false},
	{"reserved", ":/?#[]@!$&'()*+,;=", false},
	{"percent", "100%25", false},
	{"quotes", `"mcpcheck"\`, false},
	{"empty", "", false},
	{"long", strings.Repeat("mcpcheck", 40), false},
}

// KindNoQuery is the kind of a read with the values that the target suggests, but those of
// the query.
const KindNoQuery = "no-query"

// Steps "known" read templates expanded with values that the target suggests when
// their variables are completed: with the first suggestion of each, and, if there is
// only one variable, with the second. They are correct requests, unlike steps "sweep", which read each
// template with all of its variables set to a value of one kind, once with none of them, and once
// with the first suggestions but for those of the query.
// The tags "template" and "kind" say what was expanded with what, "value" is the
// value, "variables" is "1" if there is no more than one; "listed" and "mime" are as in expansions.
var templateSweepScenario = &Scenario{
	Name:  recording.TemplateSweep,
	Title: "reading templates expanded with values of all kinds",
	Sends: "Reads of every listed template, expanded with values that the target suggests, with values of " +
		"all kinds, and with none.",
	In:    Expendable,
	After: []recording.Name{recording.WalkTemplates, recording.TemplateCompletions},
	Script: func(p *Play) {
		templates := expandable(p)
		if len(templates) == 0 {
			p.Unlisted(recording.WalkTemplates, "no template with a variable is listed")
			return
		}
		var known []URIRead
		rows := make([][]URIRead, 0, maxSwept)
		for _, t := range Sample(templates, maxSwept) {
			known = append(known, suggested(p, t)...)
			rows = append(rows, swept(p, t))
		}
		if c, ok := p.Clean(); ok && len(known) > 0 {
			Each(c, known, func(_ int, a URIRead, c *Client) { c.ReadResource(a.Step, a.URI, a.Tags) })
		}
		if c, ok := p.Expendable(); ok {
			readAll(c, inTurn(rows))
		}
	},
}

// expandable are the listed templates with a variable, but those of the web.
func expandable(p *Play) []string {
	var templates []string
	for _, l := range p.Templates() {
		scheme, _ := judge.LiteralScheme(l.Template())
		web := strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https")
		if len(judge.Variables(l.Template())) > 0 && !web {
			templates = append(templates, l.Template())
		}
	}
	return templates
}

// swept are the reads of a template with values of all kinds.
func swept(p *Play, template string) []URIRead {
	var all []URIRead
	seen := map[string]bool{}
	tags := p.Description(template).With(recording.Tags{recording.TagTemplate: template})
	add := func(kind, value string, values map[string]string) {
		uri, err := judge.Expand(template, values)
		if err != nil || seen[uri] {
			return
		}
		seen[uri] = true
		all = append(all, URIRead{StepSweep, uri, tags.With(recording.Tags{TagKind: kind, TagValue: value})})
	}
	for _, k := range kinds {
		if p.Brief() && !k.always {
			continue
		}
		values := map[string]string{}
		for _, v := range judge.Variables(template) {
			values[v.Name] = k.value
		}
		add(k.kind, k.value, values)
	}
	add("none", "", nil)
	if values, query := valuesOfPath(template, suggestions(p, template)); query {
		add(KindNoQuery, "", values)
	}
	return all
}

// valuesOfPath are the first of the values that are suggested, without those of the query.
// query is false where there is none, nothing else, or a value is not known.
func valuesOfPath(template string, suggestions map[string][]string) (values map[string]string, query bool) {
	values = map[string]string{}
	for _, v := range judge.Variables(template) {
		switch s := suggestions[v.Name]; {
		case v.Operator == '?' || v.Operator == '&':
			query = true
		case len(s) == 0:
			return nil, false
		default:
			values[v.Name] = s[0]
		}
	}
	return values, query && len(values) > 0
}

// suggestions are the values that a template's completions suggest, by variable.
func suggestions(p *Play, template string) map[string][]string {
	suggestions := map[string][]string{}
	for _, x := range p.Earlier(recording.TemplateCompletions).Steps(recording.StepComplete, StepContext) {
		if x.Tags[recording.TagTemplate] != template || !x.Succeeded() {
			continue
		}
		var values []string
		x.Value("completion.values").ForEach(func(_, s gjson.Result) bool {
			if s.Type == gjson.String && s.Str != "" {
				values = append(values, s.Str)
			}
			return true
		})
		if len(values) > 0 { // those for the first value of another variable come later, and fit better
			suggestions[x.Tags[TagArgument]] = values
		}
	}
	return suggestions
}

// Suggested are the reads of the listed templates with the values that their completions
// suggest. The scenario must come after [recording.WalkTemplates] and
// [recording.TemplateCompletions].
func Suggested(p *Play) []URIRead {
	var all []URIRead
	for _, t := range expandable(p) {
		all = append(all, suggested(p, t)...)
	}
	return all
}

// suggested are the reads of a template with the values that its completions suggest,
// if there are any for each of its variables.
func suggested(p *Play, template string) []URIRead {
	suggestions := suggestions(p, template)
	names := map[string]bool{}
	for _, v := range judge.Variables(template) {
		names[v.Name] = true
	}
	var all []URIRead
	for turn := range 2 {
		values := map[string]string{}
		for name := range names {
			s := suggestions[name]
			if len(s) == 0 {
				return nil
			}
			values[name] = s[0]
			// Of several variables one may decide what another can be.
			if len(names) == 1 {
				values[name] = s[min(turn, len(s)-1)]
			}
		}
		uri, err := judge.Expand(template, values)
		if err != nil || len(all) > 0 && all[0].URI == uri {
			return all
		}
		tags := p.Description(template).With(recording.Tags{recording.TagTemplate: template,
			TagKind: "known"})
		if len(names) == 1 {
			tags[TagVariables] = "1"
		}
		all = append(all, URIRead{StepKnown, uri, tags})
	}
	return all
}
