package tmpl

import (
	"maps"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/session"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// inFile says what to write where.
const inFile = "in the target file, " +
	"subjects: {templates: [{template: TEMPLATE, arguments: [{vars: {NAME: VALUE}, text: TEXT}]}]}"

// Arguments that lead nowhere belong to missing-reads. Tags: "listed" says whether the target lists
// the template, "mime" is its media type there; "text" is what is expected, "contains" that it is
// only a part; "given" names the query variables that have a value.
var expansionsScenario = &scenario.Scenario{
	Name:  recording.Expansions,
	Title: "reading expanded templates",
	Sends: "Reads of templates that are expanded with known arguments; for query expressions with none, " +
		"one and all of the variables.",
	After: recording.Names{recording.WalkTemplates},
	When: scenario.All(
		scenario.Where(func(p *scenario.Play) bool {
			return len(p.Target.Subjects.Templates) > 0 || len(p.AllTemplates()) > 0
		}, recording.CodeNeedsSubject, "no template is listed"),
		scenario.Where(func(p *scenario.Play) bool { return len(p.Target.Subjects.Templates) > 0 },
			recording.CodeNeedsConfig, "give arguments of a listed template that lead to a resource "+inFile),
	),
	Script: scenario.OnClean(func(c *scenario.Client) {
		var all []scenario.URIRead
		for i := range c.Target.Subjects.Templates {
			t := &c.Target.Subjects.Templates[i]
			tags := c.Description(t.Template).With(recording.Tags{recording.TagTemplate: t.Template})
			for _, a := range t.Arguments {
				if !a.Missing {
					all = append(all, expansion(t.Template, a, tags)...)
				}
			}
			all = append(all, queries(t, tags)...)
		}
		scenario.Each(c, all, func(_ int, a scenario.URIRead, c *scenario.Client) {
			c.ReadResource(a.Step, a.URI, a.Tags)
		})
	}),
}

// expansion is the read of a template with arguments, if they fit.
func expansion(template string, a target.Arguments, tags recording.Tags) []scenario.URIRead {
	uri, err := judge.Expand(template, a.Vars)
	if err != nil {
		return nil
	}
	tags = tags.With()
	if a.Text != nil {
		tags[recording.TagText] = *a.Text
		if a.Contains {
			tags[recording.TagContains] = "yes"
		}
	}
	if encodes(template, a.Vars) {
		tags[tagEncoded] = "yes"
	}
	return []scenario.URIRead{{Step: stepExpansion, URI: uri, Tags: tags}}
}

// encodes reports whether the expansion of a template percent-encodes one of
// the values.
func encodes(template string, vars map[string]string) bool {
	for _, v := range judge.Variables(template) {
		value, given := vars[v.Name]
		operator := ""
		if v.Operator == '+' || v.Operator == '#' {
			operator = "+"
		}
		if plain, err := judge.Expand("{"+operator+"v}", map[string]string{"v": value}); given &&
			(err != nil || plain != value) {
			return true
		}
	}
	return false
}

// queries are the reads of a template with some of its query variables left out,
// made from the first arguments that give one of them.
func queries(t *target.Template, tags recording.Tags) []scenario.URIRead {
	for _, a := range t.Arguments {
		base, query := maps.Clone(a.Vars), []string{}
		for _, v := range judge.Variables(t.Template) {
			if _, given := base[v.Name]; given && (v.Operator == '?' || v.Operator == '&') {
				query = append(query, v.Name)
				delete(base, v.Name)
			}
		}
		if a.Missing || len(query) == 0 {
			continue
		}
		slices.Sort(query)
		var all []scenario.URIRead
		for _, given := range [][]string{nil, query[:1], query} {
			for _, name := range given {
				base[name] = a.Vars[name]
			}
			uri, err := judge.Expand(t.Template, base)
			if err != nil || slices.ContainsFunc(all, func(b scenario.URIRead) bool { return b.URI == uri }) {
				continue
			}
			all = append(all, scenario.URIRead{Step: stepQuery, URI: uri,
				Tags: tags.With(recording.Tags{tagGiven: strings.Join(given, ",")})})
		}
		return all
	}
	return nil
}

var templatesWithoutParamsScenario = &scenario.Scenario{
	Name:  TemplatesWithoutParams,
	Title: "asking for templates without params",
	Sends: "resources/templates/list with params and without.",
	When: scenario.Where(func(p *scenario.Play) bool {
		return !p.Modern()
	}, recording.CodeCombination, "every request has params in this revision"),
	Script: scenario.OnClean(func(c *scenario.Client) {
		const method = "resources/templates/list"
		scenario.Each(c, []session.Request{
			{Step: stepWithParams, Method: method, Params: map[string]any{}},
			{Step: stepWithoutParams, Method: method},
		}, func(_ int, q session.Request, c *scenario.Client) { c.Do(q) })
	}),
}
