package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/output"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/compare"
	"github.com/mcpcheck/mcpcheck/suite/engine"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/spf13/cobra"
)

// compareFlags are the flags of "mcpcheck compare".
type compareFlags struct {
	direct, through          string
	revisions                []string
	read                     string
	mapURI, mapName, ignore  []string
	timeout, start, budget   time.Duration
	json, markdown           string
	quiet, verbose, noColour bool
}

func (p *program) compareCommand() *cobra.Command {
	o := &compareFlags{}
	c := &cobra.Command{
		Use:   "compare --direct TARGET --through TARGET",
		Short: "Say what a gateway drops or changes",
		Long: `Ask a server the same things directly and through a gateway, a proxy or a bridge, in
each revision that both offer, and say what the gateway drops, changes or adds: what is
declared, what is listed, what reads, errors and completions say, whether subscriptions
are accepted and updates arrive.

A TARGET is a URL, a target file (FILE.yaml) or a command line in one argument. What
needs headers, variables or a working directory needs a target file. That of the
direct side may also say how templates are expanded (subjects.templates), what is
missing (subjects.missing) and how to change a resource (triggers.update).

Whatever differs is asked again on both sides. What the server itself does not answer
alike twice is listed apart and not counted; what only the gateway answers differently
from time to time is not established, nor is what could not be asked again. The order of members, the spelling of
numbers and strings, page borders and the messages of errors are no differences.

--json writes the contract mcpcheck.compare/1: "differences" with "group", "kind"
(dropped, changed, added), "subject", "member", "revisions", "direct" and "through";
"unsteady", "ignored" and "not_established"; "summary" with "outcome" (same, different,
not-established). "mcpcheck compare schema" prints its schema. Members and codes are
stable, sentences are not.

Exit status: 0 the same, 1 differences, 2 wrong usage, 3 an endpoint could not be reached
or not asked everything, or the gateway's own answers differ, or the comparison was
interrupted, or a file not written.`,
		Example: `  mcpcheck compare --direct 'node server.js' --through http://127.0.0.1:8000/mcp
  mcpcheck compare --direct server.yaml --through gateway.yaml --json compare.json
  mcpcheck compare --direct http://a/mcp --through http://gw/mcp --map-uri 'file://=>a+file://' --ignore serverInfo`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return p.compareSides(c, o) },
	}
	f := c.Flags()
	f.StringVar(&o.direct, "direct", "", "the server itself: a URL, a target file or a `command` line")
	f.StringVar(&o.through, "through", "", "the server behind the gateway: a URL, a target file or a `command` line")
	f.StringSliceVar(&o.revisions, "revision", nil, "compare these protocol `revisions` only")
	f.StringVar(&o.read, "read", "50", "how many listed resources to read: a `number`, or all")
	f.StringArrayVar(&o.mapURI, "map-uri", nil, "the gateway replaces this prefix of URIs on purpose, `'DIRECT=>THROUGH'`; may be repeated")
	f.StringArrayVar(&o.mapName, "map-name", nil, "the gateway replaces this prefix of names on purpose, `'DIRECT=>THROUGH'`; may be repeated")
	f.StringSliceVar(&o.ignore, "ignore", nil, "leave out differences that are known: a `group`, a member such as serverInfo, or GROUP:MEMBER")
	f.DurationVar(&o.timeout, "timeout", 0, "time for one request (default 10s)")
	f.DurationVar(&o.start, "start-timeout", 0, "time for start-up and handshake (default 30s)")
	f.DurationVar(&o.budget, "budget", 0, "time for everything (default 5m)")
	f.StringVar(&o.json, "json", "", "write the JSON report to this `file`; - is standard output")
	f.StringVar(&o.markdown, "markdown", "", "write a summary for pull requests to this `file`; - is standard output")
	f.BoolVar(&o.quiet, "quiet", false, "a line for each difference, what could not be established, and the last line, nothing else")
	f.BoolVar(&o.verbose, "verbose", false, "every difference on its own, and more of each value")
	f.BoolVar(&o.noColour, "no-color", false, "no colours (the variable NO_COLOR does the same)")
	c.AddCommand(p.schemaCommand("comparisons", compare.JSONSchema))
	return c
}

// files are the reports in the words of what checks and writes them.
func (o *compareFlags) files() *output.Reports {
	return &output.Reports{JSON: o.json, Markdown: o.markdown, Quiet: o.quiet, Verbose: o.verbose}
}

