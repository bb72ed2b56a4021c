package requirement

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
)

// OfficialCheck is a check of a scenario of the official conformance suite.
type OfficialCheck struct {
	Scenario string `json:"scenario"`
	Check    string `json:"check"`
}

// Crosswalk says what corresponds to the requirements: checks of the official conformance suite, and
// proposals to change the specification (SEPs).
type Crosswalk struct {
	// Release is that of the official suite, as npm names it.
	Release string `yaml:"release"`
	// Scenarios has the requirements of each check, by scenario and check. A check without any has no
	// counterpart.
	Scenarios map[string]map[string][]string `yaml:"scenarios"`
	// Beyond are checks that can fail where their requirements hold: they are about more.
	Beyond []string `yaml:"beyond"`
	// Elsewhere are the scenarios for servers that are about other features.
	Elsewhere []string `yaml:"elsewhere"`
	// SEPs are sorted by number.
	SEPs []SEP `yaml:"seps"`
}

// SEP is a proposal with the requirements that it brought or changed.
type SEP struct {
	Number       int      `yaml:"number"`
	Requirements []string `yaml:"requirements"`
}

//go:embed crosswalk.yaml
var crosswalkText []byte

// Official returns the crosswalk. It is shared, and must not be changed.
var Official = sync.OnceValue(func() *Crosswalk {
	c := &Crosswalk{}
	if _, err := yamlfile.Decode("suite/requirement/crosswalk.yaml", crosswalkText, c); err != nil {
		panic(err) // it is embedded
	}
	return c
})

// Checks lists the checks that correspond to a requirement, sorted by scenario and check.
func (c *Crosswalk) Checks(id string) []OfficialCheck {
	all := []OfficialCheck{}
	for _, scenario := range slices.Sorted(maps.Keys(c.Scenarios)) {
		checks := c.Scenarios[scenario]
		for _, check := range slices.Sorted(maps.Keys(checks)) {
			if slices.Contains(checks[check], id) {
				all = append(all, OfficialCheck{scenario, check})
			}
		}
	}
	return all
}

// Proposals lists the numbers of the SEPs that brought or changed a requirement, in ascending order.
func (c *Crosswalk) Proposals(id string) []int {
	all := []int{}
	for _, s := range c.SEPs {
		if slices.Contains(s.Requirements, id) {
			all = append(all, s.Number)
		}
	}
	return all
}

// Requirements lists the requirements that correspond to a check of a scenario, or to all checks of it
// where the check is empty, sorted; none if there is no counterpart. Whole is false if the scenario, or the
// check, is also about something else. Every scenario has one check of what the official suite itself
// sends. The error is a clause that says which of the two does not exist.
func (c *Crosswalk) Requirements(scenario, check string) (ids []string, whole bool, err error) {
	checks, known := c.Scenarios[scenario]
	if !known && !slices.Contains(c.Elsewhere, scenario) {
		names := slices.AppendSeq(slices.Clone(c.Elsewhere), maps.Keys(c.Scenarios))
		return nil, false, fmt.Errorf("the official suite %s has no scenario %q for servers%s", c.Release,
			scenario, nearest.Question(scenario, names))
	}
	if _, ok := checks[check]; known && check != "" && !ok && check != "wire-schema-harness-error" {
		return nil, false, fmt.Errorf("the scenario %s of the official suite %s has no check %q%s", scenario,
			c.Release, check, nearest.Question(check, slices.Collect(maps.Keys(checks))))
	}
	whole = true
	for name, of := range checks {
		if check == "" || name == check {
			ids = append(ids, of...)
			whole = whole && len(of) > 0 && !slices.Contains(c.Beyond, name)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), whole, nil
}
