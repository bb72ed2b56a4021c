package main

import (
	"github.com/mcpcheck/mcpcheck/internal/group"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// observations lists all observations: of servers by area, then of clients.
func observations() []requirement.Observation {
	all := area.Catalogue().Observations()
	for _, a := range clientcheck.Catalogue().Areas() {
		all = append(all, a.Observations...)
	}
	return all
}

// byArea groups observations.
func byArea(all []requirement.Observation) [][]requirement.Observation {
	return group.By(all, func(o requirement.Observation) string { return o.Area })
}

// observation is an observation as "mcpcheck explain --json" shows it: a contract.
type observation struct{ requirement.Observation }

// page is the observation as a page in Markdown.
func (o observation) page(w write.Options) (string, error) { return filled("observation", o, w) }

// listObservations lists all observations.
func (p *program) listObservations(asJSON bool) error {
	all := observations()
	if asJSON {
		return output.JSON(p.stdout, all)
	}
	return p.print("list", map[string]any{"Areas": byArea(all), "Count": len(all)})
}
