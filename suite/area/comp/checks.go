// Package comp is the area COMP: completion of the variables of templates
// (server/utilities/completion).
package comp

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/matcher"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
	"github.com/tidwall/gjson"
)

// The scenario of the area.
// completions that must not give something away
const GuardedCompletions recording.Name = "guarded-completions"

// Scenarios lists the scripts of this area.
var Scenarios = []*scenario.Scenario{
	guardedCompletionsScenario,
	malformedCompletionsScenario,
	templateCompletionsScenario,
	undeclaredCompletionScenario,
}

// The steps of the area's scripts.
const (
	stepGuarded, stepTyped, stepUndeclared                recording.Step = "guarded", "typed", "undeclared"
	stepNoRef, stepNoArgument, stepNoValue                recording.Step = "no-ref", "no-argument", "no-value"
	stepUnknownType, stepNumberValue, stepUnknownArgument recording.Step = "unknown-type", "number-value",
		"unknown-argument"
	stepUnknownURI, stepBrackets, stepNothingLike recording.Step = "unknown-uri", "brackets",
		"nothing-like"
)

// The tags of the area's scripts: "invented" is set if no value of the first variable was known, "never" has
// the values that must not come, one in a line.
const tagInvented, tagNever recording.Tag = "invented", "never"

var completions = recording.Names{recording.TemplateCompletions}

// Checks lists the checks of server/utilities/completion: what a target offers.
var Checks = verdict.Checks{
	"COMP-02": {From: completions,
		Judge: verdict.Each(completed, typed("completion", "completion.values", "completion.values[]"))},
	"COMP-03": {From: completions,
		Judge: verdict.Each(completed, func(x *recording.Exchange, v *verdict.Verdict) {
			n := valuesOf(x)
			v.That(x, n <= 100, "at most 100 values", "%d values of %s", n, completionOf(x))
		})},
	"COMP-04": {From: completions, Judge: func(v *verdict.Verdict) {
		var misspelt verdict.Sightings
		for _, x := range completed(v) {
			typed("completion.total", "completion.hasMore")(x, v)
			misspelt.AddMisspelt(verdict.NewItem(x.Value("completion"), completionOf(x), x.Evidence()),
				[]string{"values", "total", "hasMore"})
		}
		misspelt.ObserveMisspelt(v)
	}},
	"COMP-06": {From: completions, Judge: verdict.Each(completed, counted)},
	"COMP-11": {From: completions, Judge: completes},
	"COMP-12": {From: completions, Judge: takesContext},
	"COMP-15": {From: recording.Names{recording.TemplateCompletions,
		recording.MalformedCompletions}, Judge: oddSuggestions},
	"COMP-14": {From: recording.Names{GuardedCompletions},
		Judge: func(v *verdict.Verdict) {
			for _, x := range v.Steps(stepGuarded) {
				never := strings.Split(x.Tags[tagNever], "\n")
				if !offered(x, v) || !v.Answered(x) {
					continue
				}
				given := slices.IndexFunc(never, func(s string) bool { return suggests(x, s) })
				actual := ""
				if given >= 0 {
					actual = fmt.Sprintf("%q among the values of %s", never[given], completionOf(x))
				}
				v.That(x, given < 0, "no value that the target file keeps from this caller", "%s", actual)
			}
		}},
	"COMP-01": {From: recording.Names{recording.UndeclaredCompletion},
		Needs: verdict.Withholds("completions"), Declared: true,
		Judge: verdict.Each(verdict.Steps(stepUndeclared), func(x *recording.Exchange, v *verdict.Verdict) {
			if !v.Answered(x) {
				return
			}
			if x.Succeeded() && !x.Result().IsObject() {
				v.NotExercised("the result of the completion is no object: see RPC-06")
				return
			}
			v.That(x, !x.Succeeded(), "an error, or capabilities.completions declared", "%v to %s", x,
				completionOf(x)).WarnIf(valuesOf(x) == 0)
		})},
	"COMP-07": {From: recording.Names{recording.UndeclaredCompletion},
		Needs: verdict.Lacks("completions"), Declared: true,
		Judge: verdict.Each(verdict.Steps(stepUndeclared), func(x *recording.Exchange, v *verdict.Verdict) {
			if x.Succeeded() {
				v.NotExercised("the target serves completions, which COMP-01 judges")
				return
			}
			if strings.HasPrefix(x.Param("ref.uri").String(), "x-mcpcheck-") {
				// For a reference that does not exist there is a code as well.
				v.Expect(x, matcher.BeErrorReply(-32601, -32602), "a completion without the capability, "+
					"for a template that we made up")
				return
			}
			v.Expect(x, matcher.BeErrorReply(-32601), "a completion without the capability")
		})},
	"COMP-08": {From: recording.Names{recording.MalformedCompletions},
		Needs: verdict.Completions,
		Judge: func(v *verdict.Verdict) {
			internal := func(x *recording.Exchange) bool { return x.HasCode(-32603) }
			always := slices.ContainsFunc(v.Steps(incomplete...), internal) // the same defect
			for _, x := range v.Steps(append(nonexistent, incomplete...)...) {
				if slices.Contains(incomplete, x.Step) || internal(x) && !always {
					about := "completion/complete with params " + verdict.ParamsOf(x)
					v.Expect(x, matcher.BeErrorReply(-32602), "%s", about)
				}
			}
		}},
	"COMP-09": {From: recording.Names{recording.MalformedCompletions}, Judge: malformed},
}

