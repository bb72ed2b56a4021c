package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/cmd/internal/lifetime"
	"github.com/mcpcheck/mcpcheck/internal/embedded"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/terminal"
	"github.com/mcpcheck/mcpcheck/reference"
	"github.com/mcpcheck/mcpcheck/reports"
	"github.com/mcpcheck/mcpcheck/reports/write"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// runFlags are the flags of "mcpcheck run".
type runFlags struct {
	connect
	outputs
	excuses

	cfg       suite.Config // what flags say without further reading
	revisions []string
	read      string
	record    string
	// certify takes the run, when it is over, and what it has found; nil if nobody does.
	certify func(r *engine.Run, live *reports.Report) error
	watch   []string
	others  bool // see othersFlag
}

// othersFlag has secrets of other targets read from standard input, with a separator between them: a matrix
// masks in each report what any of its targets holds, and command lines can be seen by others.
const othersFlag, separator = "secrets-on-input", "\x00"

func (p *program) runCommand() *cobra.Command { return p.runCommandWith(&runFlags{}) }

// runCommandWith is the command with flags that the caller can look at.
func (p *program) runCommandWith(o *runFlags) *cobra.Command {
	c := helpcmd.New(help, "run", nil, func(c *cobra.Command, args []string) error {
		return p.run(c, args, o)
	}, append(o.excuses.flag(), helpcmd.Flags{
		{&o.others, othersFlag, ""},
		{&o.watch, "watch",
			"judge again whenever a file under `path` changes, and say what differs from the run before; " +
				"may be repeated"},
		{&o.record, "record", "record the run to a `file` that \"mcpcheck judge\" can judge again"},
	}...))
	o.outputs.register(c.Flags())
	o.register(c.Flags())
	return c
}

// register adds the flags that say what is judged, and how.
func (o *runFlags) register(f *pflag.FlagSet) {
	cfg := &o.cfg
	conformance.TargetFlags(f, &o.connect.Flags)
	conformance.RunFlags(f, cfg, &o.revisions)
	helpcmd.Flags{
		{&o.Config, "config", "the target `file`"},
		{&cfg.LabelFilter, "label-filter", "judge what this Ginkgo label `filter` picks; keys: " +
			strings.Join(suite.LabelKeys(), ", ")},
		readFlag(&o.read),
		{&cfg.Quick, "quick",
			"judge the newest revision on one transport, without destructive probes: for every save"},
	}.Add(f)
	f.StringSliceVar(&cfg.Only, "only", nil, "judge these requirements only, by `id` or area: PAGE-02,ERR")
	f.StringSliceVar(&cfg.Skip, "skip", nil, "leave these requirements out, by `id` or area")
	f.Float64Var(&cfg.Rate, "rate", 0,
		"messages per second at most; 0 means no limit (default 50 for URLs that are not on this machine,"+
			" else no limit)")
}

// run carries out "mcpcheck run".
func (p *program) run(c *cobra.Command, args []string, o *runFlags) error {
	if _, err := os.Getwd(); err != nil { // Ginkgo would end the program, and say no more than that
		return badUsage("the directory in which mcpcheck runs does not exist any more; change to another one")
	}
	if len(o.watch) > 0 {
		return p.watch(c.Context(), o.watch, o)
	}
	cfg, err := p.configure(c, args, o)
	if err != nil {
		return err
	}
	if o.others && cfg.Target != nil {
		others, err := io.ReadAll(c.InOrStdin())
		if err != nil {
			return impossible("standard input cannot be read: %w", err)
		}
		cfg.Target.Others = strings.Split(string(others), separator)
	}
	if err := o.outputs.Check(o.record); err != nil {
		return err
	}
	if err := o.excuses.load(p, c, o.written(o.record)); err != nil {
		return err
	}
	if cfg.Target == nil {
		t, server, err := embedded.Complete(reference.Options{})
		if err != nil {
			return impossible("the reference server that is built in cannot be started: %w", err)
		}
		defer server.Close()
		cfg.Target, cfg.Embedded = t, true
		if cfg.QuietWindow == 0 {
			cfg.QuietWindow = embedded.QuietWindow
		}
	}
	progress := newProgress(p.stderr, o.Quiet)
	cfg.Progress = progress.tell
	return p.judge(c.Context(), cfg, o, progress, rerun(c, args, mask.NewMasker(cfg.Target.Secrets()).String))
}

