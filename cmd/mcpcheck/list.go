package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/reference/fault"
	"github.com/mcpcheck/mcpcheck/suite/check"
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
	Reason     string                  `json:"reason,omitempty"`
	Faults     []string                `json:"faults"`
	Since      string                  `json:"since"`
}

func (p *program) listCommand() *cobra.Command {
	asJSON := false
	c := &cobra.Command{
		Use:   "list",
		Short: "List the requirements",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			all := catalogue()
			if asJSON {
				return buffered(p.stdout, func(w io.Writer) error {
					e := json.NewEncoder(w)
					e.SetEscapeHTML(false)
					e.SetIndent("", "  ")
					return e.Encode(all)
				})
			}
			return buffered(p.stdout, func(w io.Writer) error { return printCatalogue(w, all) })
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "as JSON, with all that is known of each")
	return c
}

// catalogue lists the requirements with their checks and the faults that prove
// these.
func catalogue() []listed {
	faults := map[string][]string{}
	for _, f := range fault.All() {
		faults[f.Requirement] = append(faults[f.Requirement], f.Name)
	}
	all := []listed{}
	for _, r := range requirement.Catalogue() {
		l := listed{
			ID: r.ID, Title: r.Title, Level: r.Level, Grade: r.Grade, Revisions: r.Revisions, Transports: r.Transports,
			Reason: r.Needs, Faults: append([]string{}, faults[r.ID]...), Since: r.Since,
		}
		slices.Sort(l.Faults)
		if s, ok := r.SectionIn(r.Revisions[len(r.Revisions)-1]); ok {
			l.Section = s.Ref()
		}
		if _, ok := check.Find(r.ID); ok {
			l.Check = true
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

func printCatalogue(w io.Writer, all []listed) error {
	titles := map[string]string{}
	for _, a := range requirement.Areas() {
		titles[a.Name] = a.Title
	}
	area := ""
	for _, l := range all {
		if a, _, _ := strings.Cut(l.ID, "-"); a != area {
			if area != "" {
				fmt.Fprintln(w)
			}
			area = a
			fmt.Fprintf(w, "%s  %s\n", a, titles[a])
		}
		mark := " "
		if !l.Check {
			mark = "-"
		}
		if _, err := fmt.Fprintf(w, "%s %-9s %-6s %s\n", mark, l.ID, l.Level, l.Title); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "\n%d requirements; those marked - have no check.\n", len(all))
	return err
}
