package target

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/mcpcheck/mcpcheck/internal/environ"
	"github.com/mcpcheck/mcpcheck/internal/mask"
	"github.com/mcpcheck/mcpcheck/internal/nearest"
	"github.com/mcpcheck/mcpcheck/internal/shell"
	"github.com/mcpcheck/mcpcheck/internal/yamlfile"
	"github.com/mcpcheck/mcpcheck/suite/requirement"
	"github.com/mcpcheck/mcpcheck/suite/transport"
	"github.com/tidwall/gjson"
)

// ConfigError is everything wrong with a target: the user has to change it
// before anything can be run.
type ConfigError struct {
	// File is the target file; empty if the target was not read from one.
	File string
	// Problems are the things that are wrong, each with a message that names the field.
	Problems []yamlfile.Problem
}

// Error gives each problem a line of its own: "FILE:LINE: MESSAGE".
func (e *ConfigError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		switch {
		case e.File == "":
			lines[i] = "target: " + p.Message
		case p.Line == 0:
			lines[i] = e.File + ": " + p.Message
		default:
			lines[i] = fmt.Sprintf("%s:%d: %s", e.File, p.Line, p.Message)
		}
	}
	return strings.Join(lines, "\n")
}

// Load reads a target file. Relative directories and certificate files in it
// are taken from where the file stands; rows are the requirements that it can opt out
// of. All errors are a [*ConfigError].
func Load(path string, rows *requirement.Catalogue) (*Target, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, wrong(path, err)
	}
	t, index, err := parse(path, data, rows)
	if err != nil {
		return nil, err
	}
	t.rebase(filepath.Dir(path))
	t.checkPaths(index)
	return t, wrong(path, index.Err())
}

// readFile reads a file, up to a bound.
func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, yamlfile.Unread(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, yamlfile.MaxSize+1))
	return data, yamlfile.Unread(err)
}

// rebase makes relative directories and certificate files relative to dir.
func (t *Target) rebase(dir string) {
	visit("", "", reflect.ValueOf(t).Elem(), func(_, is string, v reflect.Value) {
		if at := v.String(); (is == "directory" || is == "file") && at != "" && !filepath.IsAbs(at) {
			v.SetString(filepath.Join(dir, at))
		}
	})
}

// Parse reads a target file from memory; the name only serves messages,
// and rows are the requirements that the file can opt out of. All errors are a
// [*ConfigError].
func Parse(name string, data []byte, rows *requirement.Catalogue) (*Target, error) {
	t, _, err := parse(name, data, rows)
	return t, err
}

// parse is Parse, and says where in the file what stands.
func parse(name string, data []byte, rows *requirement.Catalogue) (*Target, *yamlfile.Index, error) {
	t := &Target{}
	index, err := yamlfile.Decode(name, data, t)
	if written := gjson.GetBytes(data, "schema").String(); err != nil &&
		strings.HasPrefix(written, "mcpcheck.") {
		return nil, nil,
			wrong(name, fmt.Errorf("this is no target file, but was written by mcpcheck (%s): give the "+
				"target file, or let \"mcpcheck init\" write one", written))
	}
	t.File = name
	if err == nil {
		t.expandURLs(index)
		err = index.Err()
	}
	if err == nil {
		t.check(index, rows)
		err = index.Err()
	}
	return t, index, wrong(name, err)
}

// expandURLs puts what ${NAME} stands for into the addresses of endpoints; it is secret unless
// it is the host.
func (t *Target) expandURLs(index *yamlfile.Index) {
	for path, e := range yamlfile.Items("endpoints", t.Endpoints) {
		address, parts, err := expand(e.URL, os.LookupEnv)
		if err != nil {
			path += ".url"
			index.Fail(path, "%s: %v", path, err)
			continue
		}
		e.URL = address
		for _, part := range parts {
			if u, err := parseURL(address); err != nil || !strings.Contains(u.Host, part) {
				t.Secret = append(t.Secret, Plain(part))
			}
		}
	}
}

// Validate checks a target that was put together in Go, in the way in which
// Parse checks files. The error is a [*ConfigError].
func (t *Target) Validate(rows *requirement.Catalogue) error {
	index := &yamlfile.Index{File: t.File}
	t.check(index, rows)
	return wrong(t.File, index.Err())
}

// wrong is an error of a target as a [*ConfigError]; nil if there is none.
func wrong(name string, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*yamlfile.Error](err); ok {
		return &ConfigError{File: e.File, Problems: e.Problems}
	}
	return &ConfigError{File: name, Problems: []yamlfile.Problem{{Message: err.Error()}}}
}

// Flags is what a command line says of a target, by the names of its flags: --config,
// --url, --serve, --ready, --transport, --header, --header-env, --secret-env, --env, --env-pass, --env-all,
// --cwd, --ca-file and --allow-risky.
type Flags struct {
	Config, URL, Transport string
	Serve, Ready           string
	Headers, HeaderEnv     []string
	SecretEnv              []string
	Dir, CAFile            string
	Risky                  bool
	environ.Grant
}

