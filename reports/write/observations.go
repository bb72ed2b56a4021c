package write

import (
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/reports"
)

// seen are the observations of one kind: what was seen, and where.
type seen struct {
	ID, Title string
	// Requirements are those it came up with.
	Requirements []string
	Times        int
	Said         []sighting
}

// sighting is what was seen once or more often in the same words.
type sighting struct {
	First *reports.Observation
	Where []*reports.Result
}

// Sightings joins observations of a kind, and among them those that say the same, in the order of the report.
func (v view) Sightings() []*seen {
	var order []*seen
	for _, kind := range group.By(v.Observations, func(x reports.Observation) string { return x.ID }) {
		k := &seen{ID: kind[0].ID, Title: kind[0].Title, Times: len(kind)}
		for _, same := range group.By(kind, func(x reports.Observation) [2]string {
			return [2]string{x.Requirement, x.Detail}
		}) {
			s := sighting{First: &same[0]}
			for _, x := range same {
				if x.Revision != "" {
					s.Where = append(s.Where, &reports.Result{Revision: x.Revision, Transport: x.Transport})
				}
			}
			k.Requirements = with(k.Requirements, s.First.Requirement)
			if k.Title != s.First.Title {
				k.Title = ""
			}
			k.Said = append(k.Said, s)
		}
		order = append(order, k)
	}
	return order
}

// Detail is what was seen, with the requirement if those of the kind are several.
func (k *seen) Detail(s sighting) string {
	if len(k.Requirements) > 1 && s.First.Requirement != "" {
		return s.First.Requirement + ": " + s.First.Detail
	}
	return s.First.Detail
}

// More is how many further ones there are than a number of what was seen; 0 if none is.
func (k *seen) More(shown int) int { return max(len(k.Said)-shown, 0) }

// head names the kind.
func (k *seen) head() string {
	head := strings.TrimRight(k.ID+"  "+k.Title, " ")
	if len(k.Requirements) > 0 {
		head += " (" + plural.List(k.Requirements, 6) + ")"
	}
	if len(k.Said) > 1 {
		head += ", " + plural.Count(k.Times, "time")
	}
	return head
}