// typed judges members of a completion by the message schema.
func typed(members ...string) func(*recording.Exchange, *verdict.Verdict) {
	return func(x *recording.Exchange, v *verdict.Verdict) {
		v.Typed(verdict.NewItem(x.Result(), completionOf(x), x.Evidence()), "CompleteResult",
			members...)
	}
}

// malformed: what cannot be completed does no harm. Values for what the schema does not
// allow warn.
func malformed(v *verdict.Verdict) {
	var unknown verdict.Sightings
	defer func() {
		unknown.Observe(v, "completes-the-unknown",
			"%d {completion of a variable or template that does not exist has|completions of variables or "+
				"templates that do not exist have} values: params %s")
	}()
	all := slices.Concat([]recording.Step{stepNumberValue}, nonexistent, incomplete)
	for _, x := range v.Steps(all...) {
		about := "completion/complete with params " + verdict.ParamsOf(x)
		if !offered(x, v) || !v.Withstood(x, about) {
			continue
		}
		values := valuesOf(x)
		if slices.Contains(incomplete, x.Step) || !x.Succeeded() || values == 0 {
			v.Holds() // COMP-08 judges what is left out
			continue
		}
		if x.Step == stepUnknownArgument || x.Step == stepUnknownURI {
			v.Holds()
			unknown.Add(x, "%s", verdict.ParamsOf(x))
			continue
		}
		v.Fail(x, "an error, or no values, for a completion that the schema does not allow", "%v to %s", x,
			about).Warn(verdict.Lenient).
			Hint("check the type of the reference, and that the value is a string, before values are " +
				"looked up")
	}
	oddlyTyped(v)
}

// oddlyTyped: what is typed is a string, whatever it means in a query or a pattern. Where letters that
// nothing has are completed to nothing, brackets and quotes are no reason to fail.
func oddlyTyped(v *verdict.Verdict) {
	plain := v.Step(stepNothingLike)
	for _, x := range v.Steps(stepBrackets, scenario.StepPattern) {
		if !offered(x, v) || !v.Withstood(x, typedOf(x)) || plain == nil || !plain.Succeeded() {
			continue
		}
		v.That(verdict.Several{x, plain}, !x.HasCode(-32603), "a result, as after letters that no value has",
			"%v to %s", x, typedOf(x)).Warn().Cause("what was typed taken as a pattern").
			Hint("compare argument.value as it is: escape it where it goes into a regular expression or a " +
				"query")
	}
}

func typedOf(x *recording.Exchange) string {
	return completionOf(x) + " after " + verdict.Quoted(x.Param("argument.value").String())
}

// nonexistent are the steps whose reference or argument does not exist: they may have no values as well.
var nonexistent = []recording.Step{
	stepUnknownType,
	stepUnknownArgument,
	stepUnknownURI,
}

