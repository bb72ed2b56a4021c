package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/plural"
	"github.com/mcpcheck/mcpcheck/internal/safe"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/baseline"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/spf13/cobra"
)

// excuses is the baseline of a run.
type excuses struct {
	path string
	file *baseline.File // nil without a baseline
}

// flag is the flag that names it.
func (e *excuses) flag() helpcmd.Flags {
	return helpcmd.Flags{{&e.path, "baseline", "excuse what this `file` lists as known: one that " +
		"\"mcpcheck baseline\" wrote, or expected failures of the official suite"}}
}

// load reads the baseline before anything is run. written are the files that the
// run writes, by flag.
func (e *excuses) load(p *program, c *cobra.Command, written map[string]string) error {
	if !c.Flags().Changed("baseline") {
		return nil
	}
	if e.path == "" {
		return badUsage("--baseline needs a file")
	}
	err := apart("--baseline", e.path, written)
	if err != nil {
		return err
	}
	if e.file, err = baseline.Load(e.path, rules()); err != nil {
		return err
	}
	for _, n := range e.file.Notes {
		p.note("%s:%d: %s", safe.Line(e.path), n.Line, n.Text)
	}
	return nil
}

// apply excuses what the baseline lists, and says which of its entries have to be
// looked after.
func (e *excuses) apply(p *program, r *reports.Report) {
	if e.file == nil {
		return
	}
	e.file.Apply(r, time.Now())
	for _, sentence := range write.Outdated(r.Summary.Baseline) {
		p.note("%s", safe.Line(sentence))
	}
}

// rules is what baselines are held to: the catalogue of this release.
func rules() baseline.Catalogue { return suite.Rules(area.BuiltIn()) }

// baselineFlags are the flags of "mcpcheck baseline".
type baselineFlags struct {
	from, output, keep, reason string
	failures, sdk, force       bool
}

func (p *program) baselineCommand() *cobra.Command {
	o := &baselineFlags{}
	c := helpcmd.New(help, "baseline", noArguments, func(c *cobra.Command, _ []string) error {
		return p.baseline(c, o)
	}, helpcmd.Flags{
		{&o.from, "from", "the JSON `report` to take the findings from"},
		{&o.keep, "keep",
			"take reasons and dates over from this older baseline `file`, and entries about what the " +
				"report did not judge"},
		{&o.reason, "reason", "write this `text` as the reason of each entry for which --keep has none"},
		{&o.failures, "failures-only", "leave warnings out"},
		{&o.sdk, "sdk",
			"excuse only what the SDK of the target does as it comes, and say so as the reason"},
		forceFlag(&o.force),
	})
	fileFlag(c, &o.output)
	return c
}

// baseline carries out "mcpcheck baseline".
func (p *program) baseline(c *cobra.Command, o *baselineFlags) error {
	for _, flag := range []string{"output", "keep"} {
		if f := c.Flags().Lookup(flag); f.Changed && f.Value.String() == "" {
			return badUsage("--%s needs a file", flag)
		}
	}
	if o.reason != "" && baseline.Missing(strings.Join(strings.Fields(o.reason), " ")) {
		return badUsage("--reason %q: that is what a run refuses as missing: say why", o.reason)
	}
	if o.from == "" {
		return badUsage(`give a report: --from REPORT; "mcpcheck run --json FILE" writes one`)
	}
	if err := fresh(o.output, o.force); err != nil {
		return err
	}
	report, err := readReport(o.from)
	if err != nil {
		return err
	}
	if report.Summary.Judged() == 0 {
		return badUsage("%s: nothing was judged in this run, so that nothing is known: see \"mcpcheck "+
			"report convert %s\", and run again", o.from, o.from)
	}
	if o.sdk && report.Target.SDK == "" {
		return badUsage("%s: the SDK of the target is none that mcpcheck knows, or was not recognized by "+
			"its errors: leave --sdk out", o.from)
	}
	file, err := known(report, o)
	if err != nil {
		return err
	}
	err = output.To(o.output, p.stdout, func(w io.Writer) error {
		return file.Write(w, baselineHeader(report))
	})
	if err != nil {
		return impossible("the baseline was not written: %w", err)
	}
	p.told(o, file)
	return nil
}

// known makes the baseline of a report.
func known(report *reports.Report, o *baselineFlags) (*baseline.File, error) {
	file := baseline.From(report, baseline.Choice{Failures: o.failures, SDK: o.sdk,
		Reason: strings.Join(strings.Fields(o.reason), " ")})
	for i := range file.Entries {
		e := &file.Entries[i]
		if _, ok := area.Catalogue().Find(e.ID); !ok {
			return nil, badUsage("%s: there is no requirement %q in this release: the report was written "+
				"by %s %s", o.from, e.ID, report.Tool.Name, report.Tool.Version)
		}
		if c := rules(); e.Revision != "" && !requirement.Revision(e.Revision).Known() || e.Transport != "" &&
			!slices.Contains(c.Transports, e.Transport) {
			return nil, badUsage("%s: there is no combination %q in this release: the report was written "+
				"by %s %s", o.from, e.Pattern, report.Tool.Name, report.Tool.Version)
		}
	}
	if o.keep != "" {
		old, err := baseline.LoadDraft(o.keep, rules())
		if err != nil {
			return nil, err
		}
		file.Keep(old, report)
	}
	return file, nil
}

// told says on standard error what was written, unless that is all there is to see.
func (p *program) told(o *baselineFlags, file *baseline.File) {
	open := 0
	for i := range file.Entries {
		if file.Entries[i].Reason == "" {
			open++
		}
	}
	wrote := fmt.Sprintf(plural.Of(len(file.Entries), "wrote %s with %d {entry|entries}"), o.output,
		len(file.Entries))
	if 0 < open && open < len(file.Entries) {
		wrote += fmt.Sprintf(", %d of them without a reason", open)
	}
	switch {
	case len(file.Entries) == 0:
		p.note("the report has nothing to excuse: the baseline is empty")
	case o.output == "-":
	case open > 0:
		p.note("%s: write why in place of %q, then use it with \"mcpcheck run --baseline %s\"", wrote,
			baseline.Placeholder, o.output)
	default:
		p.note("%s; use it with \"mcpcheck run --baseline %s\"", wrote, o.output)
	}
}

// baselineHeader is what stands at the top of a written baseline.
func baselineHeader(r *reports.Report) string {
	return fmt.Sprintf(`Known findings, which "mcpcheck run --baseline FILE" excuses.
From a run against %s (%s %s, catalogue %s).
A line is ID[,ID...] [@REVISION] [@TRANSPORT] [until=YYYY-MM-DD]  # reason. Write why in place of each "%s":
a run refuses entries without a reason. Remove an entry when what it excuses is mended.`,
		safe.Shorten(r.Target.Name, 200), r.Tool.Name, r.Tool.Version, r.Tool.Catalogue, baseline.Placeholder)
}
