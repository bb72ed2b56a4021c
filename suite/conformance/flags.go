package conformance

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/bytesize"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/pflag"
)

// TargetFlags adds the flags that say which target to talk to, and how, all but --config.
func TargetFlags(f *pflag.FlagSet, t *target.Flags) {
	f.StringVar(&t.URL, "url", "", "the `URL` of a server that speaks Streamable HTTP or HTTP+SSE")
	f.StringVar(&t.Serve, "serve", "",
		"start a server with this `command` line and judge it at --url, where {port} is a free port")
	f.StringVar(&t.Ready, "ready", "",
		"`when` a server that was started can be used: tcp, http, or output:PATTERN (default tcp)")
	f.StringVar(&t.Transport, "transport", "",
		"force this `transport`, http or sse, on a URL; with other targets, judge this one only")
	f.StringArrayVar(&t.Headers, "header", nil, "send this HTTP header, `'K: V'`; may be repeated")
	f.StringArrayVar(&t.HeaderEnv, "header-env", nil,
		"send the HTTP header K with the value of the variable, `K=VAR`; may be repeated")
	f.StringArrayVar(&t.SecretEnv, "secret-env", nil,
		"mask the value of this `variable` in everything that is written, as if it were a credential; may "+
			"be repeated")
	t.Register(f, "the server")
	f.StringVar(&t.Dir, "cwd", "", "the working `directory` of the server")
	f.StringVar(&t.CAFile, "ca-file", "", "trust the certificates in this PEM `file`, too")
	f.BoolVar(&t.Risky, "allow-risky", false,
		"read and expand what speaks of deletion or execution, too, such as delete://{id}")
}

// RunFlags adds the flags that say how a target is judged, other than those that pick
// requirements and name files.
func RunFlags(f *pflag.FlagSet, c *suite.Config, revisions *[]string) {
	f.StringSliceVar(revisions, "revision", nil, "judge these protocol `revisions` only")
	f.StringVar((*string)(&c.Since), "since", "",
		"judge this protocol `revision` and newer ones: the declared scope, which every result names")
	f.BoolVar(&c.Strict, "strict", false, "count warnings as failures")
	f.IntVar(&c.Jobs, "jobs", 0,
		"how many scenarios to play at once (default 8); over HTTP as many may watch silence meanwhile")
	TimeFlags(f, &c.Limits)
	f.DurationVar(&c.Budget, "budget", 0,
		"time for the whole run (default 5m, or 100 times what it takes to find out what the target "+
			"speaks, up to 30m)")
	f.DurationVar(&c.QuietWindow, "quiet-window", 0,
		"how long silence is watched; after a sign of life a third of it to ten times as long, by what "+
			"that took (default 300ms)")
	f.BoolVar(&c.NoSecurityProbes, "no-security-probes", false,
		"leave out the probes for security requirements")
	f.IntVar(&c.Pages, "pages", 0, "how many pages of a list to ask for (default 2500)")
	f.Var(bytesize.Value[int]{N: &c.MessageBytes}, "message-bytes",
		"read messages of up to this many `bytes`, such as 512KiB or 32MiB (default 16MiB)")
	f.Var(bytesize.Value[int64]{N: &c.ConnectionBytes}, "connection-bytes",
		"read up to this many `bytes` from a connection (default 64MiB)")
	f.Var(bytesize.Value[int64]{N: &c.RunBytes}, "run-bytes",
		"keep up to this many `bytes` of what crosses the wire (default 128MiB)")
}

// TimeFlags adds those that bound what is waited for.
func TimeFlags(f *pflag.FlagSet, l *target.Limits) {
	f.DurationVar(&l.Timeout, "timeout", 0, "time for one request (default 10s)")
	f.DurationVar(&l.StartTimeout, "start-timeout", 0, "time for start-up and handshake (default 30s)")
}

// counts are the flags that cannot be 0: that would be to leave them out.
var counts = []string{"jobs", "pages", "message-bytes", "connection-bytes", "run-bytes"}

// CheckFlag says what is wrong with a flag of [RunFlags] that was given; nil if nothing is.
func CheckFlag(name, value string) error {
	if slices.Contains(counts, name) && (value == "0" || strings.HasPrefix(value, "-")) {
		return fmt.Errorf("--%s must be 1 or more", name)
	}
	if name == "since" && !requirement.Revision(value).Known() {
		return fmt.Errorf("--since: there is no revision %q: the revisions are %s", value,
			strings.Join(requirement.Texts(requirement.Revisions()), ", "))
	}
	return nil
}

// Arguments are the flags of a test binary that say what to judge. They are flags of
// "mcpcheck run"; what picks requirements is Ginkgo's.
type Arguments struct {
	flags     *flag.FlagSet
	own       *pflag.FlagSet // those that are not of package testing
	target    target.Flags
	config    suite.Config
	revisions []string
}

