package uri

import (
	"net/url"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/judge"
	"github.com/mcpcheck/mcpcheck/suite/recording"
	"github.com/mcpcheck/mcpcheck/suite/scenario"
	"github.com/mcpcheck/mcpcheck/suite/verdict"
)

// sweptTemplates: the target bears expansions of its own templates, whatever the
// values, and what it answers looks like other contents.
func sweptTemplates(v *verdict.Verdict) {
	for _, x := range v.Steps(scenario.StepSweep) {
		if v.Withstood(x, verdict.ReadOf(x)+", an expansion of "+x.Tags[recording.TagTemplate]) {
			likeOthers(v, x)
		}
	}
	ignoredValues(v)
	leakedTemplates(v)
	undecoded(v)
	unreadableSuggestions(v)
}

// ignoredValues remarks on templates whose expansions all yield the same.
func ignoredValues(v *verdict.Verdict) {
	var order []string
	byTemplate := map[string][]*recording.Exchange{}
	for _, x := range v.Steps(scenario.StepKnown, scenario.StepSweep) {
		t := x.Tags[recording.TagTemplate]
		// Without values, and with empty ones, templates may mean what they do by default.
		if !verdict.Yields(x) || x.Tags[scenario.TagKind] == "none" ||
			x.Tags[scenario.TagKind] == scenario.KindNoQuery || x.Tags[scenario.TagKind] == "empty" {
			continue
		}
		if byTemplate[t] == nil {
			order = append(order, t)
		}
		byTemplate[t] = append(byTemplate[t], x)
	}
	const enough = 3 // two of them may be alike by chance
	var same verdict.Sightings
	for _, t := range order {
		all := byTemplate[t]
		first, differ := verdict.Bodies(all[0]), false
		for _, x := range all {
			differ = differ || !slices.Equal(verdict.Bodies(x), first)
		}
		if len(all) >= enough && !differ {
			frames := verdict.All(all...).Evidence()
			same.Add(verdict.Frames(frames[:min(len(frames), 6)]), "%s", t)
		}
	}
	same.Observe(v, "template-values-ignored",
		"%d {template yields|templates yield} the same contents, byte for byte, whatever the values of "+
			"{its|their} variables: %s")
}

// leakedTemplates remarks on contents in which an expression of the template stands as
// it is.
func leakedTemplates(v *verdict.Verdict) {
	var seen verdict.Sightings
	for _, x := range v.Steps(scenario.StepKnown, scenario.StepSweep) {
		if x.Tags[scenario.TagKind] == "braces" {
			continue // such letters were sent
		}
		for _, c := range verdict.ContentsOf(x) {
			uri, text := c.Get("uri").String(), c.Get("text").String()
			leaked := strings.Contains(text, x.Tags[recording.TagTemplate])
			for _, variable := range judge.Variables(x.Tags[recording.TagTemplate]) {
				leaked = leaked || strings.Contains(uri, "{"+variable.Name+"}") ||
					strings.Contains(uri, "{"+string(variable.Operator)+variable.Name+"}") &&
						variable.Operator != 0
			}
			if leaked {
				seen.Add(x, "%v", x.Param("uri"))
				break
			}
		}
	}
	seen.Observe(v, "template-leak",
		"%d {expansion yields|expansions yield} contents in which the template itself stands instead of "+
			"its values: %s")
}

// undecoded remarks on texts that show a value as it was encoded in the URI, and not
// as it is.
func undecoded(v *verdict.Verdict) {
	var seen, altered verdict.Sightings
	for _, x := range v.Steps(scenario.StepSweep) {
		value := x.Tags[scenario.TagValue]
		if otherCase(x, value) {
			altered.Add(x, "%v", x.Param("uri"))
		}
		if k := x.Tags[scenario.TagKind]; k != "space" && k != "utf-8" && k != "slash" {
			continue
		}
		encoded := strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
		for _, c := range verdict.ContentsOf(x) {
			text := strings.ReplaceAll(c.Get("text").String(), x.URI(), "")
			if strings.Contains(text, encoded) && !strings.Contains(text, value) {
				seen.Add(x, "%v", x.Param("uri"))
				break
			}
		}
	}
	seen.Observe(v, "value-not-decoded",
		"%d {text shows|texts show} a value of a template percent-encoded, as if it were used without "+
			"decoding: %s")
	altered.Observe(v, "argument-altered",
		"%d {text shows|texts show} a value of a template in letters of another case: %s")
}

// otherCase reports whether contents show a value in other letters only, and not as a part of the URI, of
// which the host is the same in any.
func otherCase(x *recording.Exchange, value string) bool {
	same := strings.ToLower(value)
	if x.Tags[scenario.TagKind] != "other" || same == value {
		return false
	}
	return slices.ContainsFunc(verdict.ContentsOf(x), func(c verdict.Item) bool {
		text := c.Get("text").String()
		lower := strings.ReplaceAll(strings.ToLower(text), strings.ToLower(x.URI()), "")
		return strings.Contains(lower, same) && !strings.Contains(text, value)
	})
}

// unreadableSuggestions remarks on values that the target suggests for a template and
// then does not know, or cannot read. Of several variables one may decide what another can be.
func unreadableSuggestions(v *verdict.Verdict) {
	var seen verdict.Sightings
	for _, x := range v.Steps(scenario.StepKnown) {
		if x.Tags[scenario.TagVariables] == "1" && x.Failed() {
			seen.Add(x, "%v, which gets %v", x.Param("uri"), x)
		}
	}
	seen.Observe(v, "suggestion-unreadable",
		"%d {expansion|expansions} with a value that a completion suggests cannot be read: %s")
}