// incomplete are the steps that leave out what a completion has to have.
var incomplete = []recording.Step{stepNoRef, stepNoArgument, stepNoValue}

func completionOf(x *recording.Exchange) string {
	return "the completion of " + x.Tags[scenario.TagArgument] + " in " + x.Tags[recording.TagTemplate]
}

// offered reports whether a target offers completion at all. In 2024-11-05, which
// has no capability for it, the answer tells.
func offered(x *recording.Exchange, v *verdict.Verdict) bool {
	if verdict.Unknown(x) && v.Revision() == requirement.R20241105 {
		v.Skip(recording.CodeUndeclared, "the target does not offer completion")
		return false
	}
	return true
}

// completed lists the completions with a result; for the others it says why not.
func completed(v *verdict.Verdict) []*recording.Exchange {
	var all []*recording.Exchange
	for _, x := range v.Steps(recording.StepComplete, stepTyped, scenario.StepContext,
		scenario.StepConfigured) {
		switch {
		case !offered(x, v) || !v.Answered(x):
		case !x.Succeeded():
			v.NeedsSubject("no completion had a result: %v", x)
		default:
			all = append(all, x)
		}
	}
	return all
}

// completes: variables of listed templates can be completed. That the target fails internally is excusable
// for one of them, and not for all.
func completes(v *verdict.Verdict) {
	var failing verdict.Sightings
	works, failed := false, (*recording.Exchange)(nil)
	others := []recording.Step{stepTyped, scenario.StepContext, scenario.StepConfigured}
	for _, x := range v.Steps(append(others, recording.StepComplete)...) {
		works = works || x.Outcome == recording.Replied && (!x.HasCode(-32603) || x.OverRate()) ||
			x.Status == http.StatusUnauthorized || x.Status == http.StatusForbidden
	}
	for _, x := range v.Steps(recording.StepComplete) {
		if !x.HasCode(-32603) {
			if offered(x, v) {
				v.Expect(x, matcher.BeResult(), "%s", completionOf(x)).
					Hint("answer with empty values where there is nothing to suggest")
			}
			continue
		}
		v.NotExercised("the target failed internally, as it may: %v", x)
		if typed := v.Steps(others...); slices.ContainsFunc(typed, func(y *recording.Exchange) bool {
			return sameVariable(x, y)
		}) &&
			!completable(v, x, others...) {
			failing.Add(x, "%s in %s", x.Tags[scenario.TagArgument], x.Tags[recording.TagTemplate])
			failed = x
		}
	}
	if !works && failed != nil {
		v.Fail(failed, "a result for some variable of some template",
			"%v to every completion, whatever was typed", failed)
		return
	}
	failing.Observe(v, "completion-always-fails", "%d {variable|variables} can never be completed, though "+
		"completions are declared: each time the target fails internally (-32603): %s")
}

// completable reports whether another completion of the same variable, in one of these steps, had a
// result.
func completable(v *verdict.Verdict, x *recording.Exchange, steps ...recording.Step) bool {
	return slices.ContainsFunc(v.Steps(steps...), func(y *recording.Exchange) bool {
		return y.Succeeded() && sameVariable(x, y)
	})
}

func sameVariable(x, y *recording.Exchange) bool {
	return y.Tags[recording.TagTemplate] == x.Tags[recording.TagTemplate] &&
		y.Tags[scenario.TagArgument] == x.Tags[scenario.TagArgument]
}

func suggests(x *recording.Exchange, value string) bool {
	found := false
	x.Value("completion.values").ForEach(func(_, s gjson.Result) bool {
		found = judge.IsString(s) && s.Str == value
		return !found
	})
	return found
}

// valuesOf is how many values a completion has.
func valuesOf(x *recording.Exchange) int { return int(x.Value("completion.values.#").Int()) }

