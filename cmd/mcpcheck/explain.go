package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/clientcheck"
	"github.com/spf13/cobra"
)

// explainFlags are the flags of "mcpcheck explain".
type explainFlags struct {
	json, noExamples, noColor bool
	pages, spec               string // directories
}

func (p *program) explainCommand() *cobra.Command {
	o := &explainFlags{}
	c := helpcmd.New(help, "explain", nil, func(c *cobra.Command, args []string) error {
		if o.pages != "" && len(args) == 0 {
			for _, r := range area.Catalogue().Requirements() {
				args = append(args, r.ID)
			}
		}
		if c.Flags().Changed("spec") && o.spec == "" {
			return badUsage("--spec needs a directory")
		}
		all, err := found(c, args)
		if err != nil {
			return err
		}
		return p.explain(all, o)
	}, helpcmd.Flags{
		{&o.json, "json", "as a JSON array"},
		{&o.pages, "pages",
			"write a page in Markdown for each into this `directory`, one of observations, and " +
				"an index; all requirements on servers if none is named"},
		{&o.noExamples, "no-examples", "leave the examples out"},
		{&o.spec, "spec", "print what it rests on from a `directory`: a checkout of " +
			"modelcontextprotocol/modelcontextprotocol, or its docs/specification"},
		noColorFlag(&o.noColor),
	})
	c.MarkFlagsMutuallyExclusive("spec", "json")
	c.MarkFlagsMutuallyExclusive("spec", "pages")
	return c
}

// explainable is what can be explained: a requirement or an observation.
type explainable interface {
	page(o write.Options) (string, error)
}

// found looks the ids up, each once; all that do not exist are named.
func found(c *cobra.Command, args []string) ([]explainable, error) {
	if len(args) == 0 {
		return nil, badUsage("%s takes the ids of requirements, such as PAGE-02, and of observations; "+
			"\"mcpcheck list\" shows them", c.CommandPath())
	}
	var all []explainable
	var unknown []string
	seen := map[string]bool{}
	for _, id := range args {
		upper, lower := strings.ToUpper(id), strings.ToLower(id)
		if seen[upper] {
			continue
		}
		seen[upper] = true
		r, ok := area.Catalogue().Find(upper)
		if !ok {
			r, ok = clientcheck.Catalogue().Find(upper)
		}
		o := cmp.Or(area.Catalogue().Observation(lower), clientcheck.Catalogue().Observation(lower))
		switch {
		case ok:
			all = append(all, explained(r))
		case o.ID != "":
			all = append(all, observation{o})
		default:
			unknown = append(unknown, unknownID(id))
		}
	}
	if len(unknown) > 0 {
		return nil, badUsage("%s", strings.Join(unknown, "; "))
	}
	return all, nil
}

// unknownID says what somebody may have meant by an id that does not exist.
func unknownID(id string) string {
	if a := strings.ToUpper(strings.TrimSpace(id)); area.Catalogue().Area(a) != nil {
		first := area.Catalogue().Expand([]string{a})
		return fmt.Sprintf("%q is an area: \"mcpcheck list %s\" shows its requirements, such as %s", id, a,
			first[0])
	}
	var ids []string
	for _, o := range observations() {
		ids = append(ids, o.ID)
	}
	return fmt.Sprintf("there is no requirement or observation %q", id) +
		area.Catalogue().DidYouMean(id, cmp.Or(nearest.Question(id, ids), `: "mcpcheck list" shows them all`))
}

// explain prints explanations one after the other, or writes them as JSON, as pages, or both.
func (p *program) explain(all []explainable, o *explainFlags) error {
	for _, s := range all {
		if x, ok := s.(*explanation); ok && !o.noExamples {
			if err := x.illustrate(); err != nil {
				return err
			}
		}
	}
	if o.pages != "" {
		if err := writePages(o.pages, all); err != nil || !o.json {
			return err
		}
	}
	if o.json {
		return output.JSON(p.stdout, all)
	}
	var unread error
	err := output.Buffered(p.stdout, func(w io.Writer) error {
		to := terminal.New(w, output.Color(p.stdout, o.noColor), output.Width(p.stdout))
		for i, x := range all {
			if i > 0 {
				to.Line()
				to.Line(to.Paint(terminal.Dim, strings.Repeat("─", to.Width)))
				to.Line()
			}
			page, err := x.page(write.Options{Width: to.Width, Verbose: true})
			if err != nil {
				return err
			}
			printPage(to, page)
			if r, ok := x.(*explanation); ok && o.spec != "" {
				if unread = quote(to, o.spec, r.Row); unread != nil {
					return unread
				}
			}
		}
		return to.Err
	})
	if unread != nil {
		return unread
	}
	if err != nil {
		return impossible("the explanation was not written: %w", err)
	}
	return nil
}
