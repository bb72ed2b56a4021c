package write

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

// seen are the observations of one kind: what was seen, and where.
type seen struct {
	id, title string
	// requirements are those it came up with.
	requirements []string
	times        int
	said         []sighting
}

// sighting is what was seen once or more often in the same words.
type sighting struct {
	first *reports.Observation
	where []*reports.Result
}

// observed joins observations of a kind, and among them those that say the same, in the order of the report.
func observed(r *reports.Report) []*seen {
	var order []*seen
	for _, kind := range group.By(r.Observations, func(x reports.Observation) string { return x.ID }) {
		k := &seen{id: kind[0].ID, title: kind[0].Title, times: len(kind)}
		for _, same := range group.By(kind, func(x reports.Observation) [2]string {
			return [2]string{x.Requirement, x.Detail}
		}) {
			s := sighting{first: &same[0]}
			for _, x := range same {
				if x.Revision != "" {
					s.where = append(s.where, &reports.Result{Revision: x.Revision, Transport: x.Transport})
				}
			}
			k.requirements = with(k.requirements, s.first.Requirement)
			if k.title != s.first.Title {
				k.title = ""
			}
			k.said = append(k.said, s)
		}
		order = append(order, k)
	}
	return order
}

// detail is what was seen, with the requirement if those of the kind are several.
func (k *seen) detail(s sighting) string {
	if len(k.requirements) > 1 && s.first.Requirement != "" {
		return s.first.Requirement + ": " + s.first.Detail
	}
	return s.first.Detail
}

// head names the kind.
func (k *seen) head() string {
	head := strings.TrimRight(k.id+"  "+k.title, " ")
	if len(k.requirements) > 0 {
		head += " (" + plural.List(k.requirements, 6) + ")"
	}
	if len(k.said) > 1 {
		head += ", " + plural.Count(k.times, "time")
	}
	return head
}