// judge executes a run and writes what came out.
func (p *program) judge(ctx context.Context, cfg suite.Config, o *runFlags, progress *progress,
	again func(id, revision, transport string) string) error {
	cfg.Unfiltered = true // Ginkgo filters
	r, err := suite.Prepare(ctx, cfg)
	progress.clear()
	if err != nil {
		return err
	}
	if cfg.Embedded && !o.Quiet {
		p.note("no target was given: judging the reference server that is built in")
	}
	if !o.Quiet {
		p.caveats(cfg.Target.Endpoints)
	}
	specs := conformance.Build(r, conformance.Expression(cfg), conformance.Options{Strict: cfg.Strict,
		Context: ctx})
	nothing := ""
	switch {
	case r.Unreachable() != "":
		nothing = "the target could not be judged: " + r.Unreachable()
	case len(specs.Rows()) == 0:
		nothing = "nothing was selected: " + whyNothing(cfg, r.Combinations())
	}
	if r.Unreachable() == "" {
		specs.Run()
		progress.clear()
	}
	report := specs.Report()
	hide := mask.NewMasker(cfg.Target.Secrets()).String
	report.Summary.LeftBehind = lifetime.EndStrays(p.stderr, "mcpcheck: the target", hide)
	o.excuses.apply(p, report)
	p.status = report.ExitCode(cfg.Strict, report.Summary.Baseline.Outdated())
	for _, sentence := range withoutCheck(cfg.Only, report) {
		p.status = exitNotEstablished
		p.note("%s", sentence)
	}
	// The recording comes first: nobody may be there any more to take the results.
	_, errs := output.All(nil,
		[]output.Wanted{{Flag: "--record", Path: o.record, Write: output.Within(r.Deadline(), r.Record)}})
	for _, err := range errs {
		p.status = exitNotEstablished
		p.note("%v", err)
	}
	o.outputs.Until = r.Deadline()
	report.NoteReruns(again) // for all formats, and for whoever converts the JSON report later
	report.Config.Command = again("", "", "")
	o.outputs.mustWrite(p, report, write.Options{Strict: cfg.Strict, Told: r.Unreachable() != ""})
	if o.certify != nil {
		err := errors.New("nothing was judged")
		if nothing == "" {
			err = o.certify(r, report)
		}
		if err != nil {
			p.status = exitNotEstablished
			p.note("no certificate was written: %s", hide(err.Error()))
		}
	}
	if os.Getenv("GITHUB_ACTIONS") == "true" {
		err := write.Annotations(terminal.Raw(p.stderr), report, write.Options{Strict: cfg.Strict})
		if err != nil {
			return impossible("the annotations were not written: %w", err)
		}
	}
	if nothing != "" {
		return impossible("%s", hide(nothing))
	}
	return nil
}

// caveats says what this system does not keep programs from, if any is started.
func (p *program) caveats(endpoints []target.Endpoint) {
	if slices.ContainsFunc(endpoints, func(e target.Endpoint) bool { return len(e.Command) > 0 }) {
		for _, caveat := range transport.Caveats() {
			p.note("%s", caveat)
		}
	}
}

// withoutCheck says why nothing was judged, if none of the requirements that were asked
// for has a check.
func withoutCheck(only []string, report *reports.Report) []string {
	var all []string
	if report.Summary.Judged() > 0 {
		return nil
	}
	for _, id := range only {
		if r, ok := area.Catalogue().Find(id); ok {
			if _, checked := area.BuiltIn().Check(id); checked {
				return nil
			}
			all = append(all, id+" has no check: "+unchecked(r))
		}
	}
	return all
}

// whyNothing says why no requirement fits the flags.
func whyNothing(cfg suite.Config, served []requirement.Combination) string {
	var words []string
	for _, c := range served {
		words = append(words, c.String())
	}
	const few = 3
	var why []string
	for _, id := range cfg.Only {
		r, ok := area.Catalogue().Find(id)
		switch {
		case !ok || !cfg.Quick && slices.ContainsFunc(served, r.Names) || slices.Contains(cfg.Skip, id):
		case cfg.Quick && slices.ContainsFunc(served, r.Names):
			why = append(why, id+" needs probes that a quick run leaves out")
		case !slices.ContainsFunc(served, func(c requirement.Combination) bool {
			return slices.Contains(r.Transports, c.Transport)
		}):
			why = append(why, id+" applies to "+join(r.Transports)+" only")
		default:
			why = append(why, id+" applies to "+join(r.Revisions)+" on "+join(r.Transports)+" only")
		}
	}
	if n := len(why); n > few {
		why = append(why[:few], fmt.Sprintf("and so on for %d more", n-few))
	}
	if len(why) == 0 {
		why = []string{"no requirement fits the flags"}
	}
	return strings.Join(why, "; ") + "; judged would be " + strings.Join(words, ", ")
}

// configure turns flags into the configuration of the run.
func (p *program) configure(c *cobra.Command, args []string, o *runFlags) (suite.Config, error) {
	if err := notEmpty(c, "json", "html", "junit", "markdown", "sarif", "record", "only", "skip",
		"revision"); err != nil {
		return suite.Config{}, err
	}
	t, err := o.connect.target(c, args)
	if err != nil {
		return suite.Config{}, err
	}
	cfg, f := o.cfg, c.Flags()
	if t != nil {
		t.Since = cmp.Or(cfg.Since, t.Since)
	}
	cfg.Target, cfg.Tool = t, tool()
	cfg.Only, cfg.Skip = area.Catalogue().Expand(cfg.Only), area.Catalogue().Expand(cfg.Skip)
	if cfg.Revisions, err = revisions(o.revisions); err != nil {
		return cfg, err
	}
	if cfg.Reads, err = reads(o.read); err != nil {
		return cfg, err
	}
	if f.Changed("label-filter") {
		if cfg.Filter, err = conformance.Filter(cfg.LabelFilter); err != nil {
			return cfg, err
		}
	}
	if o.Transport != "" && !f.Changed("url") && !f.Changed("serve") {
		tr := requirement.Transport(o.Transport)
		if !slices.Contains(requirement.Transports(), tr) {
			return cfg, badUsage("there is no transport %q: the transports are stdio, http and sse",
				o.Transport)
		}
		cfg.Transports = []requirement.Transport{tr}
	}
	if cfg.Rate < 0 {
		return cfg, badUsage("--rate must not be negative")
	}
	if f.Changed("rate") && cfg.Rate == 0 {
		cfg.Rate = -1 // the user's word that there is to be no limit
	}
	f.Visit(func(f *pflag.Flag) { err = cmp.Or(err, conformance.CheckFlag(f.Name, f.Value.String())) })
	if err != nil {
		return cfg, err
	}
	return cfg, positive(c, "budget", "quiet-window", "start-timeout", "timeout")
}
