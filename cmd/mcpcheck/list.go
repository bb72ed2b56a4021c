package main

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/spf13/cobra"
)

// listed is a requirement as "mcpcheck list --json" shows it: a contract.
type listed struct {
	ID         string                  `json:"id"`
	Title      string                  `json:"title"`
	Level      requirement.Level       `json:"level"`
	Grade      requirement.Grade       `json:"grade"`
	Revisions  []requirement.Revision  `json:"revisions"`
	Transports []requirement.Transport `json:"transports"`
	Section    string                  `json:"section"`
	Check      bool                    `json:"check"`
	// Destructive says that its probes may harm a server: a quick run leaves it out.
	Destructive bool                `json:"destructive,omitempty"`
	Reason      string              `json:"reason,omitempty"`
	Gravity     requirement.Gravity `json:"gravity,omitempty"`
	Faults      []string            `json:"faults"`
	Since       string              `json:"since"`
	related
}

// related is what corresponds to a requirement elsewhere.
type related struct {
	// Official are the checks of the official conformance suite.
	Official []requirement.OfficialCheck `json:"official"`
	// SEPs are the proposals that brought or changed it.
	SEPs []int `json:"seps"`
}

func relatedTo(id string) related {
	c := requirement.Official()
	return related{c.Checks(id), c.Proposals(id)}
}

func (p *program) listCommand() *cobra.Command {
	asJSON, destructive, observations := false, false, false
	return helpcmd.New(help, "list", nil, func(_ *cobra.Command, args []string) error {
		switch {
		case observations && (destructive || len(args) > 0):
			return badUsage("--observations lists all observations: it stands alone or with --json")
		case observations:
			return p.listObservations(asJSON)
		}
		all, err := selected(listing(), args)
		if err != nil {
			return err
		}
		if destructive {
			all = slices.DeleteFunc(all, func(x listed) bool { return !x.Destructive })
		}
		if asJSON {
			return output.JSON(p.stdout, all)
		}
		return p.print("catalogue", all)
	}, helpcmd.Flags{
		{&asJSON, "json", "as JSON, with all that is known of each"},
		{&destructive, "destructive",
			"only those whose probes may harm a server: \"run --quick\" leaves them out"},
		{&observations, "observations", "the observations that runs can make, instead of requirements"},
	})
}

// selected keeps the requirements that are named by id or area; without names all.
func selected(all []listed, names []string) ([]listed, error) {
	if len(names) == 0 {
		return all, nil
	}
	wanted, known := area.Catalogue().Expand(names), []string{}
	for _, x := range all {
		area, _, _ := strings.Cut(x.ID, "-")
		known = append(known, area, x.ID)
	}
	for _, id := range wanted {
		if !slices.Contains(known, id) {
			return nil, badUsage("there is no requirement and no area %q%s", id,
				cmp.Or(nearest.Question(id, known), `: "mcpcheck list" shows them all`))
		}
	}
	return slices.DeleteFunc(all, func(x listed) bool { return !slices.Contains(wanted, x.ID) }), nil
}

// listing is the requirements with their checks and the faults that prove
// these.
func listing() []listed {
	faults := map[string][]string{}
	for _, f := range fault.All() {
		faults[f.Requirement] = append(faults[f.Requirement], f.Name)
	}
	all := []listed{}
	for _, r := range area.Catalogue().Requirements() {
		l := listed{
			ID: r.ID, Title: r.Title, Level: r.Level, Grade: r.Grade, Revisions: r.Revisions,
			Transports: r.Transports,
			Reason:     r.Needs, Gravity: r.Gravity, Faults: append([]string{}, faults[r.ID]...),
			Since: r.Since, related: relatedTo(r.ID),
		}
		slices.Sort(l.Faults)
		if s, ok := r.SectionIn(r.Revisions[len(r.Revisions)-1]); ok {
			l.Section = s.Ref()
		}
		if _, ok := area.BuiltIn().Check(r.ID); ok {
			l.Check, l.Destructive = true, engine.Destructive(area.BuiltIn(), r.ID)
		} else {
			l.Reason = unchecked(&r)
		}
		all = append(all, l)
	}
	return all
}

// unchecked says why a requirement has no check.
func unchecked(r *requirement.Requirement) string {
	switch {
	case r.Untestable != "":
		return r.Untestable
	case r.Grade == requirement.Control:
		return "a permission: there is nothing to violate"
	default:
		return "this release has no check for it"
	}
}