// counted: total and hasMore agree with each other and with the values.
func counted(x *recording.Exchange, v *verdict.Verdict) {
	c := x.Value("completion")
	total, more := c.Get("total"), c.Get("hasMore")
	n := float64(valuesOf(x))
	if !judge.IsInteger(total) {
		v.NeedsSubject("no completion has a total")
		return
	}
	v.That(x, total.Num >= n, "a total of at least the number of values", "total %v with %.0f values in %s",
		total, n, completionOf(x))
	if total.Num < n || !judge.IsBool(more) {
		return
	}
	v.That(x, more.Bool() == (total.Num > n), "hasMore true just when total is greater than the number of "+
		"values", "hasMore %v with total %v and %.0f values in %s", more, total, n, completionOf(x))
}

// oddSuggestions remarks on values that come twice, and on those that are the same whatever was
// typed although some have nothing of it. No sentence forbids either, and inexact matches are even asked for.
func oddSuggestions(v *verdict.Verdict) {
	var twice verdict.Sightings
	for _, x := range completed(v) {
		v.Holds()
		values, seen := valuesIn(x), map[string]bool{}
		for _, s := range values {
			if seen[s] {
				twice.Add(x, "%s, where %s is one", completionOf(x), verdict.Quoted(s))
				break
			}
			seen[s] = true
		}
		for _, y := range v.Steps(recording.StepComplete) {
			if x.Step == stepTyped && sameVariable(x, y) && slices.Equal(valuesIn(y), values) &&
				narrows(x.Param("argument.value").String(), values) {
				v.Fail(verdict.Several{y, x}, "values that have to do with what was typed",
					"the same as with nothing typed, some of which have nothing of it, in %s after %s",
					completionOf(x), verdict.Quoted(x.Param("argument.value").String()))
			}
		}
	}
	takesPattern(v)
	twice.Observe(v, "completion-repeats-values",
		"%d {completion has|completions have} the same value more than once: %s")
}

// takesPattern remarks on a pattern that finds values in none of which it stands, where other letters find
// nothing.
func takesPattern(v *verdict.Verdict) {
	x, plain := v.Step(scenario.StepPattern), v.Step(stepNothingLike)
	if x == nil || plain == nil || !x.Succeeded() || !plain.Succeeded() || len(valuesIn(plain)) > 0 {
		return
	}
	has := func(s string) bool { return strings.Contains(s, x.Param("argument.value").String()) }
	v.That(verdict.Several{plain, x}, len(valuesIn(x)) == 0 || slices.ContainsFunc(valuesIn(x), has),
		"values that have to do with what was typed", plural.Of(len(valuesIn(x)),
			"%d {value|values}, none with these characters, in %s: it is taken as a pattern"),
		len(valuesIn(x)), typedOf(x))
}

// valuesIn are the first of the values of a completion that are strings.
func valuesIn(x *recording.Exchange) []string {
	const enough = 200 // there can be as many as fit into a message
	var all []string
	x.Value("completion.values").ForEach(func(_, s gjson.Result) bool {
		if judge.IsString(s) {
			all = append(all, s.Str)
		}
		return len(all) < enough
	})
	return all
}

// takesContext: a completion that works without context also works with it.
func takesContext(v *verdict.Verdict) {
	for _, x := range v.Steps(scenario.StepContext) {
		if !completable(v, x, recording.StepComplete) {
			needsContext(x, v)
			v.NeedsSubject("no second variable of a template can be completed without context either")
			continue
		}
		about := completionOf(x) + " with context.arguments " + judge.Brief(x.Param("context.arguments"))
		if x.Tags[tagInvented] != "" {
			v.Expect(x, matcher.BeResult(), "%s", about).Warn()
			continue
		}
		v.Expect(x, matcher.BeResult(), "%s", about)
	}
	v.NeedsSubject("no template with two variables is listed")
}

// needsContext: the context is optional, and so is what a target makes of it; an internal
// error says that it was not prepared for a completion without one. The error is a legal
// answer, so this is only remarked upon.
func needsContext(x *recording.Exchange, v *verdict.Verdict) {
	for _, y := range v.Steps(recording.StepComplete) {
		if y.HasCode(-32603) && x.Succeeded() && sameVariable(x, y) {
			v.Observe(verdict.Several{y, x}, "completion-needs-context",
				"%v to %s without context, which is optional; with context.arguments %v it works", y,
				completionOf(x), x.Param("context.arguments"))
		}
	}
}
