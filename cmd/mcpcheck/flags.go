package main

import (
	"maps"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpcheck/mcpcheck/suite/area"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/target"
	"github.com/spf13/cobra"
)

// connect holds the flags that say which target to talk to, and how.
type connect struct {
	config    string
	url       string
	transport string
	headers   []string
	headerEnv []string
	env       []string
	dir       string
	caFile    string
}

func (o *connect) register(c *cobra.Command, withConfig bool) {
	f := c.Flags()
	if withConfig {
		f.StringVar(&o.config, "config", "", "the target `file`")
	}
	f.StringVar(&o.url, "url", "", "the `URL` of a server that speaks Streamable HTTP or HTTP+SSE")
	f.StringVar(&o.transport, "transport", "", "force `http` or sse on a URL; with other targets, run this transport only")
	f.StringArrayVar(&o.headers, "header", nil, "send this HTTP header, `'K: V'`; may be repeated")
	f.StringArrayVar(&o.headerEnv, "header-env", nil, "send the HTTP header K with the value of the variable, `K=VAR`; may be repeated")
	f.StringArrayVar(&o.env, "env", nil, "set a variable of the server's environment, `K=V`; may be repeated")
	f.StringVar(&o.dir, "cwd", "", "the working `directory` of the server")
	f.StringVar(&o.caFile, "ca-file", "", "trust the certificates in this PEM `file`, too")
}

// target is what the flags and the arguments behind "--" describe; nil if they
// describe none.
func (o *connect) target(c *cobra.Command, args []string) (*target.Target, error) {
	dash := c.ArgsLenAtDash()
	if len(args) > 0 && dash != 0 {
		if f := c.Flags().Lookup("only"); f != nil && (c.Flags().Changed("only") || c.Flags().Changed("skip")) && namesRows(args[0]) {
			return nil, badUsage("there is no argument %q: --only and --skip take a list with commas and without spaces, such as ERR-09,ERR-11", args[0])
		}
		return nil, badUsage("there is no argument %q: the server's command goes behind --, as in %q", args[0], c.CommandPath()+" -- "+strings.Join(args, " "))
	}
	given := 0
	for _, name := range []string{"url", "config"} {
		if c.Flags().Changed(name) {
			given++
		}
	}
	if dash == 0 {
		given++
	}
	if given > 1 {
		return nil, badUsage("give one of a command behind --, --url and --config")
	}
	switch {
	case dash == 0:
		return o.command(args)
	case c.Flags().Changed("url"):
		return o.address()
	case c.Flags().Changed("config"):
		return o.file(c)
	}
	for _, name := range []string{"header", "header-env", "env", "cwd", "ca-file"} {
		if c.Flags().Changed(name) {
			return nil, badUsage("--%s needs a target: a command behind --, or --url", name)
		}
	}
	return nil, nil
}

func (o *connect) command(args []string) (*target.Target, error) {
	if len(args) == 0 || args[0] == "" {
		return nil, badUsage("there is no command behind --")
	}
	if len(o.headers)+len(o.headerEnv) > 0 || o.caFile != "" {
		return nil, badUsage("--header, --header-env and --ca-file go with --url")
	}
	if o.transport != "" && o.transport != string(requirement.Stdio) {
		return nil, badUsage("a command speaks stdio: --transport %s does not go with it", o.transport)
	}
	e := target.Endpoint{Command: args, Dir: o.dir}
	env, err := pairs("--env", o.env, "=")
	if err != nil {
		return nil, err
	}
	e.Env = env
	return &target.Target{Endpoints: []target.Endpoint{e}}, nil
}

