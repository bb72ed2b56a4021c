package target

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/mcpcheck/mcpcheck/suite/catalogue"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
)

// Flags is what a command line says of a target, by the names of its flags: --config,
// --url, --transport, --header, --header-env, --env, --cwd and --ca-file.
type Flags struct {
	Config, URL, Transport  string
	Headers, HeaderEnv, Env []string
	Dir, CAFile             string
}

// Target is the target that the flags describe, or the command behind them; nil if there
// is none. A target file is read against a catalogue; changed tells which flags were given,
// dashed whether a command was.
func (o *Flags) Target(rows *catalogue.Catalogue, changed func(name string) bool, dashed bool, command []string) (*Target, error) {
	given := 0
	for _, name := range []string{"url", "config"} {
		if changed(name) {
			given++
		}
	}
	if dashed {
		given++
	}
	if given > 1 {
		return nil, errors.New("give one of a command behind --, --url and --config")
	}
	switch {
	case dashed:
		return o.Command(command)
	case changed("url"):
		return o.Address()
	case changed("config"):
		return o.file(rows, changed)
	}
	for _, name := range []string{"header", "header-env", "env", "cwd", "ca-file"} {
		if changed(name) {
			return nil, fmt.Errorf("--%s needs a target: a command behind --, or --url", name)
		}
	}
	return nil, nil
}

// Command is the target that a command starts.
func (o *Flags) Command(args []string) (*Target, error) {
	if len(args) == 0 || args[0] == "" {
		return nil, errors.New("there is no command behind --")
	}
	if len(o.Headers)+len(o.HeaderEnv) > 0 || o.CAFile != "" {
		return nil, errors.New("--header, --header-env and --ca-file go with --url")
	}
	if o.Transport != "" && o.Transport != string(requirement.Stdio) {
		return nil, fmt.Errorf("a command speaks stdio: --transport %s does not go with it", o.Transport)
	}
	e := Endpoint{Command: args, Dir: o.Dir}
	env, err := pairs("--env", o.Env, "=")
	if err != nil {
		return nil, err
	}
	e.Env = env
	return &Target{Endpoints: []Endpoint{e}}, nil
}

// Address is the target at the URL.
func (o *Flags) Address() (*Target, error) {
	if len(o.Env) > 0 || o.Dir != "" {
		return nil, errors.New("--env and --cwd go with a command behind --")
	}
	if u, err := url.Parse(o.URL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, errors.New("--url is not of the form http://HOST/PATH or https://HOST/PATH") // it is not repeated: it may hold a key
	}
	e := Endpoint{URL: o.URL, CAFile: o.CAFile}
	switch t := requirement.Transport(o.Transport); t {
	case "":
	case requirement.HTTP, requirement.SSE:
		e.Forced = t
	default:
		return nil, fmt.Errorf("a URL speaks http or sse: --transport %s does not go with it", o.Transport)
	}
	headers, err := pairs("--header", o.Headers, ":")
	if err != nil {
		return nil, err
	}
	e.Header = headers
	for _, pair := range o.HeaderEnv {
		name, variable, ok := strings.Cut(pair, "=")
		if !ok || name == "" || variable == "" {
			return nil, fmt.Errorf("--header-env %q is not of the form K=VAR", pair)
		}
		if _, set := os.LookupEnv(variable); !set {
			return nil, fmt.Errorf("--header-env %s: the variable %s is not set", pair, variable)
		}
		if e.Header == nil {
			e.Header = map[string]Value{}
		}
		e.Header[strings.TrimSpace(name)] = FromEnv(variable)
	}
	return &Target{Endpoints: []Endpoint{e}}, nil
}

func (o *Flags) file(rows *catalogue.Catalogue, changed func(string) bool) (*Target, error) {
	for _, name := range []string{"header", "header-env", "env", "cwd", "ca-file"} {
		if changed(name) {
			return nil, fmt.Errorf("--%s does not go with --config: put it into the target file", name)
		}
	}
	return Load(o.Config, rows)
}

// pairs reads flags of the form "K=V" or "K: V". The value is not repeated in
// the error: it may be a secret.
func pairs(flag string, given []string, separator string) (map[string]Value, error) {
	if len(given) == 0 {
		return nil, nil
	}
	m := map[string]Value{}
	for i, pair := range given {
		name, value, ok := strings.Cut(pair, separator)
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, fmt.Errorf("%s number %d is not of the form K%sV", flag, i+1, separator)
		}
		if separator == ":" {
			value = strings.TrimSpace(value)
		}
		m[name] = Plain(value)
	}
	return m, nil
}
