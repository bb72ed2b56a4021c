package conformance

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/onsi/ginkgo/v2/types"
)

// key is what a label begins with.
var key = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*`)

// Filter turns a Ginkgo label filter, such as "rev:2025-11-25 && !area:SUB", into
// a condition on labels. The error is a sentence about the expression.
func Filter(expression string) (func(labels []string) bool, error) {
	if strings.TrimSpace(expression) == "" {
		return nil, errors.New("the label filter is empty")
	}
	filter, err := types.ParseLabelFilter(expression)
	if err != nil {
		return nil, fmt.Errorf("the label filter %q cannot be understood: %s", expression, summary(err))
	}
	for _, atom := range atoms(expression) {
		if wrong := misused(atom); wrong != "" {
			return nil, fmt.Errorf("the label filter %q uses %s", expression, wrong)
		}
	}
	return filter, nil
}

// misused quotes a label that no requirement bears, and says what is wrong with it; empty if nothing is.
func misused(atom string) string {
	name := key.FindString(atom)
	lower, rest := strings.ToLower(name), atom[len(name):]
	bears := func(key, value string) bool {
		return slices.ContainsFunc(values(key), func(s string) bool { return strings.EqualFold(s, value) })
	}
	if near := nearest.Names(lower, suite.LabelKeys()); len(near) > 0 && near[0] != lower &&
		strings.HasPrefix(rest, ":") {
		return fmt.Sprintf("%q: did you mean %s?", atom, near[0]+rest)
	}
	value, labelled := strings.CutPrefix(strings.TrimSpace(rest), ":")
	if !labelled || !slices.Contains(suite.LabelKeys(), lower) {
		for _, key := range []string{"area", "id"} {
			if bears(key, atom) {
				return fmt.Sprintf("%q: did you mean %s:%s?", atom, key, atom)
			}
		}
		return fmt.Sprintf("%q: labels begin with %s:", atom, strings.Join(suite.LabelKeys(), ":, "))
	}
	if value = strings.TrimSpace(value); value == "" || operation(value) || bears(lower, value) {
		return ""
	}
	return fmt.Sprintf("%q, which no requirement bears%s", name+":"+value, meant(value, values(lower)))
}

// values lists the values that labels with a key can have.
func values(name string) []string {
	var all []string
	switch name {
	case "rev":
		all = requirement.Texts(requirement.Revisions())
	case "transport":
		all = requirement.Texts(requirement.Transports())
	case "level":
		all = []string{requirement.Must, requirement.Should, requirement.May}
	case "profile":
		all = requirement.Profiles()
	case "area":
		for _, a := range area.Catalogue().Areas() {
			all = append(all, a.Name)
		}
	case "id":
		for _, r := range area.Catalogue().Requirements() {
			all = append(all, r.ID)
		}
	}
	return all
}

// meant says what a value may have been meant to be; where there are only a few it
// lists them.
func meant(value string, known []string) string {
	const few = 10
	if s := nearest.Question(value, known); s != "" || len(known) > few {
		return s
	}
	return ": there are " + strings.Join(known, ", ")
}

// operation reports whether what follows a key is the name of an operation on sets.
func operation(value string) bool {
	switch strings.ToLower(value) {
	case "isempty", "containsany", "containsall", "consistsof", "issubsetof":
		return true
	}
	return false
}

// atoms lists the labels of an expression: what is left when operators, regular
// expressions and the arguments of set operations are taken out.
func atoms(expression string) []string {
	cleared := regexp.MustCompile(`/[^/]*/|\{[^}]*\}`).ReplaceAllString(expression, " ")
	var found []string
	for _, part := range regexp.MustCompile(`\|\||&&|[!,()]`).Split(cleared, -1) {
		if part = strings.TrimSpace(part); part != "" {
			found = append(found, part)
		}
	}
	return found
}

// escape is a colour in Ginkgo's errors.
var escape = regexp.MustCompile(`\x1b\[[0-9;]*[A-Za-z]`)

// summary is the telling line of Ginkgo's error, with the position in the
// expression, which Ginkgo shows by a colour. The lines are a heading, the
// expression and what is wrong with it.
func summary(err error) string {
	lines := strings.Split(err.Error(), "\n")
	if len(lines) < 3 {
		return strings.TrimSpace(escape.ReplaceAllString(lines[0], ""))
	}
	told := strings.TrimRight(strings.TrimSpace(escape.ReplaceAllString(lines[2], "")), ".")
	if told == "Unexpected EOF" {
		return "it ends where a label is expected"
	}
	const margin = 2
	if at := escape.FindStringIndex(lines[1]); at != nil && at[0] >= margin {
		return fmt.Sprintf("at character %d: %s", at[0]-margin+1, told)
	}
	return told
}
