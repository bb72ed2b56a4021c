package main

import (
	"fmt"
	"io"

	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/safe"
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

// observation is an observation as "mcpcheck explain --json" shows it: a contract.
type observation struct{ requirement.Observation }

// page is the observation as a page in Markdown.
func (o observation) page(write.Options) (string, error) {
	return fmt.Sprintf("# %s · %s\n\n%s", o.ID, safe.MarkdownText(o.Title), o.body()), nil
}

// body is what a page says below the title.
func (o observation) body() string {
	text := safe.MarkdownText(o.Text) + "\n\n" + safe.MarkdownText(o.Why) + "\n"
	if o.Change != "" {
		text += "\n**What to do**: " + safe.MarkdownText(o.Change) + ".\n"
	}
	return text
}

// observationsPage is a page in Markdown about all observations, each under its id.
func observationsPage() string {
	text := "# Observations\n\nAn observation breaks no rule and changes no verdict, but the author would want to know.\n" +
		"`mcpcheck explain ID` prints one.\n"
	area := ""
	for _, o := range observations() {
		if o.Area != area {
			area = o.Area
			text += "\n## " + safe.MarkdownText(area) + "\n"
		}
		text += fmt.Sprintf("\n### %s\n\n**%s**\n\n%s", o.ID, safe.MarkdownText(o.Title), observation{o}.body())
	}
	return text
}

// listObservations lists all observations.
func (p *program) listObservations(asJSON bool) error {
	all := observations()
	if asJSON {
		return output.JSON(p.stdout, all)
	}
	return output.Buffered(p.stdout, func(w io.Writer) error {
		area := ""
		for _, o := range all {
			if o.Area != area {
				if area != "" {
					fmt.Fprintln(w)
				}
				area = o.Area
				fmt.Fprintln(w, area)
			}
			fmt.Fprintf(w, "  %-31s %s\n", o.ID, o.Title)
		}
		_, err := fmt.Fprintf(w, "\n%d observations, which change no verdict.\n", len(all))
		return err
	})
}