// Target is the target that the flags describe, or the command behind them; nil if there
// is none. A target file is read against a catalogue; changed tells which flags were given,
// dashed whether a command was.
func (o *Flags) Target(rows *requirement.Catalogue, changed func(name string) bool, dashed bool,
	command []string) (*Target, error) {
	t, err := o.described(rows, changed, dashed, command)
	if err != nil || t == nil {
		return nil, err
	}
	if t.File == "" { // else its paths are checked
		index := &yamlfile.Index{}
		if t.checkPaths(index); len(index.Problems) > 0 {
			flag := strings.NewReplacer("endpoints[0].dir", "--cwd", "endpoints[0].ca-file", "--ca-file")
			return nil, errors.New(flag.Replace(index.Problems[0].Message))
		}
	}
	if o.Risky {
		t.Allow = append(t.Allow, AllowRisky)
	}
	for _, variable := range o.SecretEnv {
		switch value, set := os.LookupEnv(variable); {
		case !set:
			return nil, fmt.Errorf("--secret-env %s: the variable is not set", variable)
		case len(value) < mask.MinLength:
			return nil, fmt.Errorf("--secret-env %s: the value has less than %d bytes, and would blot out "+
				"ordinary text if it were masked", variable, mask.MinLength)
		}
		t.Secret = append(t.Secret, FromEnv(variable))
	}
	return t, nil
}

func (o *Flags) described(rows *requirement.Catalogue, changed func(name string) bool, dashed bool,
	command []string) (*Target, error) {
	serve, address, config := changed("serve"), changed("url"), changed("config")
	started := serve || dashed && address
	switch {
	case serve && dashed:
		return nil, errors.New("give the command once, either with --serve or behind --")
	case config && (serve || dashed || address):
		return nil, errors.New("give one of a command behind --, --serve, --url and --config")
	case changed("ready") && !started:
		return nil, errors.New("--ready goes with a server that is started: with --serve, or with --url " +
			"and a command behind --")
	case serve:
		words, err := shell.Split(o.Serve)
		if err != nil {
			return nil, fmt.Errorf("--serve: the command line cannot be read: %w", err)
		}
		if len(words) == 0 || words[0] == "" {
			return nil, errors.New("--serve holds no command")
		}
		return o.serve(words)
	case started && len(command) > 0 && command[0] != "":
		return o.serve(command)
	case dashed:
		return o.Command(command)
	case address:
		return o.Address()
	case config:
		return o.file(rows, changed)
	}
	for _, name := range []string{
		"header", "header-env", "secret-env", "env", "env-pass", "env-all", "cwd", "ca-file", "allow-risky",
	} {
		if changed(name) {
			return nil, fmt.Errorf("--%s needs a target: a command behind --, --serve or --url", name)
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
		return nil, misfit("a command speaks stdio", o.Transport)
	}
	e := Endpoint{Command: args, Dir: o.Dir}
	if err := o.environment(&e); err != nil {
		return nil, err
	}
	return &Target{Endpoints: []Endpoint{e}}, nil
}

// environment gives the program of an endpoint what the flags say.
func (o *Flags) environment(e *Endpoint) (err error) {
	if _, err := o.Vars(); err != nil {
		return fmt.Errorf("--%w", err)
	}
	e.EnvPass, e.EnvAll = o.Pass, o.All
	e.Env, err = pairs("--env", o.Set, "=")
	return err
}

// misfit says what is wrong with a transport that a kind of target does not speak.
func misfit(kind, given string) error {
	known := requirement.Texts(requirement.Transports())
	if !slices.Contains(known, given) {
		return fmt.Errorf("there is no transport %q%s", given, cmp.Or(nearest.Question(given, known),
			": there are "+strings.Join(known, ", ")))
	}
	return fmt.Errorf("%s: --transport %s does not go with it", kind, given)
}

// Address is the target at the URL.
func (o *Flags) Address() (*Target, error) {
	if portMarked(o.URL) {
		return nil, fmt.Errorf("--url has %s for the port, but no command is given that is started to "+
			"listen there: give --serve", transport.PortMark)
	}
	return o.address()
}

// withScheme is an address that lacks a scheme, or a part of the "://" behind it, with both.
func withScheme(address string) string {
	for _, scheme := range []string{"https", "http"} {
		if rest, ok := strings.CutPrefix(address, scheme); ok &&
			strings.HasPrefix(strings.TrimPrefix(rest, ":"), "/") {
			return scheme + "://" + strings.TrimLeft(rest, ":/")
		}
	}
	return "http://" + address
}

func (o *Flags) address() (*Target, error) {
	if o.Given() || o.Dir != "" {
		return nil, errors.New("--env, --env-pass, --env-all and --cwd go with a command, " +
			"behind -- or with --serve")
	}
	u, err := parseURL(o.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		// It is repeated only as far as it is known what of it may be a key.
		if whole := redactURL(withScheme(o.URL)); o.URL != "" && whole != hidden &&
			!strings.Contains(o.URL, "://") {
			return nil, fmt.Errorf("--url has no scheme: did you mean --url %s?", whole)
		}
		if err == nil && u.Host != "" && u.Scheme != "" {
			return nil, fmt.Errorf("--url has the scheme %q: write http://HOST/PATH or https://HOST/PATH",
				u.Scheme)
		}
		return nil, errors.New("--url is not of the form http://HOST/PATH or https://HOST/PATH")
	}
	if len(u.Port()) > 5 || len(u.Port()) == 5 && u.Port() > "65535" {
		return nil, fmt.Errorf("--url has the port %s: the last one is 65535", u.Port())
	}
	e := Endpoint{URL: o.URL, CAFile: o.CAFile}
	switch t := requirement.Transport(o.Transport); t {
	case "":
	case requirement.HTTP, requirement.SSE:
		e.Forced = t
	default:
		return nil, misfit("a URL speaks http or sse", o.Transport)
	}
	if e.Header, err = pairs("--header", o.Headers, ":"); err != nil {
		return nil, err
	}
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

func (o *Flags) file(rows *requirement.Catalogue, changed func(string) bool) (*Target, error) {
	for _, name := range []string{"header", "header-env", "env", "env-pass", "env-all", "cwd", "ca-file"} {
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
