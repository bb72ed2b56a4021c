package main

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/cmd/internal/helpcmd"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/compare"
	"github.com/mcpcheck/mcpcheck/suite/conformance"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of "mcpcheck compare".
type compareFlags struct {
	cfg                   compare.Config // what flags say without further reading
	direct, through, read string
	revisions             []string
	mapURI, mapName       []string
	commands              target.Flags // what the commands of both sides get
	output.Reports                     // JSON and Markdown of them
}

func (p *program) compareCommand() *cobra.Command {
	o := &compareFlags{}
	c := helpcmd.New(help, "compare", noArguments, func(c *cobra.Command, _ []string) error {
		return p.compareSides(c, o)
	}, helpcmd.Flags{
		{&o.direct, "direct", "the server itself: a URL, a target file or a `command` line"},
		{&o.through, "through", "the server behind the gateway: a URL, a target file or a `command` line"},
		readFlag(&o.read),
		{&o.mapURI, "map-uri",
			"the gateway replaces this prefix of URIs on purpose, `'DIRECT=>THROUGH'`; may be repeated"},
		{&o.mapName, "map-name",
			"the gateway replaces this prefix of names on purpose, `'DIRECT=>THROUGH'`; may be repeated"},
		{&o.cfg.Budget, "budget", "time for everything (default 5m)"},
		{&o.JSON, "json", "write the JSON report to this `file`; - is standard output"},
		{&o.Markdown, "markdown", "write a summary for pull requests to this `file`; - is standard output"},
		{&o.Quiet, "quiet",
			"a line for each difference, what could not be established, and the last line, nothing else"},
		{&o.Verbose, "verbose", "every difference on its own, and more of each value"},
		noColorFlag(&o.NoColor),
	})
	f := c.Flags()
	o.commands.Register(f, "the commands of both sides")
	f.StringSliceVar(&o.revisions, "revision", nil, "compare these protocol `revisions` only")
	f.StringSliceVar(&o.cfg.Ignore, "ignore", nil,
		"leave out differences that are known: a `group`, a member such as serverInfo, or GROUP:MEMBER")
	conformance.TimeFlags(f, &o.cfg.Limits)
	c.AddCommand(p.schemaCommand("comparisons", compare.JSONSchema))
	return c
}

// compareSides carries out "mcpcheck compare".
func (p *program) compareSides(c *cobra.Command, o *compareFlags) error {
	cfg, err := o.config(c)
	if err != nil {
		return err
	}
	if err := o.Check(""); err != nil {
		return err
	}
	if !o.Quiet {
		p.caveats(slices.Concat(cfg.Direct.Endpoints, cfg.Through.Endpoints))
	}
	progress := newProgress(p.stderr, o.Quiet)
	cfg.Progress = progress.tell
	r, err := compare.Run(c.Context(), cfg)
	progress.clear()
	if err != nil {
		return err
	}
	p.status = map[compare.Outcome]int{compare.Same: exitOK, compare.Different: exitFindings,
		compare.NotEstablished: exitNotEstablished}[r.Summary.Outcome]
	hide := mask.NewMasker(slices.Concat(cfg.Direct.Secrets(), cfg.Through.Secrets())).String
	if err := o.write(p, r, o.again(c, cfg, hide)); err != nil {
		return impossible("%w", err)
	}
	return nil
}

// write writes the files, and shows the comparison unless one of them goes to standard
// output.
func (o *compareFlags) write(p *program, r *compare.Report, again string) error {
	shown, errs := output.All(p.stdout, []output.Wanted{
		{Flag: "--json", Path: o.JSON, Write: func(w io.Writer) error { return compare.WriteJSON(w, r) }},
		{Flag: "--markdown", Path: o.Markdown, Write: func(w io.Writer) error {
			return compare.WriteMarkdown(w, r)
		}},
	})
	if !shown {
		errs = append(errs, compare.WriteConsole(p.stdout, r, compare.ConsoleOptions{
			Color: output.Color(p.stdout, o.NoColor), Verbose: o.Verbose, Quiet: o.Quiet, Again: again,
		}))
	}
	return errors.Join(errs...)
}

