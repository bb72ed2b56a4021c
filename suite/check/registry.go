package check

import (
	"fmt"
	"slices"
	"strings"
)

var registered = map[string]*Check{}

// add puts the checks of an area into the list; it is called while the package
// is initialised.
func add(checks ...Check) {
	for i := range checks {
		c := &checks[i]
		if registered[c.Requirement] != nil {
			panic(fmt.Sprintf("check: %s is judged twice", c.Requirement))
		}
		registered[c.Requirement] = c
	}
}

// Find finds the check of a requirement.
func Find(id string) (*Check, bool) {
	c, ok := registered[id]
	return c, ok
}

// All lists the checks by requirement id.
func All() []*Check {
	var all []*Check
	for _, c := range registered {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b *Check) int { return strings.Compare(a.Requirement, b.Requirement) })
	return all
}
