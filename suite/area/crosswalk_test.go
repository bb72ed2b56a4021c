package area

import (
	"fmt"
	"slices"
	"testing"

	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// TestCrosswalk: what the crosswalk names as a requirement is one, and a check judges it.
func TestCrosswalk(t *testing.T) {
	c := requirement.Official()
	about := map[string][]string{}
	for scenario, checks := range c.Scenarios {
		for check, ids := range checks {
			about[scenario+":"+check] = ids
		}
		if slices.Contains(c.Elsewhere, scenario) {
			t.Errorf("%s has checks, and is about something else", scenario)
		}
	}
	for i, s := range c.SEPs {
		about[fmt.Sprint("SEP-", s.Number)] = s.Requirements
		if i > 0 && s.Number <= c.SEPs[i-1].Number {
			t.Errorf("SEP-%d is not in order", s.Number)
		}
	}
	for where, ids := range about {
		for i, id := range ids {
			if _, ok := BuiltIn().Check(id); !ok || slices.Contains(ids[:i], id) {
				t.Errorf("%s: %s is judged by no check, or stands there twice", where, id)
			}
		}
	}
	if len(about) < 50 {
		t.Errorf("only %d checks and proposals", len(about))
	}
}

func TestRequirementsOfTheOfficialSuite(t *testing.T) {
	c := requirement.Official()
	for _, x := range []struct {
		scenario, check string
		ids             []string
		whole           bool
		err             string
	}{
		{"ping", "", []string{"LIFE-14"}, true, ""},
		{"caching", "sep-2549-ttl-non-negative", []string{"CACHE-05"}, true, ""},
		{"caching", "", []string{"CACHE-01", "CACHE-03", "CACHE-05", "CACHE-07"}, false, ""},
		{"completion-complete", "completion-complete", []string{"COMP-02"}, false, ""},
		{"ping", "wire-schema-harness-error", nil, true, ""},
		{"tools-list", "anything", nil, true, ""},
		{"pong", "", nil, false, `the official suite ` + c.Release +
			` has no scenario "pong" for servers: did you mean ping?`},
		{"ping", "pign", nil, false, `the scenario ping of the official suite ` + c.Release +
			` has no check "pign": did you mean ping?`},
	} {
		ids, whole, err := c.Requirements(x.scenario, x.check)
		told := ""
		if err != nil {
			told = err.Error()
		}
		if !slices.Equal(ids, x.ids) || whole != x.whole || told != x.err {
			t.Errorf("%s:%s: %v, %v, %v", x.scenario, x.check, ids, whole, err)
		}
	}
	checks := c.Checks("CACHE-05")
	if want := (requirement.OfficialCheck{Scenario: "caching", Check: "sep-2549-ttl-non-negative"}); !slices.
		Contains(checks, want) || checks[0].Scenario != "caching" {
		t.Error(checks)
	}
	if got := c.Proposals("CACHE-05"); !slices.Equal(got, []int{2549}) {
		t.Error(got)
	}
}