// config turns flags into the configuration of the comparison.
func (o *compareFlags) config(c *cobra.Command) (compare.Config, error) {
	cfg := o.cfg
	cfg.Tool = tool()
	if err := notEmpty(c, "json", "markdown", "revision", "ignore", "direct", "through"); err != nil {
		return cfg, err
	}
	var err error
	if cfg.Direct, err = sideOf("--direct", o.direct, o.commands); err != nil {
		return cfg, err
	}
	if cfg.Through, err = sideOf("--through", o.through, o.commands); err != nil {
		return cfg, err
	}
	if o.commands.Given() && !started(cfg.Direct) && !started(cfg.Through) {
		return cfg, badUsage("--env, --env-pass and --env-all go with a command; " +
			"a target file says what its own commands get")
	}
	if cfg.Revisions, err = revisions(o.revisions); err != nil {
		return cfg, err
	}
	if cfg.Reads, err = reads(o.read); err != nil {
		return cfg, err
	}
	if cfg.MapURI, err = prefixes("--map-uri", o.mapURI); err != nil {
		return cfg, err
	}
	if cfg.MapName, err = prefixes("--map-name", o.mapName); err != nil {
		return cfg, err
	}
	return cfg, positive(c, "budget", "start-timeout", "timeout")
}

// prefixes reads the values of --map-uri or --map-name.
func prefixes(flag string, given []string) ([]compare.Rename, error) {
	var all []compare.Rename
	for _, s := range given {
		x, err := compare.ParseRename(s)
		if err != nil {
			return nil, badUsage("%s: %w", flag, err)
		}
		if slices.ContainsFunc(all, func(y compare.Rename) bool { return y.From == x.From || y.To == x.To }) {
			return nil, badUsage("%s: two values say what becomes of the same prefix", flag)
		}
		all = append(all, x)
	}
	return all, nil
}

// scheme is how a URL begins, of whatever kind.
var scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://`)

// started reports whether a side was given by a command.
func started(t *target.Target) bool { return t.File == "" && len(t.Endpoints[0].Command) > 0 }

// sideOf is what --direct or --through describes: a URL, a target file, or a command
// line, with what commands get. A name with spaces is that of a file only if there is one.
func sideOf(flag, value string, commands target.Flags) (*target.Target, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil, badUsage("%s is missing: give a URL, a target file or a command line", flag)
	}
	if scheme.MatchString(value) && !strings.ContainsAny(value, " \t") {
		t, err := (&target.Flags{URL: value}).Address()
		if err != nil {
			// it may hold a key
			return nil, badUsage("%s is not of the form http://HOST/PATH or https://HOST/PATH", flag)
		}
		return t, nil
	}
	if ext := strings.ToLower(filepath.Ext(value)); ext == ".yaml" || ext == ".yml" {
		if _, err := os.Stat(value); err == nil || !strings.ContainsAny(value, " \t") {
			return target.Load(value, area.Catalogue())
		}
	}
	words, err := shell.Split(value)
	if err != nil {
		return nil, badUsage("%s: the command line cannot be read: %w", flag, err)
	}
	if len(words) == 0 || words[0] == "" {
		return nil, badUsage("%s holds no command", flag)
	}
	return commands.Command(words)
}

// again is the command that was given, written for a shell and without secrets, less
// what says which revisions are compared and how the result is written.
func (o *compareFlags) again(c *cobra.Command, cfg compare.Config, hide func(string) string) string {
	words := []string{"mcpcheck", "compare"}
	for _, side := range []struct {
		flag string
		t    *target.Target
	}{{"--direct", cfg.Direct}, {"--through", cfg.Through}} {
		words = append(words, side.flag, cmp.Or(side.t.File, side.t.Endpoints[0].AddressWithout(hide)))
	}
	for _, flag := range []string{
		"env", "env-pass", "env-all", "read", "map-uri", "map-name", "ignore",
		"timeout", "start-timeout", "budget",
	} {
		if f := c.Flags().Lookup(flag); f.Changed {
			words = append(words, flagWords(f, hide)...)
		}
	}
	return shell.JoinPrintable(words)
}