// Flags adds the flags to those of a test binary, which package testing parses.
func Flags(f *flag.FlagSet) *Arguments {
	a := &Arguments{flags: f, own: pflag.NewFlagSet("", pflag.ContinueOnError)}
	a.own.StringVar(&a.target.Config, "config", "", "the target `file`")
	TargetFlags(a.own, &a.target)
	RunFlags(a.own, &a.config, &a.revisions)
	a.own.StringVar(&a.config.Baseline, "baseline", "",
		"excuse what this `file` lists as known; \"mcpcheck baseline\" writes one")
	a.own.StringVar(&a.config.Files.HTML, "html", "", "write a page for browsers to this `file`")
	a.own.StringVar(&a.config.Files.JSON, "json", "", "write the JSON report to this `file`")
	a.own.VisitAll(func(x *pflag.Flag) {
		f.Var(value{x.Value}, x.Name, x.Usage)
		f.Lookup(x.Name).DefValue = "" // what is not zero stands in the usage
	})
	all := f.Usage
	if all == nil {
		all = f.PrintDefaults
	}
	f.Usage = func() {
		unknown := stranger(f, os.Args[1:])
		switch {
		case unknown == "" && slices.ContainsFunc(os.Args[1:], asksForHelp):
			all()
			return
		case unknown == "": // a value is wrong, and has been told
			fmt.Fprintln(f.Output(), "-help lists all flags")
			return
		}
		fmt.Fprintf(f.Output(),
			"there is no flag --%s here%s: -help lists all; what is judged is picked by "+
				"-ginkgo.label-filter, such as 'area:PAGE && rev:2025-11-25', and -ginkgo.focus, in the "+
				"place of --only, --skip and --quick\n",
			unknown, nearest.Question(unknown, flagNames(a.own)))
	}
	return a
}

// stranger is the first argument that is written like a flag and is none; empty if all are known.
func stranger(f *flag.FlagSet, args []string) string {
	for _, arg := range args {
		name, isFlag := strings.CutPrefix(arg, "-")
		name, _, _ = strings.Cut(strings.TrimPrefix(name, "-"), "=")
		switch {
		case name == "" && isFlag: // the end of the flags
			return ""
		case isFlag && f.Lookup(name) == nil && !asksForHelp(arg):
			return name
		}
	}
	return ""
}

// asksForHelp reports whether an argument is the flag for that.
func asksForHelp(arg string) bool {
	return slices.Contains([]string{"-h", "--h", "-help", "--help"}, arg)
}

// flagNames lists the flags of a set.
func flagNames(f *pflag.FlagSet) []string {
	var names []string
	f.VisitAll(func(x *pflag.Flag) { names = append(names, x.Name) })
	return names
}

// value is a flag of package pflag as package flag has flags: it asks an empty one what it is, too.
type value struct{ pflag.Value }

func (v value) String() string {
	if v.Value == nil {
		return ""
	}
	return v.Value.String()
}

// IsBoolFlag says that the flag can stand without a value.
func (v value) IsBoolFlag() bool { return v.Type() == "bool" }

// String is the flags that were given and the arguments behind them, as they are written for a
// shell. The values of headers and variables are left out: they may be secret.
func (a *Arguments) String() string {
	var words []string
	a.flags.Visit(func(f *flag.Flag) {
		own := a.own.Lookup(f.Name)
		if own == nil || f.Name == "html" || f.Name == "json" {
			return
		}
		values := []string{f.Value.String()}
		if l, ok := own.Value.(pflag.SliceValue); ok {
			values = l.GetSlice()
		}
		for _, value := range values {
			if f.Name == "header" || f.Name == "env" {
				value = "***"
			}
			words = append(words, "--"+f.Name+"="+value)
		}
	})
	if a.flags.NArg() > 0 {
		words = append(append(words, "--"), a.flags.Args()...)
	}
	return shell.Join(words)
}

// Config is what the flags and the arguments behind them say, once they are parsed. It has
// no target if they name none.
func (a *Arguments) Config() (suite.Config, error) {
	c := a.config
	changed := map[string]bool{}
	var err error
	a.flags.Visit(func(f *flag.Flag) {
		changed[f.Name] = true
		if err == nil {
			err = CheckFlag(f.Name, f.Value.String())
		}
	})
	if err != nil {
		return c, err
	}
	if c.Target, err = a.target.Target(area.Catalogue(), func(name string) bool {
		return changed[name]
	}, a.flags.NArg() > 0, a.flags.Args()); err != nil {
		return c, err
	}
	if a.target.Transport != "" && a.target.URL == "" && a.target.Serve == "" {
		c.Transports = []requirement.Transport{requirement.Transport(a.target.Transport)}
	}
	for _, rev := range a.revisions {
		c.Revisions = append(c.Revisions, requirement.Revision(strings.TrimSpace(rev)))
	}
	return c, nil
}
