package conformance

import (
	"flag"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/suite"
	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
)

// Arguments are the flags of a test binary that say what to judge. They have the names and
// meanings of those of "mcpcheck run"; what picks requirements is Ginkgo's.
type Arguments struct {
	flags     *flag.FlagSet
	target    target.Flags
	config    suite.Config
	revisions list
	own       map[string]bool // the names of the flags that are not those of package testing
}

// list is a flag that may be repeated.
type list []string

func (l *list) String() string     { return strings.Join(*l, " ") }
func (l *list) Set(s string) error { *l = append(*l, s); return nil }

// Flags adds the flags to those of a test binary, which package testing parses.
func Flags(f *flag.FlagSet) *Arguments {
	before := map[string]bool{}
	f.VisitAll(func(f *flag.Flag) { before[f.Name] = true })
	a := &Arguments{flags: f}
	t, c := &a.target, &a.config
	f.StringVar(&t.Config, "config", "", "the target `file`")
	f.StringVar(&t.URL, "url", "", "the `URL` of a server that speaks Streamable HTTP or HTTP+SSE")
	f.StringVar(&t.Serve, "serve", "", "start a server with this `command` line and judge it at --url, where {port} is a free port")
	f.StringVar(&t.Ready, "ready", "", "`when` a server that was started can be used: tcp, http, or output:PATTERN (default tcp)")
	f.StringVar(&t.Transport, "transport", "", "force `http` or sse on a URL; with other targets, run this transport only")
	f.Var((*list)(&t.Headers), "header", "send this HTTP header, `'K: V'`; may be repeated")
	f.Var((*list)(&t.HeaderEnv), "header-env", "send the HTTP header K with the value of the variable, `K=VAR`; may be repeated")
	f.Var((*list)(&t.SecretEnv), "secret-env", "mask the value of this `variable` in everything that is written; may be repeated")
	f.Var((*list)(&t.Env), "env", "set a variable of the server's environment, `K=V`; may be repeated")
	f.StringVar(&t.Dir, "cwd", "", "the working `directory` of the server")
	f.StringVar(&t.CAFile, "ca-file", "", "trust the certificates in this PEM `file`, too")
	f.BoolVar(&t.Risky, "allow-risky", false, "read and expand what speaks of deletion or execution, too")
	f.Var(&a.revisions, "revision", "judge this protocol `revision` only; may be repeated")
	f.BoolVar(&c.Strict, "strict", false, "count warnings as failures")
	f.DurationVar(&c.Timeout, "timeout", 0, "time for one request (default 10s)")
	f.DurationVar(&c.StartTimeout, "start-timeout", 0, "time for start-up and handshake (default 30s)")
	f.DurationVar(&c.Budget, "budget", 0, "time for the whole run (default 5m, or 100 times what it takes to find out what the target speaks, up to 30m)")
	f.DurationVar(&c.QuietWindow, "quiet-window", 0, "how long silence is watched; after a sign of life a third of it to ten times as long, by what that took (default 300ms)")
	f.StringVar(&c.Baseline, "baseline", "", "excuse what this `file` lists as known; \"mcpcheck baseline\" writes one")
	f.StringVar(&c.Files.HTML, "html", "", "write a page for browsers to this `file`")
	f.StringVar(&c.Files.JSON, "json", "", "write the JSON report to this `file`")
	f.BoolVar(&c.NoSecurityProbes, "no-security-probes", false, "leave out the probes for security requirements")
	a.own = map[string]bool{}
	f.VisitAll(func(f *flag.Flag) { a.own[f.Name] = !before[f.Name] })
	return a
}

// String is the flags that were given and the arguments behind them, as they are written for a
// shell. The values of headers and variables are left out: they may be secret.
func (a *Arguments) String() string {
	var words []string
	a.flags.Visit(func(f *flag.Flag) {
		values := []string{f.Value.String()}
		if l, ok := f.Value.(*list); ok {
			values = *l
		}
		for _, value := range values {
			if f.Name == "header" || f.Name == "env" {
				value = "***"
			}
			if a.own[f.Name] && f.Name != "html" && f.Name != "json" {
				words = append(words, "--"+f.Name+"="+value)
			}
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
	a.flags.Visit(func(f *flag.Flag) { changed[f.Name] = true })
	t, err := a.target.Target(area.Catalogue(), func(name string) bool { return changed[name] }, a.flags.NArg() > 0, a.flags.Args())
	if err != nil {
		return c, err
	}
	c.Target = t
	if a.target.Transport != "" && a.target.URL == "" && a.target.Serve == "" {
		c.Transports = []requirement.Transport{requirement.Transport(a.target.Transport)}
	}
	for _, given := range a.revisions {
		for rev := range strings.SplitSeq(given, ",") {
			c.Revisions = append(c.Revisions, requirement.Revision(strings.TrimSpace(rev)))
		}
	}
	return c, nil
}