// compareSides carries out "mcpcheck compare".
func (p *program) compareSides(c *cobra.Command, o *compareFlags) error {
	cfg, err := o.config(c)
	if err != nil {
		return err
	}
	if err := o.files().Check(""); err != nil {
		return badUsage("%w", err)
	}
	for _, t := range []*target.Target{cfg.Direct, cfg.Through} {
		if slices.ContainsFunc(t.Endpoints, func(e target.Endpoint) bool { return e.Owned() }) {
			for _, caveat := range transport.Caveats() {
				fmt.Fprintln(p.stderr, "mcpcheck: "+caveat)
			}
			break
		}
	}
	progress := newProgress(p.stderr, o.quiet)
	cfg.Progress = func(e compare.Event) { progress.tell(shownAs(e)) }
	r, err := compare.Run(c.Context(), cfg)
	progress.clear()
	if err != nil {
		return badUsage("%w", err)
	}
	p.status = map[compare.Outcome]int{compare.Same: exitOK, compare.Different: exitFindings}[r.Summary.Outcome]
	if r.Summary.Outcome == compare.NotEstablished {
		p.status = exitNotEstablished
	}
	hide := mask.NewMasker(slices.Concat(cfg.Direct.Secrets(), cfg.Through.Secrets())).String
	if err := o.write(p, r, o.again(c, cfg, hide)); err != nil {
		return impossible("%w", err)
	}
	return nil
}

// shownAs is an event as the display knows it.
func shownAs(e compare.Event) engine.Event {
	if e.Revision == "" {
		return engine.Event{Kind: engine.Connecting, Title: e.Title}
	}
	return engine.Event{Kind: engine.Playing, Combination: requirement.Combination{Revision: e.Revision, Transport: "both sides"},
		Title: e.Title, Done: e.Done, Total: e.Total}
}

// write writes the files, and shows the comparison unless one of them goes to standard
// output. One that cannot be written does not keep the others from being written.
func (o *compareFlags) write(p *program, r *compare.Report, again string) error {
	var errs []error
	console := true
	files := []struct {
		flag, path string
		write      func(io.Writer, *compare.Report) error
	}{{"--json", o.json, compare.WriteJSON}, {"--markdown", o.markdown, compare.WriteMarkdown}}
	if o.json == "-" {
		slices.Reverse(files) // whoever reads standard output may go away
	}
	for _, out := range files {
		if out.path == "" {
			continue
		}
		console = console && out.path != "-"
		if err := output.To(out.path, p.stdout, func(w io.Writer) error { return out.write(w, r) }); err != nil {
			errs = append(errs, fmt.Errorf("%s was not written: %w", out.flag, err))
		}
	}
	if console {
		errs = append(errs, compare.WriteConsole(p.stdout, r, compare.ConsoleOptions{
			Color: output.Color(p.stdout, o.noColour), Verbose: o.verbose, Quiet: o.quiet, Again: again,
		}))
	}
	return errors.Join(errs...)
}

// config turns flags into the configuration of the comparison.
func (o *compareFlags) config(c *cobra.Command) (compare.Config, error) {
	cfg := compare.Config{Tool: tool(), Ignore: o.ignore, Timeout: o.timeout, Start: o.start, Budget: o.budget}
	if err := notEmpty(c, "json", "markdown", "revision", "ignore", "direct", "through"); err != nil {
		return cfg, err
	}
	var err error
	if cfg.Direct, err = sideOf("--direct", o.direct); err != nil {
		return cfg, err
	}
	if cfg.Through, err = sideOf("--through", o.through); err != nil {
		return cfg, err
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
	for _, name := range []string{"timeout", "start-timeout", "budget"} {
		if f := c.Flags().Lookup(name); f.Changed && f.Value.String() == "0s" {
			return cfg, badUsage("--%s must be more than 0; leave it out for the default", name)
		}
	}
	return cfg, notNegative(map[string]time.Duration{"timeout": o.timeout, "start-timeout": o.start, "budget": o.budget})
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

// sideOf is what --direct or --through describes: a URL, a target file, or a command
// line. A name with spaces is that of a file only if there is one.
func sideOf(flag, value string) (*target.Target, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return nil, badUsage("%s is missing: give a URL, a target file or a command line", flag)
	}
	if scheme.MatchString(value) && !strings.ContainsAny(value, " \t") {
		t, err := (&target.Flags{URL: value}).Address()
		if err != nil {
			return nil, badUsage("%s is not of the form http://HOST/PATH or https://HOST/PATH", flag) // it may hold a key
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
	t, err := (&target.Flags{}).Command(words)
	if err != nil {
		return nil, badUsage("%s holds no command", flag)
	}
	return t, nil
}

// again is the command that was given, written for a shell and without secrets, less
// what says which revisions are compared and how the result is written.
func (o *compareFlags) again(c *cobra.Command, cfg compare.Config, hide func(string) string) string {
	words := []string{"mcpcheck", "compare"}
	for _, side := range []struct {
		flag string
		t    *target.Target
	}{{"--direct", cfg.Direct}, {"--through", cfg.Through}} {
		name := side.t.File
		if name == "" {
			name = side.t.Endpoints[0].AddressWithout(hide)
		}
		words = append(words, side.flag, name)
	}
	for _, flag := range []string{"read", "map-uri", "map-name", "ignore", "timeout", "start-timeout", "budget"} {
		if f := c.Flags().Lookup(flag); f.Changed {
			for _, value := range flagValues(f) {
				words = append(words, "--"+flag, hide(value))
			}
		}
	}
	return shell.JoinPrintable(words)
}