func (o *connect) address() (*target.Target, error) {
	if len(o.env) > 0 || o.dir != "" {
		return nil, badUsage("--env and --cwd go with a command behind --")
	}
	if u, err := url.Parse(o.url); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, badUsage("--url is not of the form http://HOST/PATH or https://HOST/PATH") // it is not repeated: it may hold a key
	}
	e := target.Endpoint{URL: o.url, CAFile: o.caFile}
	switch t := requirement.Transport(o.transport); t {
	case "":
	case requirement.HTTP, requirement.SSE:
		e.Forced = t
	default:
		return nil, badUsage("a URL speaks http or sse: --transport %s does not go with it", o.transport)
	}
	headers, err := pairs("--header", o.headers, ":")
	if err != nil {
		return nil, err
	}
	e.Header = headers
	for _, pair := range o.headerEnv {
		name, variable, ok := strings.Cut(pair, "=")
		if !ok || name == "" || variable == "" {
			return nil, badUsage("--header-env %q is not of the form K=VAR", pair)
		}
		if _, set := os.LookupEnv(variable); !set {
			return nil, badUsage("--header-env %s: the variable %s is not set", pair, variable)
		}
		if e.Header == nil {
			e.Header = map[string]target.Value{}
		}
		e.Header[strings.TrimSpace(name)] = target.FromEnv(variable)
	}
	return &target.Target{Endpoints: []target.Endpoint{e}}, nil
}

func (o *connect) file(c *cobra.Command) (*target.Target, error) {
	for _, name := range []string{"header", "header-env", "env", "cwd", "ca-file"} {
		if c.Flags().Changed(name) {
			return nil, badUsage("--%s does not go with --config: put it into the target file", name)
		}
	}
	return target.Load(o.config, area.Catalogue())
}

// pairs reads flags of the form "K=V" or "K: V". The value is not repeated in
// the error: it may be a secret.
func pairs(flag string, given []string, separator string) (map[string]target.Value, error) {
	if len(given) == 0 {
		return nil, nil
	}
	m := map[string]target.Value{}
	for i, pair := range given {
		name, value, ok := strings.Cut(pair, separator)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, badUsage("%s number %d is not of the form K%sV", flag, i+1, separator)
		}
		if separator == ":" {
			value = strings.TrimSpace(value)
		}
		m[name] = target.Plain(value)
	}
	return m, nil
}

// revisions reads a list of revisions.
func revisions(given []string) ([]requirement.Revision, error) {
	var all []requirement.Revision
	for _, s := range given {
		r := requirement.Revision(strings.TrimSpace(s))
		if !r.Known() {
			return nil, badUsage("there is no revision %q: the revisions are %s", s, join(requirement.Revisions()))
		}
		if !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all, nil
}

// namesRows reports whether a text looks like the id of a requirement or names an
// area.
func namesRows(s string) bool {
	s = strings.ToUpper(strings.Trim(s, ", "))
	name, _, _ := strings.Cut(s, "-")
	return slices.ContainsFunc(area.Catalogue().Areas(), func(a requirement.Area) bool { return a.Name == name })
}

// rowIDs reads a list of ids and areas in any case; an area stands for all of its
// requirements. What is neither is left as it is, to be complained about.
func rowIDs(given []string) []string {
	var all []string
	for _, s := range given {
		s = strings.TrimSpace(s)
		upper := strings.ToUpper(s)
		if _, ok := area.Catalogue().Find(upper); ok {
			all = append(all, upper)
			continue
		}
		n := len(all)
		for _, r := range area.Catalogue().Requirements() {
			if r.Area() == upper {
				all = append(all, r.ID)
			}
		}
		if len(all) == n {
			all = append(all, s)
		}
	}
	return all
}

func join[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, s := range all {
		words[i] = string(s)
	}
	return strings.Join(words, ", ")
}

// reads reads --read: a number of resources, or "all" (-1).
func reads(s string) (int, error) {
	if s == "all" {
		return -1, nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 1 {
		return 0, badUsage("--read takes a number of resources from 1 on, or all, not %q", s)
	}
	return n, nil
}

// notEmpty refuses flags that are given without a value, as by a variable that is not set.
func notEmpty(c *cobra.Command, names ...string) error {
	for _, name := range names {
		if f := c.Flags().Lookup(name); f.Changed && (f.Value.String() == "" || f.Value.String() == "[]") {
			return badUsage("--%s is empty: give it a value, or leave it out", name)
		}
	}
	return nil
}

// notNegative checks the durations of flags; 0 stands for the default.
func notNegative(flags map[string]time.Duration) error {
	for _, name := range slices.Sorted(maps.Keys(flags)) {
		if d := flags[name]; d < 0 {
			return badUsage("--%s must not be negative: %s", name, d)
		}
	}
	return nil
}
